"""A `python` that is no interpreter's path.

## What it does

Looks whether the last part of `python` is named like an interpreter, and for blanks in it.

## Why

`python` is one path and nothing splits it: with `/usr/bin/env python3` systemd looks for a program of that whole name,
and with a folder it starts nothing. The service fails with status 203.

## Bad

```yaml
python: /usr/bin/env python3
```

## Good

```yaml
python: /opt/sglang-0.5.9/bin/python3
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV012", "interpreter-with-arguments", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """A path with arguments, or of something else."""
    path = view.service.python
    name = path.rpartition("/")[2]
    if " " in name or " -" in path:
        yield Problem(
            ("python",),
            f"{quoted(path)} is one path: nothing splits it at its blanks",
            help="write the path of the interpreter alone, such as /opt/sglang-0.5.9/bin/python3",
            based_on=("systemd.service(5), ExecStart=",),
        )
    elif name and "py" not in name.lower():
        inside = f"{path}/bin/python3"
        yield Problem(
            ("python",),
            f"{quoted(path)} is not named like an interpreter of Python",
            help=f"write the interpreter itself, such as {quoted(inside)} if this is an environment",
            based_on=("the path of the interpreter",),
            severity=Severity.WARNING,
        )
