"""An interpreter whose folder names another release than the spec.

## What it does

Looks for a version behind `sglang` in the path of `python`, and compares it with `release`. Where the host's facts
say which release that interpreter has, they are believed, and the name of its folder is not looked at.

## Why

The spec is held against the flags of `release`, and what runs is what is installed where `python` lies. After an
upgrade that changed only one of them the check says nothing about the server that starts.

## Bad

```yaml
release: "0.5.9"
python: /opt/sglang-0.5.12/bin/python3
```

## Good

```yaml
release: "0.5.9"
python: /opt/sglang-0.5.9/bin/python3
```

## See also

`FCT004` compares with what was found on the host.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("SRV010", "interpreter-of-another-release", Severity.WARNING, "machine")

_VERSION = re.compile(r"sglang[-_/]?v?(\d+\.\d+\.\d+)(?:[.-]?post(\d+))?(?![\d.]*\d)", re.IGNORECASE)


def check(view: MachineView) -> Iterator[Problem]:
    """A path that says another version."""
    service = view.service
    found = _VERSION.search(service.python) if "sglang" in service.python.lower() else None
    if found is None or _known(view):
        return
    named = found[1] + (f".post{found[2]}" if found[2] else "")
    final = service.release.partition(".post")[0]
    if named not in (service.release, final):
        yield Problem(
            ("python",),
            f"{service.python} is named for SGLang {named}, and the release is {service.release}",
            help=f'write `release: "{named}"`, or the interpreter of {service.release}',
            based_on=("the path of the interpreter",),
            related=((("release",), "the release"),),
        )


def _known(view: MachineView) -> bool:
    """Whether somebody has looked which release stands behind the interpreter."""
    environments = view.facts.environments if view.facts is not None else ()
    return any(each.python == view.service.python and each.release is not None for each in environments)
