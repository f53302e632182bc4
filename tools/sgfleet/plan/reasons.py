"""Why a service changes: what its specification says otherwise, in the operator's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.plan.records import Reason
from sgfleet.plan.words import change_words, value_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.engine.release import Release
    from sgfleet.spec.resolve import Resolved

_BY_KEY: Final = ("secrets", "environment", "unit", "start")
_WITHOUT_EFFECT: Final = frozenset({"waive"})
_ABSENT: Final = object()


class Difference(NamedTuple):
    """One setting that is not the same: the way to it, and both values (None: not given)."""

    route: tuple[str, ...]
    before: Any
    after: Any
    words: str
    path: str | None

    @property
    def is_flag(self) -> bool:
        """Whether it is a flag of SGLang."""
        return self.route[0] == "flags"

    def reason(self, consequence: str | None = None) -> Reason:
        """As it is told."""
        return Reason(self.words, consequence, self.path)


def differences(
    before: Resolved, after: Resolved, release_before: Release | None, release_after: Release | None
) -> list[Difference]:
    """Everything that the two say differently and that can change a unit; what SGLang defaults to is named."""
    return list(_all(before, after, release_before, release_after))


def _all(before: Resolved, after: Resolved, old: Release | None, new: Release | None) -> Iterator[Difference]:
    was = before.service.model_dump(mode="json", exclude=set(_WITHOUT_EFFECT))
    now = after.service.model_dump(mode="json", exclude=set(_WITHOUT_EFFECT))
    yield from _flags(before, after, old, new)
    for key in (*was, *(key for key in now if key not in was)):
        if key == "flags" or was.get(key) == now.get(key):
            continue
        if key in _BY_KEY and isinstance(was.get(key), dict) and isinstance(now.get(key), dict):
            for name in sorted({*was[key], *now[key]}):
                one, other = was[key].get(name), now[key].get(name)
                if one != other:
                    words = change_words(_label(key, name), _words(name, one), _words(name, other))
                    yield Difference((key, name), one, other, words, _path(before, after, (key, name)))
        elif key == "why":
            yield Difference((key,), was[key], now[key], "why was rewritten", _path(before, after, (key,)))
        else:
            words = change_words(key, _words(key, was.get(key)), _words(key, now.get(key)))
            yield Difference((key,), was.get(key), now.get(key), words, _path(before, after, (key,)))


def _flags(before: Resolved, after: Resolved, old: Release | None, new: Release | None) -> Iterator[Difference]:
    was, now = before.service.flags, after.service.flags
    for earlier, later in _pairs(before, after, old, new):
        one = _ABSENT if earlier is None else was[earlier]
        other = _ABSENT if later is None else now[later]
        name = str(later or earlier)
        if one != other or type(one) is not type(other):
            words = change_words(name, _or_default(name, one, old), _or_default(name, other, new))
        elif earlier != name:
            words = f"{earlier} is written as {name}, another name of the same flag"
        else:
            continue
        route = ("flags", name)
        yield Difference(route, _known(one), _known(other), words, _path(before, after, route))


def _pairs(
    before: Resolved, after: Resolved, old: Release | None, new: Release | None
) -> list[tuple[str | None, str | None]]:
    """The names under which each flag was given and is given, None where it is not. An option is the same flag in every
    release that has it, wherever the release stores its value; another name of it is found by what either release, or
    the way from one to the other, says of both.
    """
    both = before.service.flags.keys() & after.service.flags.keys()
    pairs: list[tuple[str | None, str | None]] = [(name, name) for name in both]
    left = [name for name in before.service.flags if name not in both]
    right = [name for name in after.service.flags if name not in both]
    for name in left:
        match = next((each for each in right if _is_same(name, each, before, after, old, new)), None)
        if match is not None:
            right.remove(match)
        pairs.append((name, match))
    pairs += [(None, name) for name in right]
    return sorted(pairs, key=lambda pair: _key(pair, before, after))


def _key(pair: tuple[str | None, str | None], before: Resolved, after: Resolved) -> str:
    earlier, later = pair
    return after.names.get(later, later) if later is not None else before.names.get(str(earlier), str(earlier))


def _is_same(
    earlier: str, later: str, before: Resolved, after: Resolved, old: Release | None, new: Release | None
) -> bool:
    if old is None or new is None or old.version == new.version:
        names = after.names or before.names
        return names.get(earlier, earlier) == names.get(later, later)
    from sgfleet.adopt.move import name_in

    return (
        name_in(earlier, old, new, None) == later
        or name_in(later, new, old, None) == earlier
        or _are_aliases(earlier, later, old, new)
    )


def _are_aliases(one: str, other: str, *releases: Release) -> bool:
    """Whether a release has one flag with both names."""
    return any((flag := each.by_name.get(one)) is not None and other in flag.names for each in releases)


def _known(value: Any) -> Any:
    return None if value is _ABSENT else value


def _or_default(name: str, value: Any, release: Release | None) -> str | None:
    """A flag's value in words; where it is not given, the release's own default if that says anything."""
    if value is not _ABSENT:
        return value_words(name, value)
    flag = release.by_name.get(name) if release is not None else None
    default = release.defaults.get(flag.dest) if release is not None and flag is not None else None
    if not isinstance(default, bool | int | float | str):
        return None
    return f"{value_words(name, default)} (default)"


def _words(name: str, value: Any) -> str | None:
    return None if value is None else value_words(name, value)


def _label(key: str, name: str) -> str:
    return name if key == "unit" else f"start {name}" if key == "start" else f"{key} {name}"


def _path(before: Resolved, after: Resolved, route: tuple[str, ...]) -> str | None:
    """The file that says it; where nothing does any more, the one that did."""
    for resolved in (after, before):
        if (origin := resolved.origin(route)) is not None:
            return origin.document.path
    return None
