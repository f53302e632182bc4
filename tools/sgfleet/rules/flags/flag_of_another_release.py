"""A flag that other releases have and this one has not.

## What it does

Looks up names that the release does not declare in the index of all committed releases, and says when the flag came,
when it went, and what the last release that had it names in its place.

## Why

SGLang adds and removes flags in every release, post releases included. A spec that moves to another release, or a
line copied from a newer document, is refused by the parser.

## Bad

The flag was removed in 0.5.10.

```yaml
release: "0.5.10"
flags:
  disable-hicache-numa-detect: true
```

## Good

```yaml
release: "0.5.9"
flags:
  disable-hicache-numa-detect: true
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.flags._names import undeclared
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG005", "flag-of-another-release", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Names that are flags of other releases."""
    for name in undeclared(view):
        if name.fault != "unknown":
            continue
        from sgfleet.engine.argv.advice import elsewhere_of

        release = view.service.release
        said = elsewhere_of(f"--{name.written.lstrip('-').replace('_', '-')}", release)
        if said is not None:
            yield Problem(
                name.route,
                f"SGLang {release} has no flag {quoted(name.written)}",
                "key",
                help=said.replace("--", ""),
                based_on=(f"schema/sglang/{release}.json", "schema/sglang/index.json"),
            )
