"""Changes in a YAML file that leave every other byte where it is: a pull request of one line for a change of one value.

What comes out is read again and compared with what was asked for. Where the layout of the file makes a change unsafe (a
comment would be lost, a list would have to be taken apart), the edit is refused and the file stays as it was.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sgfleet.source import emit, splice
from sgfleet.source.problems import SourceError
from sgfleet.source.read import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.findings import Place
    from sgfleet.source.document import Document, Route


class EditError(Exception):
    """An edit that cannot be done, or not safely; `place` is what stands in its way."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


def put(document: Document, route: Route, value: Any) -> str:
    """The file's text with `value` at the end of the route, whether something stands there already or not."""
    return replace(document, route, value) if document.holds(route) else insert(document, route, value)


def replace(document: Document, route: Route, value: Any) -> str:
    """The file's text with another value at the end of the route. Text in quotes keeps their kind.

    Raises:
        EditError: nothing stands there, or it cannot be replaced safely.
    """
    return _edited(document, route, splice.replacement, value)


def insert(document: Document, route: Route, value: Any) -> str:
    """The file's text with a new key behind the last one of its mapping. Mappings that are missing on the way come too.

    Raises:
        EditError: the key is there, or what it should stand in is no mapping.
    """
    return _edited(document, route, splice.insertion, value)


def rename(document: Document, route: Route, key: str) -> str:
    """The file's text with another name for the key at the end of the route; its value and its place stay.

    Raises:
        EditError: there is no such key, or the new one stands there already.
    """
    above = route[:-1]
    old = document.node(above)
    found = None if old is None else old.key(route[-1])
    if not document.holds(route) or found is None:
        raise EditError("nothing stands there", document.place(route))
    if document.holds((*above, key)):
        raise EditError(f"{key} stands there already", document.place((*above, key)))
    text = document.text
    text = text[: found.start.index] + emit.scalar(key) + text[found.end.index :]
    wanted = _with(_with(document.data, route), (*above, key), _held(document.data, route))
    if not _same(read_text(text, document.path).data, wanted):
        raise EditError("this cannot be changed safely here: edit the file by hand", document.place(route))
    return text


def _held(data: Any, route: Route) -> Any:
    for step in route:
        data = data[step]
    return data


def remove(document: Document, route: Route) -> str:
    """The file's text without a key and its value. A mapping that loses its last key becomes `{}`.

    Comments in lines of their own stay; a comment in the lines of the value goes with it.

    Raises:
        EditError: there is no such key, or it cannot be removed safely.
    """
    return _edited(document, route, splice.removal)


def _edited(document: Document, route: Route, work: Callable[..., list[splice.Cut]], *value: Any) -> str:
    if not route:
        raise EditError("a file as a whole is not edited", document.place())
    try:
        cuts = work(document, route, *value)
    except splice.UnsafeError as error:
        place = document.place(route) if error.index is None else document.lines.at(error.index)
        raise EditError(str(error), place) from None
    except (TypeError, ValueError) as error:
        raise EditError(str(error), document.place(route)) from None
    text = document.text
    for cut in sorted(cuts, reverse=True):
        text = text[: cut.start] + cut.text + text[cut.end :]
    wanted = _with(document.data, route, *value)
    try:
        read = read_text(text, document.path).data
    except SourceError:
        read = None
    if not _same(read, wanted):
        raise EditError("this cannot be changed safely here: edit the file by hand", document.place(route))
    return text


def _with(data: Any, route: Route, *value: Any) -> Any:
    """A copy of the data with another value at the end of the route, or without that key."""
    first, rest = route[0], route[1:]
    if isinstance(data, list):
        return [_with(each, rest, *value) if rest and at == first else value[0] if at == first else each
                for at, each in enumerate(data)]  # fmt: skip
    changed = dict(data or {})
    if rest:
        changed[str(first)] = _with(changed.get(str(first)), rest, *value)
    elif value:
        changed[str(first)] = value[0]
    else:
        del changed[str(first)]
    return changed


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same, types included: 1, 1.0 and true are three."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(each, other[key]) for key, each in one.items())
    if isinstance(one, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    return bool(one == other)
