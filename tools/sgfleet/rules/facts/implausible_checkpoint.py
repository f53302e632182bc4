"""A checkpoint of a size that no checkpoint has.

## What it does

Looks for `total-bytes` of checkpoints below 64 KiB and above 128 TiB.

## Why

Where the headers of a checkpoint were not read, its weights are made to add up to this figure. And of a clone without
Git LFS the files are there, a hundred bytes each: the server then fails after the old one was stopped.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus: []
memory: {}
checkpoints:
  - {path: /srv/models/Kimi-K2.5, total-bytes: 547}
```

## Good

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus: []
memory: {}
checkpoints:
  - {path: /srv/models/Kimi-K2.5, total-bytes: 547000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView

RULE = Rule("FCT012", "implausible-checkpoint", Severity.ERROR, "host")

_LEAST_BYTES: Final = 64 * 1024
"""The smallest checkpoints that tests use have more."""
_MOST_BYTES: Final = 2**47
_SOURCE: Final = "the sum over its weight files in bytes"
_POINTERS: Final = "; files of a hundred bytes are pointers of Git LFS: `git lfs pull` there, then `sgfleet facts`"


def check(view: HostView) -> Iterator[Problem]:
    """Sizes in another unit, and folders that hold no weights."""
    for position, each in enumerate(view.facts.checkpoints if view.facts is not None else ()):
        size = each.total_bytes
        if size is None or _LEAST_BYTES <= size <= _MOST_BYTES:
            continue
        yield Problem(
            ("facts", "checkpoints", position, "total-bytes"),
            f"{quoted(each.path)} on {view.host} is said to have {size:,} bytes of weights",
            help=_help(size),
            based_on=(f"hosts/{view.host}/facts.yaml checkpoints",),
        )


def _help(size: int) -> str:
    from sgfleet.memory.plausible import GB_FIRST, meant
    from sgfleet.memory.units import GB
    from sgfleet.rules.facts._units import instead

    found = meant(size, GB_FIRST, lambda each: GB / 10 <= each <= 4000 * GB)
    return instead("total-bytes", size, "bytes", found, _SOURCE) + (_POINTERS if size < _LEAST_BYTES else "")
