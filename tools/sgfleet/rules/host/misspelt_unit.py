"""A dependency that is nearly the unit of another service of the host.

## What it does

Holds the units under `after`, `wants` and `requires` against the services of the host: a name that none of them has,
and that is one or two letters off one that there is, or spelt with other dashes, dots and underscores. Names that
differ in numbers alone, or in a single last letter that stands for one (`sglang-b` beside `sglang-a`), are let pass:
the other one may well be a unit that this repository does not know.

## Why

systemd takes any name. With `after` and `wants` a unit that does not exist is passed over without a word, and the
service starts without what it was to wait for. With `requires` it does not start at all: "Unit not found".

## Bad

```yaml
services:
  sglang-chat:
    gpus: [0]
    flags: {port: 30000}
  sglang-draft:
    gpus: [1]
    flags: {port: 30100}
    unit: {after: [sglang_chat.service]}
```

## Good

```yaml
services:
  sglang-chat:
    gpus: [0]
    flags: {port: 30000}
  sglang-draft:
    gpus: [1]
    flags: {port: 30100}
    unit: {after: [sglang-chat.service]}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("HST004", "misspelt-unit", Severity.WARNING, "host")

_SUFFIX: Final = ".service"
_SEPARATORS: Final = re.compile(r"[-_.:\\]+")
_NUMBER: Final = re.compile(r"[0-9]+")
_NUMBERED: Final = re.compile(r"(.*[^0-9-])-?[0-9]*")
_LETTERED: Final = re.compile(r"(.*[-0-9])[a-z]")
_LENGTHS: Final = (4, 8)
"""Letters of a name from which on one slip is believed, and two."""
_EFFECTS: Final = {
    "requires": "systemd does not start a unit that requires one which is not there",
    "wants": "systemd passes over a wanted unit that is not there",
    "after": "systemd passes over a unit that is not there",
}


def check(view: HostView) -> Iterator[Problem]:
    """Each name that is nearly another service's."""
    if len(view.services) + len(view.unresolved) < 2:
        return
    names = (*view.services, *view.unresolved)
    for name, service in view.services.items():
        unit = service.service.unit
        for key, units in (("after", unit.after), ("wants", unit.wants), ("requires", unit.requires)):
            for at, each in enumerate(units):
                meant = meant_by(each, (other for other in names if other != name))
                if meant is None or each.removesuffix(_SUFFIX) in names:
                    continue
                yield Problem(
                    ("services", name, "unit", key, at),
                    f"{each} is no service of {view.host}, and nearly {meant}{_SUFFIX}, which is one",
                    help=f"did you mean {meant}{_SUFFIX}?",
                    based_on=(f"the services of {view.host}", f"systemd.unit(5): {_EFFECTS[key]}"),
                    severity=Severity.ERROR if key == "requires" else None,
                )


def meant_by(unit: str, services: Iterable[str]) -> str | None:
    """The service whose unit was most likely meant; None for a name that is not like any."""
    if not unit.endswith(_SUFFIX):
        return None
    word = _SEPARATORS.sub("-", unit.removesuffix(_SUFFIX).lower())
    best: tuple[int, str] | None = None
    for name in services:
        known = _SEPARATORS.sub("-", name.lower())
        most = sum(min(len(word), len(known)) >= length for length in _LENGTHS)
        if abs(len(word) - len(known)) > most:
            continue
        apart = _apart(word, known)
        if apart and _is_another_of(word, known):
            continue
        if apart <= most and (best is None or apart < best[0]):
            best = apart, name
    return None if best is None else best[1]


def _is_another_of(word: str, known: str) -> bool:
    """Whether two names are one with another number or last letter: such units come in rows."""
    if _NUMBER.sub("#", word) == _NUMBER.sub("#", known):
        return True
    return any(one and one == other for one, other in zip(_stems(word), _stems(known), strict=True))


def _stems(word: str) -> tuple[str, str]:
    """A name without its number at the end, and one without its single last letter."""
    number, letter = _NUMBERED.fullmatch(word), _LETTERED.fullmatch(word)
    return number[1] if number else "", letter[1] if letter else ""


def _apart(one: str, other: str) -> int:
    """Letters left out, put in, changed or swapped between two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, against in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
