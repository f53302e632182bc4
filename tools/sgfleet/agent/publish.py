"""Writes the metrics of a host where its file asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent import metrics
from sgfleet.agent.survey import survey
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    from sgfleet.agent.local import Local
    from sgfleet.agent.state import HostState
    from sgfleet.agent.store import Store
    from sgfleet.systemd.port import Manager


def publish(
    local: Local, state: HostState, store: Store, manager: Manager, version: str, now_seconds: float
) -> str | None:
    """Write `local.textfile`, if there is one and it differs. What went wrong: a report is no reason to stop work."""
    if local.textfile is None:
        return None
    try:
        told = survey(local, state, store, manager, now_seconds, ask=False)
        figures = {
            name: metrics.figures_of(store.plan(unit), each.load, unit, local.time_scale)
            for name, each in state.services.items()
            if (unit := each.record.verified or each.wanted.unit)
        }
        metrics.write(local.textfile, metrics.text(told, version, figures, state.counts))
    except (OSError, SystemdError) as error:
        why = getattr(error, "strerror", None) or error
        return f"the metrics cannot be written to {local.textfile}: {why}"
    return None
