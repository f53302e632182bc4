"""Facts that leave open what a verdict needs.

## What it does

Looks for the parts of facts.yaml that rules decide from: the GPUs with their memory and compute capability, and the
RAM.

## Why

What is not known is not checked. Each part that is missing here is a part of the check that did not take place.

## Bad

```yaml
host: example-01
services:
  chat:
    flags: {tp-size: 2}
```
```yaml
# facts.yaml
memory: {total-bytes: 540000000000}
```

## Good

```yaml
host: example-01
services:
  chat:
    flags: {tp-size: 2}
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 540000000000, available-bytes: 528000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView
    from sgfleet.spec.models.facts import Facts

RULE = Rule("FCT002", "incomplete-facts", Severity.NOTE, "host")


def check(view: HostView) -> Iterator[Problem]:
    """Parts that nobody read."""
    if view.facts is None:
        return
    missing = list(_missing(view.facts))
    if missing:
        yield Problem(
            ("host",),
            f"the facts of {view.host} do not say {', '.join(missing)}: what needs that is not checked",
            help="run `sgfleet facts` on the host and commit what it writes",
            based_on=(f"hosts/{view.host}/facts.yaml",),
        )


def _missing(facts: Facts) -> Iterator[str]:
    if facts.gpus is None:
        yield "which GPUs it has"
    elif any(gpu.memory_mib is None for gpu in facts.gpus):
        yield "how much memory each GPU has"
    if any(gpu.compute_capability is None for gpu in facts.gpus or ()):
        yield "the GPUs' compute capability"
    if facts.memory.available_bytes is None and facts.memory.total_bytes is None:
        yield "how much RAM there is"
