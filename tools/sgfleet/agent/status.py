"""What people and programs are told of a host: a line a service, with what happens next. Pure.

It stands on whatever is left: what the agent remembers, and where nothing is, on the keys in the installed units.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.agent.outcome import BLOCKED, CODES, PENDING
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT
from sgfleet.agent.seen import Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgfleet.agent.installed import Installed
    from sgfleet.agent.state import HostState, ServiceState
    from sgfleet.agent.store import Freeze

FORMAT: Final = 1
UNKNOWN: Final = "unknown"
"""The state of a service that stands on the host and of which nothing is remembered."""
_DIGITS: Final = 12


class There(NamedTuple):
    """A service as it stands. `systemd`: `active (running)`, "" where nobody was asked. `failing`: signs in its log."""

    installed: Installed
    systemd: str = ""
    failing: tuple[str, ...] = ()


class Row(NamedTuple):
    """One service. `since_seconds`: since 1970. Hashes are of units; `desired` is None where main was not read."""

    service: str
    state: str
    since_seconds: float | None
    reason: Reason | None
    next: str | None
    commit: str
    installed: str
    verified: str
    previous: str
    desired: str | None
    drift: Reason | None
    quarantined: tuple[tuple[str, Reason], ...]
    there: There | None


class Overview(NamedTuple):
    """One host. `frozen` is the freeze that holds now; `refused`: the commit of main that is not taken, and why."""

    host: str
    commit: str
    rows: tuple[Row, ...]
    frozen: Freeze | None = None
    refused: tuple[str, Reason] | None = None
    trouble: Reason | None = None
    offline: tuple[float, Reason] | None = None
    moved_seconds: float | None = None

    @property
    def code(self) -> int:
        """The exit code: 0 steady, 10 pending, 20 blocked, 30 rolled back, 40 broken; the highest counts."""
        whole = 0 if self.commit else PENDING
        if self.refused or self.trouble or self.offline:
            whole = BLOCKED
        return max([whole, *(CODES.get(row.state, PENDING) for row in self.rows)])


def overview(
    host: str, state: HostState | None, freeze: Freeze | None, there: Mapping[str, There], now_seconds: float
) -> Overview:
    """`there`: every unit of this host that is installed. Without a state, they tell alone."""
    if freeze is not None and freeze.until_seconds is not None and freeze.until_seconds <= now_seconds:
        freeze = None
    services = state.services if state is not None else {}
    rows = tuple(_row(name, services.get(name), there.get(name)) for name in sorted({*services, *there}))
    if state is None:
        return Overview(host, "", rows, freeze)
    moved = state.moved_seconds or None
    return Overview(host, state.head, rows, freeze, state.refused, state.trouble, state.offline, moved)


def _row(name: str, state: ServiceState | None, there: There | None) -> Row:
    installed = there.installed.unit if there else ABSENT
    commit = there.installed.commit if there else ""
    if state is None or state.shown is None:
        reason = Reason("no-record", "nothing is remembered of it")
        return Row(
            name, UNKNOWN, None, reason, _next(UNKNOWN, reason, name), commit, installed, "", "", None, None, (), there
        )
    record, shown = state.record, state.shown
    return Row(
        name,
        shown.word,
        shown.since_seconds,
        shown.reason,
        _next(shown.word, shown.reason, name),
        commit,
        installed,
        record.verified,
        record.previous,
        None if state.wanted.refusal is not None else state.wanted.unit,
        _drift(state, there),
        record.quarantine,
        there,
    )


def _drift(state: ServiceState, there: There | None) -> Reason | None:
    """Whether the host has something else than what the agent put there."""
    if there is not None and there.installed.foreign is not None:
        return there.installed.foreign
    record, reason = state.record, state.shown.reason if state.shown else None
    if reason is not None and reason.code in {"drift", "drop-in", "foreign"}:
        return reason
    stands = there.installed.unit if there else ABSENT
    if record.attempt is None and record.verified != ABSENT and stands != record.verified:
        return Reason("drift", "its unit file is not the one that was verified")
    return None


def _next(word: str, reason: Reason | None, name: str) -> str | None:
    """What happens next, or what a person has to do for it."""
    if word == UNKNOWN:
        return "the next tick holds it against its gate: sgfleet agent tick"
    match Word(word):
        case Word.STEADY:
            return reason.help if reason else None
        case Word.PENDING if reason is not None and reason.code == "confirm":
            return f"sgfleet agent confirm {name}"
        case Word.PENDING:
            return reason.help if reason and reason.help else "it goes on by itself"
        case Word.FROZEN:
            return "sgfleet agent unfreeze"
        case Word.BLOCKED:
            return reason.help if reason and reason.help else "put it right; it is tried again by itself"
        case Word.ROLLED_BACK:
            return f"commit something else or revert; if the host was to blame: sgfleet agent retry {name}"
        case Word.BROKEN:
            return f"journalctl -u {name}.service, then: sgfleet agent retry {name}"
    return "it goes on by itself"


def lines(told: Overview) -> Iterator[str]:
    """The text form: what holds for the host, then one line a service."""
    commit = f"main is at {told.commit[:_DIGITS]}" if told.commit else "main was not read yet"
    yield f"{told.host}: {commit}" + (f", taken {_when(told.moved_seconds)}" if told.moved_seconds else "")
    if told.frozen is not None:
        until = f" until {_when(told.frozen.until_seconds)}" if told.frozen.until_seconds is not None else ""
        yield f"{told.host}: frozen{until}: {told.frozen.reason}; next: sgfleet agent unfreeze"
    if told.refused is not None:
        yield f"{told.host}: {told.refused[0][:_DIGITS]} is refused: {_said(told.refused[1])}"
    if told.trouble is not None:
        yield f"{told.host}: {_said(told.trouble)}"
    if told.offline is not None:
        yield f"{told.host}: offline since {_when(told.offline[0])}: {_said(told.offline[1])}"
    if not told.rows:
        yield f"{told.host}: no service"
    width = max((len(row.service) for row in told.rows), default=0)
    for row in told.rows:
        yield _line(row, width)
        for sign in row.there.failing if row.there else ():
            yield f"  {'':<{width}}  its journal: {sign}"


def _line(row: Row, width: int) -> str:
    parts = [f"{row.service:<{width}}  {row.state}"]
    if row.since_seconds is not None:
        parts.append(f"since {_when(row.since_seconds)}")
    if row.commit:
        parts.append(f"commit {row.commit[:_DIGITS]}")
    text = ", ".join(parts)
    if row.reason is not None:
        text += f": {row.reason}"
    if row.drift is not None and row.drift != row.reason:
        text += f" (drift: {row.drift})"
    return f"{text}; next: {row.next}" if row.next else text


def _said(reason: Reason) -> str:
    return f"{reason}; next: {reason.help}" if reason.help else str(reason)


def _when(seconds: float | None) -> str:
    """A moment, in UTC: hosts stand in several zones. One that no calendar has is a damaged clock."""
    try:
        return datetime.fromtimestamp(seconds or 0.0, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return "an unknown time"


def as_json(told: Overview) -> dict[str, Any]:
    """The form for programs: schema/output/agent-status.schema.json."""
    freeze = told.frozen
    return {
        "format": FORMAT,
        "host": told.host,
        "code": told.code,
        "commit": told.commit or None,
        "taken_seconds": told.moved_seconds,
        "frozen": freeze._asdict() if freeze is not None else None,
        "refused": {"commit": told.refused[0], **told.refused[1]._asdict()} if told.refused else None,
        "trouble": _plain(told.trouble),
        "offline": {"since_seconds": told.offline[0], **told.offline[1]._asdict()} if told.offline else None,
        "services": {row.service: _service(row) for row in told.rows},
    }


def _service(row: Row) -> dict[str, Any]:
    return {
        "state": row.state,
        "since_seconds": row.since_seconds,
        "reason": _plain(row.reason),
        "next": row.next,
        "commit": row.commit or None,
        "installed": row.installed or None,
        "verified": row.verified or None,
        "previous": row.previous or None,
        "desired": row.desired or None,
        "drift": _plain(row.drift),
        "quarantined": [{"unit": unit, **reason._asdict()} for unit, reason in row.quarantined],
        "systemd": row.there.systemd if row.there and row.there.systemd else None,
        "journal": list(row.there.failing) if row.there else [],
    }


def _plain(reason: Reason | None) -> dict[str, Any] | None:
    return reason._asdict() if reason is not None else None
