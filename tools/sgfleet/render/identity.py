"""Who a unit is, in keys that systemd ignores, so that a host can be understood without any other state."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sgfleet.spec.models.service import Service

UNIT_FORMAT: Final = 1
"""Version of the units' form. A tool that renders the same bytes keeps it: units do not name the tool's version,
because then every upgrade of the tool would restart every service (docs/adr/0003)."""

PREFIX: Final = "X-Sgfleet-"
"""systemd ignores keys that begin with X-."""


def spec_hash(service: Service) -> str:
    """SHA-256 over the resolved specification.

    The order of keys in YAML, where a value came from, and which findings somebody accepted do not count.
    """
    values = service.model_dump(mode="json", exclude={"waive"})
    if service.start.health_url is None:  # the key is younger than the units: without it, they stay as they are
        del values["start"]["health-url"]
    canonical = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def unit_hash(text: str) -> str:
    """SHA-256 over what systemd acts on: every line of the unit but comments, blank lines and X- keys.

    Two units with the same hash run the same process: whoever installs the second over the first need not restart it.
    """
    effective = [line for line in text.splitlines() if line and not line.startswith(("#", ";", "X-"))]
    return hashlib.sha256("\n".join([*effective, ""]).encode()).hexdigest()
