"""A value that no command line can carry to the flag.

## What it does

Looks for items of lists that begin with a dash, for the word `--`, and for characters that no argument can hold.

## Why

SGLang's parser takes a word that begins with a dash for the next flag. A single value can be given as `--flag=-x`,
and is; among several words there is no such way.

## Bad

```yaml
flags:
  lora-paths: [-sql=/srv/models/sql, chat=/srv/models/chat]
```

## Good

```yaml
flags:
  lora-paths: [sql=/srv/models/sql, chat=/srv/models/chat]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG011", "unsayable-value", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Values that are right and cannot be said."""
    args = arguments(view)
    if args is None:
        return
    for name, value in view.service.flags.items():
        if not _suspect(value) or name in args.wrong or not args.has(name):
            continue
        from sgfleet.engine.argv.words import flags_to_argv

        for found in flags_to_argv(args.release, {name: value}).problems:
            if found.problem.kind == "no-word":
                yield Problem(
                    ("flags", name),
                    found.problem.message,
                    help=found.problem.help,
                    based_on=(f"schema/sglang/{view.service.release}.json",),
                )


def _suspect(value: Any) -> bool:
    """Whether it is worth a closer look: most values are not."""
    if isinstance(value, str):
        return value == "--" or not value.isprintable()
    return isinstance(value, list) and any(
        isinstance(item, str) and (item.startswith("-") or _suspect(item)) for item in value
    )
