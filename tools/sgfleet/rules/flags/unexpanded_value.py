"""A value that looks as if a shell would expand it.

## What it does

Looks for `$NAME`, `${NAME}` and `~/` in the values of flags.

## Why

No shell reads a systemd unit. The renderer writes such characters so that the engine gets them as they stand: SGLang
then looks for a folder that is really called `$HOME`. And what looks like no folder is taken for a model of the hub.

## Bad

```yaml
flags:
  model-path: ~/models/Qwen3-8B
```

## Good

```yaml
flags:
  model-path: /home/sglang/models/Qwen3-8B
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route, ServiceView

RULE = Rule("FLG013", "unexpanded-value", Severity.WARNING, "service")

_EXPANDABLE = re.compile(r"\A~[a-z_][a-z0-9_-]*/|\A~(?:/|\Z)|\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})")


def check(view: ServiceView) -> Iterator[Problem]:
    """Text with a variable or a tilde in it."""
    for name, value in view.service.flags.items():
        for route, text in _texts(("flags", name), value):
            if ("$" in text or text.startswith("~")) and (found := _EXPANDABLE.search(text)):
                yield Problem(
                    route,
                    f"{quoted(name)} has {found[0].rstrip('/')}, which nothing expands",
                    help="write the value itself; for a secret see `secrets:`",
                    based_on=("systemd starts the engine without a shell",),
                )


def _texts(route: Route, value: Any) -> Iterator[tuple[Route, str]]:
    if isinstance(value, str):
        yield route, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                yield (*route, index), item
