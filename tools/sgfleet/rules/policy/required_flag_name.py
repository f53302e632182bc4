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
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import FleetView

RULE = Rule("POL006", "required-flag-name", Severity.ERROR, "fleet")


def check(view: FleetView) -> Iterator[Problem]:
    """Names that no release declares."""
    if not view.policy.required_flags:
        return
    from sgfleet.engine.argv.history import history

    known = history()
    for position, name in enumerate(view.policy.required_flags):
        if not known or f"--{name}" in known:
            continue
        spelt = name.lstrip("-").replace("_", "-")
        if f"--{spelt}" in known:
            help_ = f"write {spelt}"
        else:
            from sgfleet.engine.argv.near import nearest

            near = nearest(spelt, [option.removeprefix("--") for option in known])
            help_ = f"did you mean {' or '.join(near)}?" if near else "remove it"
        yield Problem(
            ("policy", "required-flags", position),
            f"no release of SGLang has a flag {name}",
            help=help_,
            based_on=("schema/sglang/index.json",),
        )
