"""One service before and after -> what happens to it and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.load_time import load_time
from sgfleet.plan.budgets import Consequences, service_memory
from sgfleet.plan.reasons import differences
from sgfleet.plan.records import Kind, Reason, ServiceChange
from sgfleet.plan.unit_diff import unit_diff
from sgfleet.render.effect import Effect, effect_of, restart_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.findings import Finding
    from sgfleet.memory.load_time import LoadTime
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.plan.records import ServiceMemory
    from sgfleet.plan.side import Side

_KINDS: Final = {
    Effect.NONE: Kind.UNTOUCHED,
    Effect.REFRESH: Kind.REFRESHED,
    Effect.RELOAD: Kind.RELOADED,
    Effect.RESTART: Kind.RESTARTED,
}
_TRIED: Final = 12
"""Changed flags whose memory is computed one by one."""


def service_change(
    host: str, name: str, before: Side, after: Side, then: HostMemory | None, findings: Iterable[Finding]
) -> ServiceChange:
    """What installing the unit of `after` over that of `before` does.

    What stood before is the committed unit where the change replaces it: that is what runs. Otherwise it is what the
    specification rendered to, so that a unit which nobody has rendered yet is no change of its own. `then` are the
    host's budgets as it would be, and `findings` are what `check` says with them.
    """
    new = after.units.get(name)
    old = _old_unit(name, before, after)
    was = _memory(before, before.memory and before.memory(), name, before.checked.findings)
    memory = was, _memory(after, then, name, findings)
    if new is None and (name in after.names or after.cannot_say(name)):
        said = "it cannot be rendered: see the findings" if name in after.names else "the host's file cannot be read"
        return ServiceChange(host, name, Kind.UNKNOWN, (Reason(said),), *memory)
    if new is None:
        why = Reason("the host is gone" if after.spec is None else "no longer in the host's file")
        return ServiceChange(host, name, Kind.REMOVED, (why,), *memory, None, unit_diff(old, None), hash_=_hash(old))
    load = _load(after, then, name)
    if old is None and before.cannot_say(name):
        why = Reason("what it was before cannot be read: it may restart")
        return ServiceChange(host, name, Kind.UNKNOWN, (why,), *memory, load)
    if old is None:
        why = Reason("a new host" if before.spec is None else "new in the host's file")
        return ServiceChange(host, name, Kind.ADDED, (why,), *memory, load, unit_diff(None, new), hash_=_hash(new))
    effect = effect_of(old, new).effect
    if effect is Effect.NONE:
        return ServiceChange(host, name, Kind.UNTOUCHED, (), *memory)
    reasons = _reasons(name, before, after) or [_unexplained(name, before, after)]
    load = load if effect is Effect.RESTART else None
    return ServiceChange(host, name, _KINDS[effect], tuple(reasons), *memory, load, unit_diff(old, new))


def _hash(unit: str | None) -> str | None:
    return None if unit is None else restart_hash(unit)


def _old_unit(name: str, before: Side, after: Side) -> str | None:
    committed = before.committed.get(name)
    if committed is not None and committed != after.committed.get(name):
        return committed
    return before.units.get(name, committed)


def _reasons(name: str, before: Side, after: Side) -> list[Reason]:
    if before.spec is None or after.spec is None:
        return []
    was, now = before.spec.services.get(name), after.spec.services.get(name)
    if now is None:
        return []
    if was is None:
        return [Reason("what it was before cannot be read: compared with its committed unit")]
    releases = before.workspace.release(was.service.release), after.workspace.release(now.service.release)
    found = differences(was, now, *releases)
    trial = Consequences(before.workspace, before.spec, name, before.memory()) if before.memory is not None else None
    reasons = []
    for number, each in enumerate(found):
        consequence = None
        if trial is not None and number < _TRIED:
            if each.is_flag:
                consequence = trial.of_flag(each.route[1], each.after)
            elif each.route == ("release",):
                consequence = trial.of_release(releases[1])
        reasons.append(each.reason(consequence))
    return sorted(reasons, key=lambda reason: reason.consequence is None)


def _unexplained(name: str, before: Side, after: Side) -> Reason:
    """The specification says the same, and the bytes differ."""
    if before.units.get(name) != before.committed.get(name):
        return Reason("the committed unit was not what its specification renders to")
    release = (
        after.spec.services[name].service.release if after.spec is not None and name in after.spec.services else ""
    )
    return Reason(f"the flag schema of SGLang {release} renders it otherwise", None, f"schema/sglang/{release}.json")


def _memory(side: Side, memory: HostMemory | None, name: str, findings: Iterable[Finding]) -> ServiceMemory | None:
    if memory is None or side.spec is None or name not in side.spec.services:
        return None
    return service_memory(memory, name, findings)


def _load(side: Side, memory: HostMemory | None, name: str) -> LoadTime | None:
    if memory is None or side.spec is None or name not in side.spec.services:
        return None
    return load_time(name, memory.service(name), side.spec.facts)
