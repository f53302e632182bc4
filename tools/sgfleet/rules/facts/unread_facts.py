"""Facts that could not be read, and why.

## What it does

Repeats what `sgfleet facts` wrote under `unknown:`, each fact with its reason. Where an earlier reading is still in the
file, it says so: what needs it is checked with that one.

## Why

What is unknown is not checked, and a clean check is worth that much less. What was read earlier may not be so any more.
The reason often says what to do: a program that is missing, a folder that may not be read.

## Bad

```yaml
host: example-01
services:
  chat: {}
```
```yaml
# facts.yaml
gpus: []
unknown:
  limits.memory-bytes: no permission to read /sys/fs/cgroup/memory.max
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
limits: {memory-bytes: infinity}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sgfleet.rules.rule import HostView
    from sgfleet.spec.models.facts import Facts

RULE = Rule("FCT008", "unread-facts", Severity.NOTE, "host")

_SHOWN = 8
"""Facts that are named with their reasons; the rest is counted."""
_PARTS = frozenset({"gpus", "memory", "numa", "limits", "software"})
"""Parts whose earlier figures stay when they cannot be read."""


def check(view: HostView) -> Iterator[Problem]:
    """All of `unknown:` in one note."""
    facts = view.facts
    if facts is None or not facts.unknown:
        return
    used = {name: what for name in facts.unknown if (what := _used(facts, name)) is not None}
    reasons = [
        f"{quoted(name)}: {quoted(why)}{f'; used: {used[name]}' if name in used else ''}"
        for name, why in facts.unknown.items()
    ]
    more = [f"and {len(reasons) - _SHOWN} more"] if len(reasons) > _SHOWN else []
    said = []
    if missing := [name for name in facts.unknown if name not in used]:
        said.append(f"what needs {_these(missing, facts)} is not checked")
    if used:
        whats = set(used.values())
        what = whats.pop() if len(whats) == 1 else "what the file has"
        said.append(f"what needs {_these(used, facts)} is checked with {what}")
    yield Problem(
        ("facts", "unknown"),
        f"{_named(tuple(facts.unknown))} of {view.host} could not be read: {', and '.join(said)}",
        "key",
        arithmetic=(*reasons[:_SHOWN], *more),
        help="put the cause right and run `sgfleet facts` on the host again",
        based_on=(f"hosts/{view.host}/facts.yaml unknown",),
    )


def _named(names: tuple[str, ...]) -> str:
    first, *others = names
    more = f" and {len(others)} more fact{'s' if len(others) > 1 else ''}" if others else ""
    return f"{quoted(first)}{more}"


def _these(some: Collection[str], facts: Facts) -> str:
    """The words for some of what is unknown: "it" or "them" where that is all."""
    if len(some) == len(facts.unknown):
        return "them" if len(some) > 1 else "it"
    return _named(tuple(some))


def _used(facts: Facts, name: str) -> str | None:
    """What the file has of it all the same, and rules decide from; None where it has nothing."""
    part, _, key = name.partition(".")
    if part == "checkpoints":
        of_it = [vars(each) for each in facts.checkpoints if each.path == key]
        there = any(value is not None for each in of_it for field, value in each.items() if field != "path")
        return "what the file has of it" if there else None
    if part not in _PARTS:
        return None
    value = getattr(facts, part)
    # GPUs and NUMA nodes are lists, of which an empty one is an answer too; the others always have their keys.
    entries = {} if value is None or isinstance(value, tuple) else vars(value)
    if key:
        there = entries.get(key.replace("-", "_")) is not None
    else:
        there = isinstance(value, tuple) or any(each is not None for each in entries.values())
    if not there:
        return None
    reading = next((each for read, each in facts.read.items() if read == part), None)
    if reading is None or reading.when is None:
        return "figures of an earlier reading"
    # The rest of a section was read at that moment, and this figure was not.
    return f"{'figures from before' if key else 'the figures of'} {reading.when.date()}"
