"""Where a machine contradicts the facts of a host in what it is: then it is another one, or somebody rebuilt it. Pure.

A driver that was updated, RAM that was added or a folder that is gone are news of the same machine.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.memory.cards import words
from sgfleet.memory.plausible import MOST_BYTES, least_ram_bytes
from sgfleet.memory.units import gib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.facts.probe import Probe

_ANOTHER_ORDER: Final = 2.5
"""RAM that was doubled, or half of which failed, is the same machine's."""
_UNKNOWN: Final = "unknown"
"""The name of a GPU that does not say its own."""
_IDS: Final = ("uuid", "serial")


class Difference(NamedTuple):
    """What is here and what the file has. `fewer`: all that is here is in the file, and some GPUs of it are gone."""

    text: str
    fewer: bool = False


def differences(known: dict[str, Any], probe: Probe) -> list[Difference]:
    """What speaks against the file being this machine's. What one of both does not know speaks against nothing."""
    return [*_gpus(known.get("gpus"), probe.parts.get("gpus")), *_ram(known, probe.parts.get("memory") or {})]


def _gpus(before: list[dict[str, Any]] | None, now: list[dict[str, Any]] | None) -> Iterator[Difference]:
    if before is None or now is None:
        return
    gone, new = _unmatched(before, now)
    if not before and now:
        yield Difference(f"{_counted(now)} are seen, and the file says that there is no GPU")
    elif gone and not new:
        here = f"{len(now)} GPU{' is' if len(now) == 1 else 's are'} seen"
        yield Difference(f"{here}, and the file has {len(before)}", fewer=True)
    elif gone:
        yield Difference(f"{_counted(now)} are seen, and the file has {_counted(before)}")
    for key in _IDS if not gone else ():
        seen, kept = ({gpu[key] for gpu in gpus if key in gpu} for gpus in (now, before))
        if seen and kept and not seen & kept:
            yield Difference(f"no GPU that is seen has a {key} of the file")
            return


def _unmatched(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The names of GPUs that only the file has, and of those that only the machine has.

    A GPU that does not say its name may be any of the others.
    """
    gone = []
    new = [gpu["name"] for gpu in now if gpu["name"] != _UNKNOWN]
    nameless = len(now) - len(new)
    for name in sorted((gpu["name"] for gpu in before if gpu["name"] != _UNKNOWN), key=len, reverse=True):
        same = next((each for each in new if _same(name, each)), None)
        if same is not None:
            new.remove(same)
        elif nameless:
            nameless -= 1
        else:
            gone.append(name)
    spare = len(new) + nameless
    lost = sum(gpu["name"] == _UNKNOWN for gpu in before)
    gone += [_UNKNOWN] * max(0, lost - spare)
    return gone, new[min(lost, len(new)) :]


def _same(name: str, other: str) -> bool:
    """Whether two names may be of one card: people leave out the edition."""
    first, second = words(name), words(other)
    return first <= second or second <= first


def _counted(gpus: list[dict[str, Any]]) -> str:
    return ", ".join(f"{count} × {name}" for name, count in Counter(gpu["name"] for gpu in gpus).items()) or "0 GPUs"


def _ram(known: dict[str, Any], now: dict[str, Any]) -> Iterator[Difference]:
    memory, here = known.get("memory") or {}, now.get("total-bytes")
    total, available = memory.get("total-bytes"), memory.get("available-bytes")
    there = available if total is None else total
    least = least_ram_bytes(gpu.get("memory-mib") for gpu in known.get("gpus") or ())
    if here is None or there is None or not least <= there <= MOST_BYTES:  # a slip of whoever wrote it says nothing
        return
    if here * _ANOTHER_ORDER < there or (total is not None and here > total * _ANOTHER_ORDER):
        of_it = "" if total is not None else " available"
        yield Difference(f"{gib(here)} of RAM are here, and the file has {gib(there)}{of_it}")
