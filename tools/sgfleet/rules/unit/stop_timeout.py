"""A stop that is cut short, or never ends.

## What it does

Finds a `timeout-stop-sec` of 0, which systemd takes for infinity, and one below 10 s.

## Why

After SIGTERM the server finishes what it is generating; after the timeout systemd kills what is left. With less than
a few seconds every request is lost, and ranks that are killed in the middle of a transfer may leave the GPU busy.
Without a timeout a rank that hangs is never killed, and the service can neither be stopped nor restarted.

## Bad

```yaml
unit:
  timeout-stop-sec: 0s
```

## Good

```yaml
unit:
  timeout-stop-sec: 60s
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT006", "stop-timeout", Severity.WARNING, "service")

_SHORTEST_SECONDS = 10


def check(view: ServiceView) -> Iterator[Problem]:
    """A stop timeout that is none, or too short."""
    seconds = view.service.unit.timeout_stop_sec
    if seconds >= _SHORTEST_SECONDS:
        return
    if seconds == 0:
        message = "timeout-stop-sec 0s is no timeout: a rank that hangs is never killed"
    else:
        message = f"timeout-stop-sec {seconds}s kills ranks before they have ended"
    yield Problem(
        ("unit", "timeout-stop-sec"), message, help="write 60s", based_on=("systemd.service(5), TimeoutStopSec=",)
    )
