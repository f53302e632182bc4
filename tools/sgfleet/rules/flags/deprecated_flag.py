"""A flag that the release has deprecated.

## What it does

Says what the release does with the flag: it refuses to start (an error), it ignores the value (a warning), it warns
and obeys (a warning), or only its help text says that the flag will go (a note).

## Why

A deprecated flag is gone a few releases later, and with it the service's start. Some are worse: the flag is still
accepted, and what it asked for no longer happens.

## Bad

0.5.9 accepts the flag and does nothing.

```yaml
flags:
  prefill-round-robin-balance: true
```

## Good

```yaml
flags:
  load-balance-method: round_robin
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG006", "deprecated-flag", Severity.WARNING, "service")

_EFFECTS = {
    "rejects": (Severity.ERROR, "is deprecated, and SGLang {release} refuses to start with it"),
    "ignored": (Severity.WARNING, "is deprecated and has no effect in SGLang {release}"),
    "alias": (Severity.WARNING, "is deprecated in SGLang {release}: it sets another flag, with a warning"),
    "warns": (Severity.WARNING, "is deprecated in SGLang {release}: it works, with a warning"),
    "help": (Severity.NOTE, "is deprecated in SGLang {release}, though it still works"),
}


def check(view: ServiceView) -> Iterator[Problem]:
    """Given flags that are deprecated."""
    if view.release is None:
        return
    for name, value in view.service.flags.items():
        flag = view.release.by_name.get(name)
        if flag is None or flag.deprecation is None or value is None or value is False:
            continue
        severity, words = _EFFECTS[flag.deprecation.effect]
        instead = flag.deprecation.instead
        yield Problem(
            ("flags", name),
            f"{name} {words.format(release=view.service.release)}",
            "key",
            help=f"use {instead.removeprefix('--')}" if instead else "remove it",
            based_on=(f"schema/sglang/{view.service.release}.json",),
            severity=severity,
        )
