"""Methods of plain values that only compute, or that change the value in place."""

from __future__ import annotations

import re
from typing import Any, Final

from sgfleet.engine.extract.notes import Notes
from sgfleet.engine.extract.values import Native, Unknown, in_order, unknown_in

_READING: Final[dict[type, frozenset[str]]] = {
    str: frozenset(
        [
            "capitalize",
            "casefold",
            "count",
            "endswith",
            "find",
            "format",
            "index",
            "isalpha",
            "isdigit",
            "isidentifier",
            "join",
            "lower",
            "lstrip",
            "partition",
            "removeprefix",
            "removesuffix",
            "replace",
            "rfind",
            "rpartition",
            "rsplit",
            "rstrip",
            "split",
            "splitlines",
            "startswith",
            "strip",
            "title",
            "upper",
        ]
    ),
    list: frozenset({"copy", "count", "index"}),
    tuple: frozenset({"count", "index"}),
    dict: frozenset({"copy", "get", "items", "keys", "values"}),
    set: frozenset({"copy", "difference", "intersection", "issubset", "issuperset", "symmetric_difference", "union"}),
    frozenset: frozenset(
        {"copy", "difference", "intersection", "issubset", "issuperset", "symmetric_difference", "union"}
    ),
    int: frozenset({"bit_length"}),
    float: frozenset({"is_integer"}),
}

LARGEST: Final = 100_000
"""Elements or characters that a value may grow to. No declaration comes near; a source that doubles a list does."""

_CHANGING: Final[dict[type, frozenset[str]]] = {
    list: frozenset({"append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"}),
    dict: frozenset({"clear", "pop", "setdefault", "update"}),
    set: frozenset({"add", "clear", "difference_update", "discard", "intersection_update", "remove", "update"}),
}


def has(value: object, name: str) -> bool:
    """Whether the value has a method of this name that can be called here."""
    if isinstance(value, Notes):
        return name in Notes.METHODS
    kind = type(value)
    return name in _READING.get(kind, ()) or name in _CHANGING.get(kind, ())


def changes(method: Native) -> bool:
    """Whether the method changes its receiver."""
    return method.name in _CHANGING.get(type(method.receiver), ())


def poison(container: object, unknown: Unknown) -> None:
    """Leave a mark in a container that may have been changed: nobody can now say what it holds."""
    if isinstance(container, list):
        container.append(unknown)
    elif isinstance(container, set):
        container.add(unknown)
    elif isinstance(container, dict):
        container[unknown] = unknown


def apply(method: Native, args: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of the method; `Unknown` without a place when it cannot be computed."""
    receiver: Any = method.receiver
    unknown = unknown_in(args) or unknown_in(list(keywords.values()))
    if unknown is not None and not (changes(method) and _takes_any(method)):
        if changes(method):
            poison(receiver, unknown)
        return unknown
    if isinstance(receiver, dict) and method.name == "pop" and unknown_in(receiver) is not None:
        return unknown_in(receiver)
    if method.name == "format" and isinstance(receiver, str) and re.search(r"\d{5}", receiver):
        return Unknown("a format that may ask for a text of any length")
    try:
        result = getattr(receiver, method.name)(*args, **keywords)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        return unknown_in(receiver) or Unknown(f"{type(error).__name__}: {error}")
    if isinstance(result, (str, list, set)) and len(result) > LARGEST:
        return Unknown(f"more than {LARGEST} elements")
    if isinstance(receiver, (list, set, dict)) and len(receiver) > LARGEST:
        return Unknown(f"more than {LARGEST} elements")
    if method.name in ("keys", "values", "items"):
        return list(result)
    if isinstance(receiver, (set, frozenset)) and method.name == "pop":
        return in_order(receiver)
    return result


def _takes_any(method: Native) -> bool:
    """Whether an unknown argument simply becomes an element."""
    return method.name in ("append", "extend", "insert", "add", "update", "setdefault")
