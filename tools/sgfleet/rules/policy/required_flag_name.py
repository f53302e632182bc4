"""A name in the policy that is no flag's.

## What it does

Looks at the names under `policy: {required-flags: }`: with dashes in front, with underscores, or known to no release.

## Why

A name that no service can ever give makes every service wrong, and the finding there says nothing about the policy.

## Bad

```yaml
policy:
  required-flags: [served_model_name]
```

## Good

```yaml
policy:
  required-flags: [served-model-name]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.policy._names import correction
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import FleetView

RULE = Rule("POL006", "required-flag-name", Severity.ERROR, "fleet")


def check(view: FleetView) -> Iterator[Problem]:
    """Names that no release declares."""
    for position, name in enumerate(view.policy.required_flags):
        help_ = correction(name)
        if help_ is not None:
            yield Problem(
                ("policy", "required-flags", position),
                f"no release of SGLang has a flag {name}",
                help=help_,
                based_on=("schema/sglang/index.json",),
            )
