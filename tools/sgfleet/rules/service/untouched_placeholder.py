"""A service that still holds what `sgfleet init` wrote.

## What it does

Looks whether `model-path` or `why` is the text of the placeholder that `sgfleet init` begins a host with.

## Why

The placeholder is a whole service, so that one sees what to fill in, and every other rule finds it sound. Merged, it
becomes a unit that looks for a model of the name MODEL, fails, and is started again.

## Bad

```yaml
flags:
  model-path: /srv/models/MODEL
```

## Good

```yaml
flags:
  model-path: /srv/models/qwen3-8b
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.placeholder import MODEL, WHY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV013", "untouched-placeholder", Severity.ERROR, "service")

_BASIS = ("what sgfleet init writes",)


def check(view: ServiceView) -> Iterator[Problem]:
    """Texts that somebody was to replace."""
    args = arguments(view)
    path = args.text("model-path") if args is not None else view.service.flags.get("model-path")
    if path == MODEL:
        yield Problem(
            ("flags", "model-path") if args is None else args.route("model-path"),
            f"{MODEL} is the placeholder that sgfleet init wrote: there is no such model",
            help="put the folder of a checkpoint on the host in its place, or a model's name on Hugging Face",
            based_on=_BASIS,
        )
    if view.service.why == WHY:
        yield Problem(
            ("why",),
            "this is the placeholder that sgfleet init wrote",
            help="say in its place what the service serves, and for whom; or remove `why`",
            based_on=_BASIS,
        )
