"""A stop that leaves ranks running.

## What it does

Finds `kill-mode: process` and `kill-mode: none`.

## Why

Every GPU rank is a process of its own. These modes end the main process alone, or nothing: the ranks stay, hold their
GPU memory and their pinned host memory, and the next start finds no room.

## Bad

```yaml
unit:
  kill-mode: process
```

## Good

```yaml
unit:
  kill-mode: control-group
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT004", "ranks-left-behind", Severity.ERROR, "service")

_LEAVES = {"process": "the main process alone", "none": "nothing"}


def check(view: ServiceView) -> Iterator[Problem]:
    """A mode that does not end all processes."""
    mode = view.service.unit.kill_mode
    if mode in _LEAVES:
        yield Problem(
            ("unit", "kill-mode"),
            f"kill-mode {mode} ends {_LEAVES[mode]}: ranks stay and hold their GPUs",
            help="write control-group, or mixed where the main process should end its children first",
            based_on=("systemd.kill(5), KillMode=",),
        )
