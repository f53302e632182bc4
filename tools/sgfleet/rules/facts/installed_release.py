"""A release in the spec that is not the one on the host.

## What it does

Looks up the service's interpreter among the environments in the host's facts, and compares the release that was found
in it with `release`. Where none could be read there, a warning says why.

## Why

The flags are held against one release and read by another. An upgrade of the spec before the upgrade of the host, or
the other way round, passes every other rule.

## Bad

```yaml
release: "0.5.9"
python: /opt/sglang/bin/python3
```
```yaml
# facts.yaml
gpus: []
memory: {}
environments:
  - {python: /opt/sglang/bin/python3, release: "0.5.8"}
```

## Good

```yaml
release: "0.5.9"
python: /opt/sglang/bin/python3
```
```yaml
# facts.yaml
gpus: []
memory: {}
environments:
  - {python: /opt/sglang/bin/python3, release: "0.5.9"}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.rules.rule import MachineView

RULE = Rule("FCT004", "installed-release", Severity.ERROR, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """Another release behind the interpreter, or an interpreter that was not found."""
    service, facts = view.service, view.facts
    if facts is None or not facts.environments:
        return
    basis = (f"hosts/{view.host}/facts.yaml environments",)
    found = [each for each in facts.environments if each.python == service.python]
    fitting = [each.python for each in facts.environments if each.release == service.release]
    if not found:
        yield Problem(
            ("python",),
            f"{service.python} is none of the environments that were found on {view.host}",
            help=_found_help(fitting, service.release),
            based_on=basis,
            severity=Severity.WARNING,
        )
        return
    installed = found[0].release
    if installed is None:
        why = facts.unknown.get(f"environments.{service.python}")
        yield Problem(
            ("python",),
            f"which SGLang {quoted(service.python)} has on {view.host} is not known{f': {quoted(why)}' if why else ''}",
            help=f"install {service.release} there, or run `sgfleet facts` again",
            based_on=basis,
            severity=Severity.WARNING if why else Severity.NOTE,
        )
    elif installed != service.release:
        yield Problem(
            ("release",),
            f"the release is {service.release}, and {service.python} has SGLang {installed}",
            help="".join(f"write `python: {each}`, or " for each in fitting[:1])
            + f'write `release: "{installed}"`, or install {service.release} on the host first',
            based_on=basis,
            related=((("python",), "the interpreter"),),
        )


def _found_help(fitting: Sequence[str], release: str) -> str:
    """Environments of the release; one of another would only move the finding to `release`."""
    if not fitting:
        return f"none of them has SGLang {release}: install it on the host, then run `sgfleet facts` again"
    one = f"write {fitting[0]}" if len(fitting) == 1 else f"write one of {', '.join(fitting)}"
    return f"{one}, or run `sgfleet facts` again"
