"""A context that the model does not have.

## What it does

Compares `context-length` with the context that the release derives from the model's own configuration: its longest
position, times the factor of a plain rope scaling. Nothing is said where `json-model-override-args` may change it, or
`SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN` allows more. Where the model is only known by its name, or a file of the
host may hold that variable, it is a warning; so it is from 0.4.4 to 0.4.10.post2, which take more by default.

## Why

A release that refuses more does so before it loads anything, and with `restart: always` for ever. One that takes it
answers beyond what the model was trained on.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  context-length: 131072
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  context-length: 40960
```

## See also

`MEM004` context-over-kv-pool, which asks whether such a request fits into memory; `MEM027` draft-context-too-short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory._context import ALLOWS, OVERRIDES, longer_context
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM026", "context-over-model", Severity.ERROR, "machine")

_FLAG = "context-length"


def check(view: MachineView) -> Iterator[Problem]:
    """More positions than the model was made for."""
    args = arguments(view)
    if args is None or view.memory is None or args.said(_FLAG) is None or args.may_be_said(OVERRIDES):
        return
    fate = longer_context(view)
    if fate == "meant":
        return
    from sgfleet.memory.of_host import Unknown

    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return
    asked, shape = service.settings.context_length, service.load.shape
    if asked is None or shape.context_length is None or asked <= shape.context_length:
        return
    exact = shape.source.match == "exact"
    yield Problem(
        args.route(_FLAG),
        f"the model has a context of {shape.context_length:,} tokens, and context-length asks for {asked:,}"
        + (f", which SGLang {view.service.release} takes" if fate == "taken" else ""),
        arithmetic=(f"{asked:,} > {shape.context_length:,}",),
        help=f"write {shape.context_length} at most; who knows that the model can do more sets {ALLOWS} to 1",
        based_on=(
            shape.source.name if exact else f"{shape.source.name}, by its name",
            f"SGLang {view.service.release}, srt/configs/model_config.py",
        ),
        severity=None if exact and fate == "refused" and not view.service.environment_files else Severity.WARNING,
    )
