"""A release that this repository has no flag schema of.

## What it does

Looks whether `schema/sglang/<release>.json` is there, in the repository or in what sgfleet was installed with.

## Why

Without the schema nothing is known of the release's flags: no name, no choice, no combination of the service was
checked. That is said once, here; the rules about flags say nothing.

## Bad

```yaml
release: "0.5.99"
```

## Good

```yaml
release: "0.5.9"
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("SRV001", "release-without-schema", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """A release that cannot be looked up."""
    if view.release is not None:
        return
    from sgfleet.engine import store, version

    release = view.service.release
    near = version.near(release, store.available())
    known = f"; the nearest known are {', '.join(near)}" if near else ""
    flags = len(view.service.flags)
    yield Problem(
        ("release",),
        f"there is no flag schema of SGLang {release}: {flags} flag{'s are' if flags != 1 else ' is'} not checked",
        help=f"run `sgfleet schema add {release}`{known}",
        based_on=("schema/sglang/",),
    )
