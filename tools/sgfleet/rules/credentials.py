"""Texts inside a value, for rules that look for secrets in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route


def texts(route: Route, value: Any) -> Iterator[tuple[Route, str]]:
    """Every text in a value, with the way to it."""
    if isinstance(value, str):
        yield route, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts((*route, key), item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from texts((*route, index), item)
