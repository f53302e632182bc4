"""What a plan says, as plain values: changes of services and hosts, with reasons, memory and time.

Nothing here knows Git, or how it is shown. Texts hold no secret: they are masked where they are made.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from sgfleet.findings import Finding
    from sgfleet.memory.load_time import LoadTime
    from sgfleet.rules.runner import Crash


class Kind(StrEnum):
    """What happens to a service. The order is that in which a person wants to read it: what costs most comes first.

    MOVED: the same process, on another host or under another name. REFRESHED: the unit's bytes differ in what systemd
    does not act on; nothing is restarted. UNKNOWN: what it is or was cannot be read.
    """

    UNKNOWN = "unknown"
    REMOVED = "removed"
    RESTARTED = "restarted"
    MOVED = "moved"
    ADDED = "added"
    RELOADED = "reloaded"
    REFRESHED = "refreshed"
    UNTOUCHED = "untouched"

    @property
    def rank(self) -> int:
        """For sorting."""
        return list(Kind).index(self)


class Reason(NamedTuple):
    """Why: what somebody wrote otherwise, what that alone comes to, and the file that says it now (None: no file)."""

    what: str
    consequence: str | None = None
    path: str | None = None

    def __str__(self) -> str:
        """One line: `hicache-ratio 2.0 → 4.0: host pool 166.8 → 333.6 GiB over 8 ranks`."""
        return self.what if self.consequence is None else f"{self.what}: {self.consequence}"


class ServiceMemory(NamedTuple):
    """Memory of one service. `pinned_bytes` are its host pools over all `ranks` of the host.

    `verdict` is the gravest that is said of it, and `said` are the errors and warnings, and what is not judged: where
    that is all, the verdict is unknown. `unknown` says why there is no budget: then every figure is 0.
    """

    kv_tokens: int = 0
    error_tokens: int = 0
    measured: bool = False
    ranks: int = 0
    pinned_bytes: int = 0
    verdict: Literal["fits", "warning", "error", "unknown"] = "unknown"
    said: tuple[str, ...] = ()
    unknown: str | None = None


class HostRam(NamedTuple):
    """RAM of a host with all its services. `fits` is None where that cannot be said; `uncounted` have no budget: with
    any, `pinned_bytes` is what the others pin, and `left_bytes` at most what is left.

    `assumed` says that all RAM is taken for available, for want of a better figure.
    """

    available_bytes: int | None
    pinned_bytes: int
    left_bytes: int | None
    reserve_bytes: int
    fits: bool | None
    uncounted: tuple[str, ...] = ()
    assumed: bool = False


class ServiceChange(NamedTuple):
    """One service of one host, before and after.

    `load` is the time until it serves again (or at all), None where nothing starts or nothing is known. `diff` is of
    the unit's text, without secrets. `counterpart` is the other end of a move, as HOST/SERVICE; `leaves` says that it
    moves away from here. `hash_` is what decides the process, of a service that comes or goes.
    """

    host: str
    name: str
    kind: Kind
    reasons: tuple[Reason, ...] = ()
    before: ServiceMemory | None = None
    after: ServiceMemory | None = None
    load: LoadTime | None = None
    diff: tuple[str, ...] = ()
    counterpart: str | None = None
    leaves: bool = False
    hash_: str | None = None

    @property
    def subject(self) -> str:
        """HOST/SERVICE."""
        return f"{self.host}/{self.name}"

    @property
    def loses_capacity(self) -> bool:
        """Whether something that serves stops serving until a load is over."""
        return self.kind is Kind.RESTARTED or (self.kind is Kind.MOVED and not self.leaves)


class HostChange(NamedTuple):
    """One host that could differ. Findings are those of `check --units`, waived ones left out."""

    name: str
    presence: Literal["both", "added", "removed"]
    services: tuple[ServiceChange, ...] = ()
    ram_before: HostRam | None = None
    ram_after: HostRam | None = None
    new: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    kept: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    crashes: tuple[Crash, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything happens on the host."""
        return any(each.kind is not Kind.UNTOUCHED for each in self.services)


class Revision(NamedTuple):
    """One side. `name` is as a person says it, `commit` its full id, None for the working tree."""

    name: str
    commit: str | None


class Lost(NamedTuple):
    """Capacity that a change costs: seconds of loading summed over services. `unknown` services are not in the sum."""

    seconds: int
    services: int
    unknown: int
    is_least: bool
    estimated: bool


class Plan(NamedTuple):
    """Two revisions, and what differs. `hosts` are those that could differ, by name; all others are the same bytes.

    `causes` are files that move more than one host. `others` is how many hosts were not looked at, None where nobody
    counted.
    """

    before: Revision
    after: Revision
    hosts: tuple[HostChange, ...] = ()
    causes: tuple[str, ...] = ()
    files: int = 0
    others: int | None = None
    new: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    kept: tuple[Finding, ...] = ()

    @property
    def services(self) -> tuple[ServiceChange, ...]:
        """All services of the hosts that were looked at."""
        return tuple(each for host in self.hosts for each in host.services)

    @property
    def changed(self) -> tuple[ServiceChange, ...]:
        """Services to which something happens, by host."""
        return tuple(each for each in self.services if each.kind is not Kind.UNTOUCHED)

    @property
    def counts(self) -> dict[Kind, int]:
        """How many services of each kind; a move counts once."""
        counts = dict.fromkeys(Kind, 0)
        for each in self.services:
            counts[each.kind] += not (each.kind is Kind.MOVED and each.leaves)
        return counts

    @property
    def lost(self) -> Lost:
        """Minutes of lost capacity, summed."""
        losing = [each for each in self.services if each.loses_capacity]
        loads = [each.load for each in losing if each.load is not None]
        return Lost(
            seconds=sum(load.seconds for load in loads),
            services=len(losing),
            unknown=len(losing) - len(loads),
            is_least=any(load.origin == "at-least" for load in loads),
            estimated=any(load.origin == "estimated" for load in loads),
        )

    @property
    def all_new(self) -> tuple[Finding, ...]:
        """New findings, of the fleet's own files first."""
        return (*self.new, *(each for host in self.hosts for each in host.new))

    @property
    def all_gone(self) -> tuple[Finding, ...]:
        """Findings that are gone."""
        return (*self.gone, *(each for host in self.hosts for each in host.gone))

    @property
    def all_kept(self) -> tuple[Finding, ...]:
        """Findings that both sides have."""
        return (*self.kept, *(each for host in self.hosts for each in host.kept))

    @property
    def errors(self) -> int:
        """Errors of what would be: with any, it cannot be applied as it stands."""
        return sum(each.severity == "error" for each in (*self.all_new, *self.all_kept))

    @property
    def crashes(self) -> tuple[Crash, ...]:
        """Rules of sgfleet that broke: nothing is known of what they would have said."""
        return tuple(each for host in self.hosts for each in host.crashes)
