"""Memory before and after, and what one changed flag alone comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from sgfleet.memory.assemble import service_of
from sgfleet.memory.device import NotKnownError
from sgfleet.memory.of_host import HostMemory, Unknown
from sgfleet.memory.units import GIB, tokens_within
from sgfleet.memory.unjudged import unjudged
from sgfleet.plan.records import HostRam, ServiceMemory
from sgfleet.rules.bearing import verdict_on

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgfleet.engine.release import Release
    from sgfleet.findings import Finding
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.memory.service import Service
    from sgfleet.memory.verdict import Statement
    from sgfleet.plan.side import Side
    from sgfleet.spec.host_spec import HostSpec

_VERDICTS: Final[dict[str, Literal["error", "warning"]]] = {"error": "error", "warning": "warning"}


def service_memory(memory: HostMemory, name: str, findings: Iterable[Finding]) -> ServiceMemory:
    """The budgets of one service, condensed, with what `check` says of them."""
    budget = memory.budget(name)
    service = memory.service(name)
    if isinstance(budget, Unknown) or isinstance(service, Unknown):
        return ServiceMemory(unknown=budget.message if isinstance(budget, Unknown) else "not computed")
    share = memory.share(name)
    said = [each for each in verdict_on(findings, memory, name) if each.weight != "note"]
    grave = sorted(said, key=lambda each: each.weight != "error")
    open_ = unjudged(memory, name)
    return ServiceMemory(
        kv_tokens=budget.tokens,
        error_tokens=0 if budget.measured_tokens else budget.error_tokens,
        measured=budget.measured_tokens,
        ranks=service.ranks,
        pinned_bytes=0 if share is None else share.pinned_bytes,
        verdict=_VERDICTS[grave[0].weight] if grave else "unknown" if open_ else "fits",
        said=(*map(_sentence, grave), *open_),
    )


def _sentence(each: Statement) -> str:
    """What is said, with the sum that it comes from."""
    return f"{each.text} ({each.arithmetic[-1]})" if each.arithmetic else each.text


def host_ram(memory: HostMemory, unread: Iterable[str] = ()) -> HostRam:
    """RAM of a host with all services that have a budget; `unread` are those whose specification has errors."""
    host = memory.host
    uncounted = (*memory.uncounted, *sorted(unread))
    return HostRam(
        available_bytes=host.facts.available_bytes,
        pinned_bytes=host.pinned_bytes,
        left_bytes=host.left_bytes,
        reserve_bytes=host.facts.reserve_bytes,
        fits=None if uncounted else host.fits,
        uncounted=uncounted,
        assumed=host.facts.assumed,
    )


def foreseen(before: Side, after: Side) -> HostMemory | None:
    """The budgets of a host as it would be. What starts measured was measured with the specifications as they were,
    unless the change brings another measurement along.
    """
    if after.memory is None or after.spec is None:
        return None
    if before.spec is None or before.spec.facts is None or after.spec.facts is None:
        return after.memory()
    was, now = before.spec.facts.observed, after.spec.facts.observed
    seen_with = {
        name: before.spec.services[name].service
        for name in after.spec.services
        if name in before.spec.services and name in now and was.get(name) == now[name]
    }
    services = {name: each.service for name, each in after.spec.services.items()}
    if all(services[name] == seen_with[name] for name in seen_with):
        return after.memory()
    workspace = after.workspace
    policy = workspace.repository.fleet.policy
    return HostMemory(services, workspace.release, after.spec.facts, policy, workspace.library, seen_with)


class Consequences:
    """What each changed flag alone does to a service as it was."""

    def __init__(self, workspace: Workspace, spec: HostSpec, name: str, memory: HostMemory) -> None:
        self._workspace, self._spec, self._name, self._memory = workspace, spec, name, memory

    def of_flag(self, name: str, value: Any) -> str | None:
        """In words; None where it moves no memory, or where that cannot be computed. `value` None: not given."""
        own = self._spec.services[self._name].service
        release = self._workspace.release(own.release)
        if release is None:
            return None
        flags = dict(own.flags)
        same = release.by_name[name].names if name in release.by_name else (name,)
        for each in same:
            flags.pop(each, None)
        if value is not None:
            flags[name] = value
        return self._against(release, flags)

    def of_release(self, release: Release | None) -> str | None:
        """The same flags in another release."""
        return None if release is None else self._against(release, self._spec.services[self._name].service.flags)

    def _against(self, release: Release, flags: Mapping[str, Any]) -> str | None:
        before = self._memory.service(self._name)
        if isinstance(before, Unknown) or isinstance(self._memory.budget(self._name), Unknown):
            return None
        own = self._spec.services[self._name].service
        try:
            after = service_of(self._name, own, release, self._spec.facts, self._workspace.library, flags)
            return _words(before, after, self._memory.host.facts.available_bytes)
        except NotKnownError:
            return None


def _words(before: Service, after: Service, available: int | None) -> str | None:
    said = []
    old, new = (_pinned(each, available) for each in (before, after))
    if old != new:
        ranks = f"over {after.ranks} rank{'s' if after.ranks != 1 else ''}"
        said.append(f"host pool {old / GIB:,.1f} → {new / GIB:,.1f} GiB {ranks}")
    tokens, then = before.budget.tokens, after.budget.tokens
    if tokens != then:
        said.append(f"KV pool {tokens:,} → {tokens_within(then, after.budget.error_tokens)} tokens")
    return ", ".join(said) or None


def _pinned(service: Service, available: int | None) -> int:
    return (
        0 if service.settings.hicache is None or service.no_host_pool is not None else service.pinned_bytes(available)
    )
