"""A flag that is given and says nothing.

## What it does

Looks for flags whose text is empty or only blanks, where the release does not take that for "not given".

## Why

`served-model-name: ""` serves a model that no request can name, and `api-key: ""` a server without a key. Mostly the
value was to come from somewhere else, such as a template or a variable, and did not.

## Bad

```yaml
flags:
  served-model-name: ""
```

## Good

```yaml
flags:
  served-model-name: qwen3-8b
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG019", "empty-text", Severity.WARNING, "service")

_NAMES: Final = frozenset(("model-path", "served-model-name", "tokenizer-path"))
"""Flags whose empty text leaves the server without what it is for."""


def check(view: ServiceView) -> Iterator[Problem]:
    """Text without a sign in it, in lists as well."""
    args = arguments(view)
    if args is None:
        return
    for given in args.given.values():
        flag, value = given.flag, given.value
        if flag.takes_json or flag.choices is not None or flag.default == value or flag.type == "nullable_str":
            continue
        texts = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, text in texts:
            if isinstance(text, str) and not text.strip():
                yield Problem(
                    given.route if index is None else (*given.route, index),
                    f"{quoted(given.name)} is given, and says nothing: the text is {'empty' if not text else 'blank'}",
                    help=f"write a value, or leave {quoted(given.name)} out",
                    based_on=(f"schema/sglang/{view.service.release}.json",),
                    severity=Severity.ERROR if flag.name in _NAMES else None,
                )
