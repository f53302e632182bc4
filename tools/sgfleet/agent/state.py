"""Everything that the agent remembers of a host, and its form on disk.

It is small, and can be lost: units carry their identity, the repository is signed, and what was verified is verified
again by its gate (`begin`). So a file that is damaged counts as none.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.agent.reason import Reason
from sgfleet.agent.record import Attempt, Phase, Record
from sgfleet.agent.seen import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORMAT: Final = 1


class DamagedStateError(ValueError):
    """The text is no state that this version wrote."""


class Clock(NamedTuple):
    """When a phase began: seconds of the clock that counts from boot, suspended time included, and which boot."""

    phase: str
    boot: str
    at_seconds: float


class Shown(NamedTuple):
    """What people are told of a service, and since when (seconds since 1970)."""

    word: str
    reason: Reason | None
    since_seconds: float

    @property
    def code(self) -> str | None:
        """What kind of reason it is."""
        return None if self.reason is None else self.reason.code


class Load(NamedTuple):
    """What a verified start came to: the next one of the same service is held against it."""

    unit: str
    seconds: float
    kv_tokens: int | None


class Sampled(NamedTuple):
    """What a loading service had used at some moment: see `budget.Sample`."""

    at_seconds: float
    cpu_seconds: float | None
    memory_bytes: int | None
    read_bytes: int | None
    journal_lines: int | None


class ServiceState(NamedTuple):
    """One service. `asked` is when the host was last asked whether it takes what is wanted, and how long to
    wait. `untidy`: what was staged could not be removed."""

    record: Record = Record()
    wanted: Wanted = Wanted()
    clock: Clock | None = None
    shown: Shown | None = None
    load: Load | None = None
    samples: tuple[Sampled, ...] = ()
    asked: tuple[str, float, float] | None = None
    untidy: bool = False


class HostState(NamedTuple):
    """`head`: the last commit that was verified. `read`: commit and tool for which `wanted` of the services holds.

    `refused`: the commit on main that is not taken, with the reason; `trouble`: why nothing can be said of the host as
    a whole. `offline_since`: seconds since 1970. `confirmed`: service and unit that a person let in.
    `counts`: attempts that ended, by their result (`metrics.RESULTS`).
    """

    head: str = ""
    read: str = ""
    services: Mapping[str, ServiceState] = {}
    refused: tuple[str, Reason] | None = None
    trouble: Reason | None = None
    offline: tuple[float, Reason] | None = None
    confirmed: tuple[str, ...] = ()
    moved_seconds: float = 0.0
    counts: Mapping[str, int] = {}


def encode(state: HostState) -> bytes:
    """The text, with a checksum over it."""
    body = json.dumps(_plain(state), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    digest = hashlib.sha256(body.encode()).hexdigest()
    return f'{{"format":{FORMAT},"sha256":"{digest}","state":{body}}}\n'.encode()


def decode(text: bytes) -> HostState:
    """The state that a text holds.

    Raises:
        DamagedStateError: it is torn, changed, or of another format.
    """
    head, separator, rest = text.partition(b',"state":')
    try:
        outer = json.loads(head + b"}")
        body = rest.removesuffix(b"}\n")
        if not separator or not rest.endswith(b"}\n") or outer["format"] != FORMAT:
            raise DamagedStateError("not a state of this format")
        if hashlib.sha256(body).hexdigest() != outer["sha256"]:
            raise DamagedStateError("its checksum does not fit")
        return _host(json.loads(body))
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise DamagedStateError(str(error)) from None


def _plain(value: Any) -> Any:
    """Named tuples as objects, so that the file can be read by people; an enumeration by its value."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    if isinstance(value, Phase):
        return value.value
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _host(data: dict[str, Any]) -> HostState:
    return HostState(
        head=str(data["head"]),
        read=str(data["read"]),
        services={str(name): _service(each) for name, each in data["services"].items()},
        refused=_maybe(data["refused"], lambda pair: (str(pair[0]), _reason(pair[1]))),
        trouble=_maybe(data["trouble"], _reason),
        offline=_maybe(data["offline"], lambda pair: (float(pair[0]), _reason(pair[1]))),
        confirmed=tuple(map(str, data["confirmed"])),
        moved_seconds=float(data["moved_seconds"]),
        counts={str(result): int(number) for result, number in data.get("counts", {}).items()},
    )


def _service(data: dict[str, Any]) -> ServiceState:
    return ServiceState(
        record=_record(data["record"]),
        wanted=Wanted(str(data["wanted"]["unit"]), _maybe(data["wanted"]["refusal"], _reason)),
        clock=_maybe(data["clock"], lambda each: Clock(**each)),
        shown=_maybe(
            data["shown"],
            lambda each: Shown(each["word"], _maybe(each["reason"], _reason), float(each["since_seconds"])),
        ),
        load=_maybe(data["load"], lambda each: Load(**each)),
        samples=tuple(Sampled(**each) for each in data["samples"]),
        asked=_maybe(data["asked"], lambda each: (str(each[0]), float(each[1]), float(each[2]))),
        untidy=bool(data.get("untidy", False)),
    )


def _record(data: dict[str, Any]) -> Record:
    return Record(
        verified=str(data["verified"]),
        previous=str(data["previous"]),
        attempt=_maybe(data["attempt"], _attempt),
        quarantine=tuple((str(unit), _reason(reason)) for unit, reason in data["quarantine"]),
        broken=_maybe(data["broken"], _reason),
        again=bool(data["again"]),
    )


def _attempt(data: dict[str, Any]) -> Attempt:
    values = {**data, "phase": Phase(data["phase"]), "why": _maybe(data["why"], _reason)}
    return Attempt(**values)


def _reason(data: dict[str, Any]) -> Reason:
    return Reason(**data)


def _maybe(value: Any, read: Callable[[Any], Any]) -> Any:
    return None if value is None else read(value)
