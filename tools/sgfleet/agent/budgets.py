"""How long each phase of an attempt may take, on a clock that no one can set. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.agent.budget import PATIENCE, Sample, progress, start_budget
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import Phase
from sgfleet.agent.state import Clock

if TYPE_CHECKING:
    from sgfleet.agent.brief import Brief
    from sgfleet.agent.host import Now
    from sgfleet.agent.local import Local
    from sgfleet.agent.record import Attempt
    from sgfleet.agent.state import ServiceState

_GROUPS: Final = {
    Phase.STAGING: "staging",
    Phase.STOPPING: "stopping",
    Phase.CLEARING: "clearing",
    Phase.INSTALLING: "installing",
    Phase.RELOADING: "installing",
    Phase.STARTING: "loading",
    Phase.GATING: "loading",
    Phase.BAKING: "baking",
}
"""Phases that share a budget: a load is over with the first generation, not when the process is there."""
FINAL_PROBE_SECONDS: Final = 600.0
"""After a bake the last generation is asked for; a server that has become slow still has this long."""


class Over(NamedTuple):
    """`overdue`: why the budget of the phase is over, None while it is not. `baked`: the bake lasted long enough."""

    overdue: Reason | None
    baked: bool


def clock_of(state: ServiceState, now: Now) -> Clock | None:
    """The clock of the phase that an attempt is in: the running one if it is of this phase and boot, or a new one."""
    attempt = state.record.attempt
    if attempt is None:
        return None
    phase = f"{attempt.goal[:16]} {'back' if attempt.back else 'forth'} {_GROUPS[attempt.phase]}"
    running = state.clock
    if running is not None and (running.phase, running.boot) == (phase, now.boot):
        return running
    return Clock(phase, now.boot, now.boot_seconds)


def over(attempt: Attempt, state: ServiceState, brief: Brief | None, local: Local, now: Now) -> Over:
    """Whether the phase has used up its time."""
    clock = state.clock
    elapsed = now.boot_seconds - clock.at_seconds if clock is not None else 0.0
    group = _GROUPS[attempt.phase]
    if group == "loading":
        return Over(_load(attempt, state, brief, local, now), baked=False)
    if group == "baking":
        late = elapsed >= local.bake_seconds + FINAL_PROBE_SECONDS * local.time_scale
        text = f"no generation {elapsed:.0f} s into a bake of {local.bake_seconds:.0f} s"
        return Over(Reason("bake", text) if late else None, elapsed >= local.bake_seconds)
    limit = {"stopping": local.stop_seconds, "clearing": local.clear_seconds}.get(group)
    if limit is None or elapsed < limit:
        return Over(None, baked=False)
    texts = {
        "stopping": Reason("stop", f"it has not stopped within {limit:.0f} s", "see who holds it: systemctl status"),
        "clearing": Reason("not-clear", f"what it held is not free {limit:.0f} s after the stop", "see nvidia-smi"),
    }
    return Over(texts[group], baked=False)


def _load(attempt: Attempt, state: ServiceState, brief: Brief | None, local: Local, now: Now) -> Reason | None:
    """Whether a load is to be given up: its limit is over, or it does not move."""
    patience = PATIENCE.scaled(local.time_scale)
    load = state.load
    budget = start_budget(
        brief.promise.weight_bytes if brief else None,
        load.seconds if load is not None else None,
        # What was verified once may come back however long it takes within reason: its own spec's limit was met before.
        brief.budget_seconds if brief is not None and not attempt.back else None,
        patience,
    )
    began = state.clock.at_seconds if state.clock is not None else now.boot_seconds
    samples = tuple(Sample(**each._asdict()) for each in state.samples if each.at_seconds >= began)
    if not samples:
        samples = (Sample(now.boot_seconds),)
    found = progress(samples, began, budget, patience)
    return None if found.goes_on else Reason(found.state, f"the load is given up: {found.reason}")
