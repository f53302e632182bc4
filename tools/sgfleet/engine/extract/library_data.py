"""Builtins that make and go through collections, and that compute on plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import natives
from sgfleet.engine.extract.operators import iterate, truth
from sgfleet.engine.extract.values import Unknown, in_order, is_plain, unknown_in

if TYPE_CHECKING:
    from sgfleet.engine.extract.calls import Call

Answer = Callable[["Call"], Any]


_MISSING: Final = object()


def _elements(call: Call, value: object) -> list[Any] | Unknown:
    items = iterate(value, call.scope, call.node)
    return items if isinstance(items, Unknown) else list(items)


def collection(make: Callable[[list[Any]], Any]) -> Answer:
    """`list(...)` and the like."""

    def answer(call: Call) -> Any:
        if not call.args:
            return make([])
        items = _elements(call, call.args[0])
        if isinstance(items, Unknown):
            return items
        try:
            return make(items)
        except TypeError as error:
            return call.unknown(str(error))

    return answer


def dict_(call: Call) -> Any:
    """`dict(...)`."""
    result: dict[Any, Any] = {}
    if "**" in call.keywords:
        return call.keywords["**"]
    if call.args:
        given = call.args[0]
        if isinstance(given, dict):
            result.update(given)
        else:
            items = _elements(call, given)
            if isinstance(items, Unknown):
                return items
            try:
                result.update(items)
            except (TypeError, ValueError) as error:
                return call.unknown(str(error))
    result.update(call.keywords)
    return result


def plain(function: Callable[..., Any]) -> Answer:
    """A builtin that computes on plain data alone."""

    def answer(call: Call) -> Any:
        unknown = unknown_in(call.args) or unknown_in(list(call.keywords.values()))
        if unknown is not None:
            return unknown
        args = [in_order(value) if isinstance(value, (set, frozenset)) else value for value in call.args]
        args = [list(value) if isinstance(value, Iterator) else value for value in args]
        if any(isinstance(value, range) and len(value) > natives.LARGEST for value in args):
            return call.unknown(f"more than {natives.LARGEST} elements")
        if not all(is_plain(value) or isinstance(value, range) for value in (*args, *call.keywords.values())):
            return call.unknown(f"{function.__name__} of what is no plain data")
        try:
            return function(*args, **call.keywords)
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            return call.unknown(f"{type(error).__name__}: {error}")

    return answer


def sorted_(call: Call) -> Any:
    """`sorted(...)`."""
    items = _elements(call, call.args[0]) if call.args else call.unknown("sorted() of nothing")
    if isinstance(items, Unknown):
        return items
    key = call.keywords.get("key")
    keys = items if key is None else [call.again(key, [item]) for item in items]
    unknown = unknown_in(keys) or unknown_in(list(call.keywords.values()))
    if unknown is not None:
        return unknown
    try:
        ranks = sorted(range(len(items)), key=lambda i: keys[i], reverse=bool(call.keywords.get("reverse", False)))
    except TypeError as error:
        return call.unknown(str(error))
    return [items[i] for i in ranks]


def len_(call: Call) -> Any:
    """`len(...)`, unknown for a container that may have been changed."""
    unknown = unknown_in(call.args[0])
    if unknown is not None:
        return unknown
    items = _elements(call, call.args[0])
    return items if isinstance(items, Unknown) else len(items)


def any_all(wanted: bool) -> Answer:
    """`any(...)` for True, `all(...)` for False."""

    def answer(call: Call) -> Any:
        items = _elements(call, call.args[0])
        if isinstance(items, Unknown):
            return items
        unsure: Unknown | None = None
        for item in items:
            holds = truth(item)
            if isinstance(holds, Unknown):
                unsure = holds
            elif holds is wanted:
                return wanted
        return unsure if unsure is not None else not wanted

    return answer


def enumerate_(call: Call) -> Any:
    """`enumerate(...)`."""
    items = _elements(call, call.args[0])
    start = call.keywords.get("start", call.args[1] if len(call.args) > 1 else 0)
    if isinstance(items, Unknown) or isinstance(start, Unknown):
        return items if isinstance(items, Unknown) else start
    return [(start + position, item) for position, item in enumerate(items)]


def zip_(call: Call) -> Any:
    """`zip(...)`."""
    columns = [_elements(call, value) for value in call.args]
    unknown = next((column for column in columns if isinstance(column, Unknown)), None)
    return list(zip(*columns, strict=False)) if unknown is None else unknown


def map_(call: Call) -> Any:
    """`map(function, items)`."""
    items = _elements(call, call.args[1]) if len(call.args) == 2 else call.unknown("map() of several")
    if isinstance(items, Unknown):
        return items
    return iter([call.again(call.args[0], [item]) for item in items])


def next_(call: Call) -> Any:
    """`next(...)`."""
    source = call.args[0]
    if isinstance(source, Unknown):
        return source
    if not isinstance(source, Iterator):
        return call.unknown("next() of what is no iterator")
    found = next(source, _MISSING)
    if found is not _MISSING:
        return found
    return call.args[1] if len(call.args) > 1 else call.unknown("next() finds nothing")


def iter_(call: Call) -> Any:
    """`iter(...)`."""
    items = _elements(call, call.args[0])
    return items if isinstance(items, Unknown) else iter(items)
