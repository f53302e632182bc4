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
from sgfleet.rules.policy._names import correction, releases_with
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
        message, help_ = f"the policy requires {name}", f"add `{name}: VALUE` under `flags:`"
        if view.release is not None and flag is None:
            message, help_ = _of_no_use(name, service.release)
        yield Problem(("flags",), message, "key", help=help_, based_on=("fleet.yaml policy.required-flags",))


def _of_no_use(name: str, release: str) -> tuple[str, str]:
    """What to say of a flag that cannot be given."""
    instead = correction(name)
    if instead is not None:  # the rule about the policy says so too, where all of the fleet is looked at
        return f"the policy requires {name}, which no release of SGLang has", f"in fleet.yaml's policy: {instead}"
    there = releases_with(name)
    which = f"a release that has {name}" if there is None else f"a release with {name} ({there})"
    return f"the policy requires {name}, which SGLang {release} does not have", f"use {which}, or change the policy"
