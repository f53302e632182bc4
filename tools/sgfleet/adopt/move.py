"""What a service's flags become in another release: new names, what is gone, what no longer means the same."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sgfleet.engine.argv.history import history
from sgfleet.engine.argv.values import check_value
from sgfleet.engine.difference import difference
from sgfleet.engine.store import SchemaError, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sgfleet.engine.difference import Changed
    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release
    from sgfleet.spec.models.service import Service


@dataclass(slots=True)
class Move:
    """`renamed`: old name -> new one, which takes the same value for the same thing.

    `refused`: name -> why the new release does not take it, and what a person may do. `notes` are lines about what is
    taken and may not be what it was: `changed` for flags that are given, `defaults` for those that are not.
    """

    renamed: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    defaults: list[str] = field(default_factory=list)


def move(service: Service, old: Release, new: Release, root: Path | None = None) -> Move:
    """Hold the flags of a service of the old release against the new one. `root` is where schemas come first from."""
    found = Move()
    given = {**service.flags, **dict.fromkeys(service.secrets)}
    for name, value in given.items():
        _one(name, value, old, new, root, found)
    names = {found.renamed.get(name, name) for name in given}
    same = {f"--{each}" for name in names if name in new.by_name for each in new.by_name[name].names}
    change = difference(old, new)
    found.changed = [_arrow(each) for each in change.meaning if each.option in same and each.what != "dest"]
    held = {new.by_name[name].dest for name in names if name in new.by_name}
    found.defaults = [
        _arrow(each) for each in change.defaults if new.by_name[each.option.removeprefix("--")].dest not in held
    ]
    return found


def _one(name: str, value: Any, old: Release, new: Release, root: Path | None, found: Move) -> None:
    target = name_in(name, old, new, root)
    if target is None:
        past = history(root).get(f"--{name}")
        instead = f"; it was to be replaced by {past.instead}" if past and past.instead else ""
        found.refused[name] = (
            f"SGLang {new.version} has no flag {name}{instead}: take it out, or write what replaces it"
        )
        return
    flag = new.by_name[target]
    if flag.deprecation is not None and flag.deprecation.effect == "rejects":
        instead = f": use {flag.deprecation.instead}" if flag.deprecation.instead else ""
        found.refused[name] = f"SGLang {new.version} refuses to start with {name}{instead}"
        return
    problem = None if value is None else check_value(flag, value, target)
    if problem is not None:
        found.refused[name] = f"{problem.message}{f'; {problem.help}' if problem.help else ''}"
    elif target != name:
        found.renamed[name] = target


def name_in(name: str, old: Release, new: Release, root: Path | None) -> str | None:
    """The name under which the new release stores the same thing; None where that is not known for certain."""
    flag = new.by_name.get(name)
    if flag is not None:
        return _alias_of(flag, new) or name
    before = old.by_name.get(name)
    stays = next((each for each in (before.names if before else ()) if each in new.by_name), None)
    if stays is not None:
        return stays
    past = history(root).get(f"--{name}")
    if past is None:
        return None
    try:
        last = load(past.spans[-1].last, root)
    except SchemaError:
        return None
    flag = last.by_name.get(name)
    target = _alias_of(flag, last) if flag is not None else None
    return target if target in new.by_name else None


def _alias_of(flag: Flag, release: Release) -> str | None:
    """The name that the release itself says to use, where both set the same thing from the same values."""
    if flag.deprecation is None or flag.deprecation.instead is None:
        return None
    name = flag.deprecation.instead.removeprefix("--")
    other = release.by_name.get(name)
    if other is None or (other.dest, other.nargs, other.type) != (flag.dest, flag.nargs, flag.type):
        return None
    return name


def _arrow(change: Changed) -> str:
    what = "" if change.what == "default" else f"{change.what} "
    return f"{change.option.removeprefix('--')}: {what}{_shown(change.before)} -> {_shown(change.after)}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, default=str)


def lines(found: Move) -> Iterator[tuple[str, str]]:
    """(label, line) of everything that a person has to know."""
    yield from (("renamed", f"{old} -> {new}") for old, new in found.renamed.items())
    yield from (("error", line) for line in found.refused.values())
    yield from (("changed", line) for line in found.changed)
    yield from (("default", line) for line in found.defaults)
