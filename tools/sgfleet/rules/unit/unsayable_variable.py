"""A variable that no process can receive.

## What it does

Looks for NUL characters, halves of surrogate pairs and Unicode noncharacters in the values under `environment:`, and
for values that are longer than the kernel takes.

## Why

systemd drops such an assignment with a line in the journal and starts the service without it.

## Bad

```yaml
environment:
  MARK: "\\uffff"
```

## Good

```yaml
environment:
  MARK: "-"
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT016", "unsayable-variable", Severity.ERROR, "service")

_UNSAYABLE = (
    "[\0\ud800-\udfff\ufdd0-\ufdef"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
    + "]"
)
"""Compiled when first used: few values are more than printable ASCII."""
_LONGEST_BYTES = 131_071
"""One `NAME=VALUE`: the kernel's MAX_ARG_STRLEN less the NUL."""


def check(view: ServiceView) -> Iterator[Problem]:
    """Values that do not arrive."""
    for name, value in view.service.environment.items():
        if not isinstance(value, str):
            continue
        plain = value.isascii() and value.isprintable()
        if found := None if plain else re.search(_UNSAYABLE, value):
            message = f"{name} holds U+{ord(found[0]):04X}, and systemd drops a variable with it"
            yield Problem(("environment", name), message, help="write the value without it", based_on=("systemd 252",))
        elif len(name) + 1 + len(value.encode(errors="replace")) > _LONGEST_BYTES:
            message = f"{name} is longer than the {_LONGEST_BYTES:,} bytes that the kernel takes for one variable"
            yield Problem(
                ("environment", name),
                message,
                help="put it into a file that the service reads",
                based_on=("Linux, MAX_ARG_STRLEN",),
            )
