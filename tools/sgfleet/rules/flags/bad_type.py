"""A value of the wrong kind for its flag.

## What it does

Holds each value against what the release's parser reads: a number where a number is due, text in quotes where text is
due, a list where several values are due, true or false where the flag takes no value, JSON where the flag takes JSON.
Nothing is coerced: `"8"` is text and no number.

## Why

The parser refuses what it cannot read. Worse are values that it can read and that mean something else, such as a
release written as the number 5.10.

## Bad

```yaml
flags:
  tp-size: "8"
```

## Good

```yaml
flags:
  tp-size: 8
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.secret_names import names_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Wrong
    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG009", "bad-type", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Values that the parser would not read, or not as they are meant."""
    args = arguments(view)
    for wrong in args.wrong.values() if args is not None else ():
        if wrong.problem.kind == "bad-type" and not _secret(view, wrong.name):
            yield Problem(
                wrong.route,
                wrong.problem.message,
                help=_as_written(view, wrong),
                based_on=(f"schema/sglang/{view.service.release}.json",),
            )


def _secret(view: ServiceView, name: str) -> bool:
    """Whether another rule has more to say of it: that it must not stand here at all."""
    return names_secret(name) and isinstance(view.service.flags[name], list | dict)


def _as_written(view: ServiceView, wrong: Wrong) -> str | None:
    """The help; where it puts a number into quotes, with the digits that the file has: 010 is not 10 as a text."""
    help_ = wrong.problem.help
    if help_ is None or not help_.startswith(_QUOTE) or view.written is None:
        return help_
    text = view.written(wrong.route)
    return f'{_QUOTE} "{text}"' if text else help_


_QUOTE: Final = "write it in quotes:"
