"""A flag that the release requires is missing, such as the model's path.

## What it does

Looks for every flag that the release's parser requires, by any of its names.

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

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG012", "missing-required-flag", Severity.ERROR, "service")

_EXAMPLES = {"model-path": "/srv/models/Qwen3-8B"}


def check(view: ServiceView) -> Iterator[Problem]:
    """Required flags that nobody gives."""
    args = arguments(view)
    if view.release is None or args is None:
        return
    for flag in view.release.flags:
        if not flag.required or args.may_be_said(flag.name):
            continue
        if any(name in view.service.flags or name in view.service.secrets for name in flag.names):
            continue
        example = _EXAMPLES.get(flag.name, "VALUE")
        yield Problem(
            ("flags",),
            f"{flag.name} is missing: SGLang {view.service.release} does not start without it",
            "key",
            help=f"add `{flag.name}: {example}`",
            based_on=(f"schema/sglang/{view.service.release}.json",),
        )
