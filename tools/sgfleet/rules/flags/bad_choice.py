"""A value that is not among the flag's choices.

## What it does

Holds the values of flags that have choices in this release against them, lists item by item. A choice that the
release offers only when an environment variable is set counts when the service sets that variable.

## Why

The parser refuses the command line. Choices change from release to release: `fp4_e2m1` was a KV cache type until
0.5.20, and 0.5.21 wants `nvfp4`.

## Bad

```yaml
flags:
  schedule-policy: first-come
```

## Good

```yaml
flags:
  schedule-policy: fcfs
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.engine.argv.values import choice_help
from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory import backend_without_kernels
from sgfleet.rules.rule import MachineView, Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments, Wrong
    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG008", "bad-choice", Severity.ERROR, "service")

_TRUE = ("1", "true", "True", "TRUE", "yes", "on", "y", "t")


def check(view: ServiceView) -> Iterator[Problem]:
    """Values outside their choices."""
    args = arguments(view)
    for wrong in args.wrong.values() if args is not None else ():
        if wrong.problem.kind == "bad-choice" and args is not None and not _switched_on(view, args, wrong):
            yield Problem(
                wrong.route,
                wrong.problem.message,
                help=_help(view, wrong),
                based_on=(f"schema/sglang/{view.service.release}.json",),
            )


def _help(view: ServiceView, wrong: Wrong) -> str | None:
    """The choices, without those that another rule is sure to refuse on the GPUs of this host.

    Only words hang on the machine here: whether there is a finding follows from the service.
    """
    choices = wrong.flag.choices
    if not isinstance(view, MachineView) or choices is None:
        return wrong.problem.help
    refused = backend_without_kernels.refused(
        view, wrong.flag.name, [each for each in choices if isinstance(each, str)]
    )
    left = tuple(each for each in choices if each not in refused)
    if not refused or not left:
        return wrong.problem.help
    return choice_help(wrong.flag._replace(choices=left), view.service.flags[wrong.name])


def _switched_on(view: ServiceView, args: Arguments, wrong: Wrong) -> bool:
    """Whether the service sets the variable that adds the choice."""
    value = view.service.flags[wrong.name]
    return any(
        value in choices.get(wrong.flag.name, ()) and str(view.service.environment.get(variable)) in _TRUE
        for variable, choices in args.release.environment.items()
    )
