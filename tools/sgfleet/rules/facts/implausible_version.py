"""A version that belongs to something else.

## What it does

Looks at `software` for a CUDA version where the driver's is asked and the other way round, CUDA as the number that the
library counts it by (12080), a kernel that is a release of the distribution (24.04), and a systemd that is older than
183 or newer than 499: its numbers go up by two or three a year.

## Why

These are what a person looks up when a start fails on one host and not on its twin. Swapped figures send them the
wrong way.

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
software: {driver: "12.8", cuda: "570.133.20"}
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
software: {driver: "570.133.20", cuda: "12.8"}
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import HostView
    from sgfleet.spec.models.facts import Software

RULE = Rule("FCT015", "implausible-version", Severity.WARNING, "host")

_CUDA: Final = re.compile(r"(?:9|1\d|2\d)\.\d")
"""Two figures; drivers, those of embedded machines too (35.4.1), have three, or a first one of three digits."""
_DRIVER: Final = re.compile(r"\d{3,}\.\d.*")
_COUNTED: Final = re.compile(r"(\d{1,2})0(\d)0")
"""CUDA as a number: 1000 * major + 10 * minor."""
_MOST_KERNEL: Final = 9
_SYSTEMD: Final = range(183, 500)
"""Beyond, there is none within any lifetime of these facts."""


def check(view: HostView) -> Iterator[Problem]:
    """Versions that another program has."""
    for key, message, help_ in _wrong(view.facts.software) if view.facts is not None else ():
        yield Problem(
            ("facts", "software", key),
            f"{message} on {view.host}",
            help=f"write {help_}; `sgfleet facts` on the host does",
            based_on=(f"hosts/{view.host}/facts.yaml software",),
        )


def _wrong(software: Software) -> Iterator[tuple[str, str, str]]:
    """Which, what is said, and what to write."""
    driver, cuda, kernel, systemd = software.driver, software.cuda, software.kernel, software.systemd
    if driver is not None and _CUDA.fullmatch(driver):
        other = f"driver: {cuda}, or " if cuda is not None and _DRIVER.fullmatch(cuda) else ""
        yield "driver", f"{driver} is no version of NVIDIA's driver", f"{other}what nvidia-smi prints as driver_version"
    if cuda is not None and (_DRIVER.fullmatch(cuda) or _COUNTED.fullmatch(cuda)):
        counted = _COUNTED.fullmatch(cuda)
        way = f'cuda: "{counted[1]}.{counted[2]}", or ' if counted else ""
        if driver is not None and _CUDA.fullmatch(driver):
            way = f'cuda: "{driver}", or '
        yield "cuda", f"{quoted(cuda)} is no version of CUDA", f"{way}what nvidia-smi prints as CUDA Version"
    first = re.match(r"\d{1,9}(?=\.)", kernel or "")
    if first is not None and int(first[0]) > _MOST_KERNEL:
        yield "kernel", f"{quoted(kernel or '')} is no version of Linux", "what `uname -r` prints"
    if systemd is not None and systemd not in _SYSTEMD:
        yield "systemd", f"{systemd} is no version of systemd", "the number that `systemctl --version` begins with"
