"""Check: this host's systemd has nothing against the unit.

A key that it does not know is dropped with no more than a line in the journal: a limit of a newer systemd would not
hold here, and nobody would be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent.reason import Reason

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation


def check(situation: Situation) -> Reason | None:
    """The first complaint."""
    content = situation.text.encode(errors="surrogateescape")
    complaints = situation.manager.verify(f"{situation.name}.service", content)
    if not complaints:
        return None
    more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
    return Reason("unit", f"systemd says: {complaints[0][:300]}{more}", "mend the spec, or upgrade systemd here")
