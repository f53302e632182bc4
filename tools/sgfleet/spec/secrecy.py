"""Which values must not be shown, judged by the name they stand under, before anything else is known of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.findings import Place
    from sgfleet.source.document import Document, Route

_SECRET: Final = re.compile(
    r"(?:^|[-_.])(?:api-?key|key|token|password|passwd|passphrase|secret|credentials?|auth)(?:$|[-_.])", re.IGNORECASE
)
_NAMED: Final = ("secrets", "environment-files")
"""Mappings whose values say where a secret is found on the host."""


def names_secret(name: str) -> bool:
    """Whether a flag or variable of this name holds a secret: `api-key`, `HF_TOKEN`; not `max-total-tokens`."""
    return _SECRET.search(name) is not None


def secrets_in(document: Document) -> list[tuple[Place, str]]:
    """The texts in a document that stand under such a name, and where: no output shows them.

    Rules that know more of a service find more; this is what is known of a file whose services could not be read.
    """
    return [(document.extent(route), text) for route, text in _texts(document.data, (), secret=False)]


def _texts(data: Any, route: Route, *, secret: bool) -> Iterator[tuple[Route, str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in _NAMED:
                yield from _texts(value, (*route, key), secret=secret or names_secret(key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _texts(value, (*route, index), secret=secret)
    elif secret and isinstance(data, str) and data:
        yield route, data
