"""A flag that the release requires is missing, such as the model's path.

## What it does

Looks for every flag that the release's parser requires, by any of its names. Where the host's facts know checkpoints,
the help names them.

## Why

The parser refuses a command line without it: a service without `model-path` never starts.

## Bad

```yaml
flags:
  model-path: null
```

## Good

```yaml
flags:
  model-path: /srv/models/Qwen3-8B
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("FLG012", "missing-required-flag", Severity.ERROR, "machine")

_EXAMPLES = {"model-path": "/srv/models/Qwen3-8B"}
_LISTED = 6
"""Checkpoints of a host that are named."""


def check(view: MachineView) -> Iterator[Problem]:
    """Required flags that nobody gives."""
    args = arguments(view)
    if view.release is None or args is None:
        return
    for flag in view.release.flags:
        if not flag.required or args.may_be_said(flag.name):
            continue
        if any(name in view.service.flags or name in view.service.secrets for name in flag.names):
            continue
        yield Problem(
            ("flags",),
            f"{flag.name} is missing: SGLang {view.service.release} does not start without it",
            "key",
            help=_help(view, flag.name),
            based_on=(f"schema/sglang/{view.service.release}.json",),
        )


def _help(view: MachineView, name: str) -> str:
    found = view.facts.checkpoints if name == "model-path" and view.facts is not None else ()
    if not found:
        return f"add `{name}: {_EXAMPLES.get(name, 'VALUE')}`"
    first, *others = (each.path for each in found)
    if not others:
        return f"add `{name}: {first}`"
    if len(found) > _LISTED:
        return f"add `{name}: {first}`, or the path of another of the {len(found)} checkpoints there"
    return f"add `{name}: {first}`, or the path of another checkpoint there: {', '.join(others)}"
