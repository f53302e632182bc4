"""What somebody meant with a key that does not exist.

Such a key is one finding: what it is taken for is not said to be missing as well, since the help of that would be to
write it a second time.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from sgfleet.spec.models.expectation import Hint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sgfleet.source.document import Route
    from sgfleet.spec.models.base import Model

_ELSEWHERE = {
    "policy": "policy stands in fleet.yaml",
    "services": "services stand in hosts/<host>/host.yaml",
    "host": "the host's name stands at the top of its own files",
}
"""Keys of other files."""


def advice(key: str, model: type[Model], above: Sequence[str | int], known: Mapping[str, Any]) -> str:
    """A line of help: a near key here, the same key elsewhere, or the keys that there are."""
    if near := taken_for(key, known):
        return f"did you mean {' or '.join(near)}?"
    if there := _elsewhere(key, model, above):
        *where, same = there
        return f"{same} stands " + (f"under {'.'.join(where)}" if where else "one level up")
    if elsewhere := _ELSEWHERE.get(key):
        return elsewhere
    if not above and "flags" in known:
        return "a flag of SGLang stands under flags, a setting of systemd under unit"
    return f"known are {', '.join(known)}"


def meant(key: str, model: type[Model], above: Sequence[str | int], known: Mapping[str, Any]) -> set[Route]:
    """The routes that `advice` names for a key: who reads it there is not told besides that they are missing."""
    if near := taken_for(key, known):
        return {(*above, each) for each in near}
    there = _elsewhere(key, model, above)
    return set() if there is None else {there}


def taken_for(key: str, known: Collection[str]) -> list[str]:
    """The keys of the same mapping that may have been meant."""
    if same := _same(key, known):
        return [same]
    word = key.lower().replace("_", "-")
    begun = [each for each in known if len(word) > 1 and each.startswith(word)]
    swapped = [each for each in known if len(word) > 2 and sorted(each) == sorted(word)]
    return begun or swapped or difflib.get_close_matches(word, known, n=3, cutoff=0.75)


def _elsewhere(key: str, model: type[Model], above: Sequence[str | int]) -> tuple[str, ...] | None:
    """The way to the same key in another mapping of the model."""
    for where, there in _sections(Hint(model)):
        if list(where) != list(above) and (same := _same(key, there)):
            return (*where, same)
    return None


def _plain(key: str) -> str:
    """`RestartSec`, `restart_sec` and `restart-sec` are the same word."""
    return key.replace("-", "").replace("_", "").replace(" ", "").lower()


def _same(key: str, known: Collection[str]) -> str | None:
    return next((each for each in known if _plain(each) == _plain(key)), None)


def _sections(hint: Hint, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Collection[str]]]:
    """The mappings of a model that have keys of their own, from the outermost in."""
    fields = hint.fields()
    if fields:
        yield above, fields
    for key, field in fields.items():
        yield from _sections(Hint.of(field.annotation), (*above, key))
