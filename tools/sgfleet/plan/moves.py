"""The same process on another host, or under another name: a move, not an end and a beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.plan.records import Kind, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.plan.records import HostChange, ServiceChange


def with_moves(hosts: Iterable[HostChange]) -> list[HostChange]:
    """Pairs each service that goes with one that comes and runs the very same process, first those of the same name."""
    hosts = list(hosts)
    services = [each for host in hosts for each in host.services]
    leaving = [each for each in services if each.kind is Kind.REMOVED and each.hash_ is not None]
    coming = [each for each in services if each.kind is Kind.ADDED and each.hash_ is not None]
    pairs: dict[str, ServiceChange] = {}
    hosts_of: dict[str, str] = {}  # where a host's services went first, the others go too if they can
    for same_name in (True, False):
        for old in leaving:
            if old.subject in pairs:
                continue
            fitting = [
                new
                for new in coming
                if new.subject not in pairs and new.hash_ == old.hash_ and (not same_name or new.name == old.name)
            ]
            if fitting:
                new = min(fitting, key=lambda each: each.host != hosts_of.get(old.host, each.host))
                hosts_of.setdefault(old.host, new.host)
                pairs[old.subject], pairs[new.subject] = new, old
    if not pairs:
        return hosts
    return [host._replace(services=tuple(_moved(each, pairs) for each in host.services)) for host in hosts]


def _moved(service: ServiceChange, pairs: dict[str, ServiceChange]) -> ServiceChange:
    other = pairs.get(service.subject)
    if other is None:
        return service
    leaves = service.kind is Kind.REMOVED
    reason = Reason(f"moves {'to' if leaves else 'from'} {other.subject}: the same process")
    return service._replace(kind=Kind.MOVED, reasons=(reason,), counterpart=other.subject, leaves=leaves, diff=())
