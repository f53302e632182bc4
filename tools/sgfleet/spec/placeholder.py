"""What stands in a service that `sgfleet init` began and that nobody has filled in."""

from __future__ import annotations

from typing import Final

MODEL: Final = "/srv/models/MODEL"
"""No model: whoever reads it sees that it has to be replaced."""
WHY: Final = "A placeholder that sgfleet init wrote. Say here what it serves, and for whom."
