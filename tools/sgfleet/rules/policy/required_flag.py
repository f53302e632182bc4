"""A flag that the fleet's policy requires.

## What it does

Looks for every flag of `policy: {required-flags: }` among the service's flags and secrets, by any of its names.

## Why

The policy says what every service must decide for itself, such as its served name, instead of taking a default.

## Bad

```yaml
flags:
  port: 30000
```
```yaml
policy:
  required-flags: [served-model-name]
```

## Good

```yaml
flags:
  served-model-name: qwen3-8b
```
```yaml
policy:
  required-flags: [served-model-name]
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

RULE = Rule("POL001", "required-flag", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Required flags that are not given."""
    service, args = view.service, arguments(view)
    for name in view.policy.required_flags:
        if name in service.flags or name in service.secrets:
            continue
        flag = view.release.by_name.get(name) if view.release is not None else None
        if flag is not None and any(other in service.flags or other in service.secrets for other in flag.names):
            continue
        if args is not None and args.may_be_said(name):
            continue  # under a name that is spelt wrong, which another rule says
        if flag is not None and flag.required:
            continue  # the release itself requires it, and a rule of its own says so
        if view.release is not None and flag is None:
            message = f"the policy requires {name}, which SGLang {service.release} does not have"
            help_ = f"use a release that has {name}, or change the policy"
        else:
            message, help_ = f"the policy requires {name}", f"add `{name}: VALUE` under `flags:`"
        yield Problem(("flags",), message, "key", help=help_, based_on=("fleet.yaml policy.required-flags",))
