"""What changes on the command line from one release to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.flag import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release

_MEANING: Final = ("action", "type", "nargs", "const", "dest", "required", "semantics", "opaque")


@dataclass(frozen=True, slots=True)
class Removed:
    """An option string that the new release does not declare. `stays_as`: a name of the same flag that it still has."""

    option: str
    stays_as: str | None


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A flag that takes fewer values. `lost` is None where any value was taken; `left` are the choices of now."""

    option: str
    lost: tuple[Any, ...] | None
    left: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A flag of which something is not what it was: its default, or (`what`) a part of what it means.

    A default is what the server holds where nobody gives the flag, None also where it then holds nothing.
    """

    option: str
    what: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Difference:
    """From `old` to `new`, each list in the order of the parser that still has, or already has, the flag."""

    old: str
    new: str
    removed: tuple[Removed, ...]
    added: tuple[str, ...]
    narrowed: tuple[Narrowed, ...]
    defaults: tuple[Changed, ...]
    meaning: tuple[Changed, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the command line is the same in every respect that is compared."""
        return not (self.removed or self.added or self.narrowed or self.defaults or self.meaning)


def difference(old: Release, new: Release) -> Difference:
    """Compare two releases flag by flag; flags are the same when they share an option string."""
    before = {option: flag for flag in old.flags for option in flag.options}
    after = {option: flag for flag in new.flags for option in flag.options}
    pairs = [(flag, _successor(flag, after)) for flag in old.flags]
    removed = [
        Removed(option, successor.options[0] if successor is not None else None)
        for flag, successor in pairs
        for option in flag.options
        if option not in after
    ]
    both = [(flag, successor) for flag, successor in pairs if successor is not None]
    return Difference(
        old=old.version,
        new=new.version,
        removed=tuple(removed),
        added=tuple(option for option in after if option not in before),
        narrowed=tuple(found for flag, successor in both if (found := _narrowed(flag, successor)) is not None),
        defaults=tuple(_defaults(old, new, both)),
        meaning=tuple(change for flag, successor in both for change in _meaning(flag, successor)),
    )


def _successor(flag: Flag, after: dict[str, Flag]) -> Flag | None:
    return next((after[option] for option in flag.options if option in after), None)


def _name(flag: Flag, successor: Flag) -> str:
    return next(option for option in flag.options if option in successor.options)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _defaults(old: Release, new: Release, both: list[tuple[Flag, Flag]]) -> Iterator[Changed]:
    """Where the server holds something else when nobody gives a flag: said of the flag, and not of its aliases too."""
    told: dict[tuple[str, str], Flag] = {}
    for flag, successor in sorted(both, key=lambda pair: pair[1].default == SUPPRESSED):
        told.setdefault((flag.dest, successor.dest), flag)
    for flag, successor in both:
        before, after = old.defaults.get(flag.dest), new.defaults.get(successor.dest)
        if told[flag.dest, successor.dest] is flag and not _same(before, after):
            yield Changed(_name(flag, successor), "default", before, after)


def _narrowed(flag: Flag, successor: Flag) -> Narrowed | None:
    if successor.choices is None:
        return None
    if flag.choices is None:
        return Narrowed(_name(flag, successor), None, successor.choices)
    lost = tuple(choice for choice in flag.choices if choice not in successor.choices)
    return Narrowed(_name(flag, successor), lost, successor.choices) if lost else None


def _meaning(flag: Flag, successor: Flag) -> list[Changed]:
    name = _name(flag, successor)
    changes = [
        Changed(name, what, getattr(flag, what), getattr(successor, what))
        for what in _MEANING
        if not _same(getattr(flag, what), getattr(successor, what))
    ]
    if flag.deprecation != successor.deprecation:
        changes.append(Changed(name, "deprecated", _deprecated(flag), _deprecated(successor)))
    return changes


def _deprecated(flag: Flag) -> str | None:
    if flag.deprecation is None:
        return None
    instead = flag.deprecation.instead
    return f"{flag.deprecation.effect}, use {instead}" if instead else flag.deprecation.effect
