"""Names and examples as they stand in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.source.emit import flow, scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgfleet.spec.models.base import Expect

_LONGEST_QUOTED: Final = 80


def name_of(route: Sequence[str | int]) -> str:
    """A route as people say it: `unit.restart-sec`, `gpus[0].memory-mib`."""
    name = ""
    for step in route:
        name += f"[{step}]" if isinstance(step, int) else f".{scalar(step)}"
    return name.removeprefix(".")


def quoted(word: str | int) -> str:
    """A word that somebody wrote, whatever characters it holds, cut to a length that a line can take."""
    text = str(word)
    return repr(text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]}...")


def spans(indices: Iterable[int]) -> str:
    """`0 to 7` for what is without gaps, else each of them."""
    ordered = sorted(set(indices))
    if len(ordered) > 2 and ordered[-1] - ordered[0] == len(ordered) - 1:
        return f"{ordered[0]} to {ordered[-1]}"
    return ", ".join(map(str, ordered))


def gpus_there(indices: Iterable[int]) -> str:
    """What GPUs a host has, after "it has"."""
    said = spans(indices)
    return f"GPU{'' if said.isdecimal() else 's'} {said}" if said else "no GPU"


def such_as(expected: Expect) -> str | None:
    """`such as 30s, 15m or 1h30m`; None without examples."""
    *first, last = [flow(example) for example in expected.examples] or [""]
    return f"such as {', '.join(first)}{' or ' if first else ''}{last}" if last else None
