"""A change of flags -> the host's file with as few other lines as can be, and what a reviewer would see of it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgfleet.source import edit
from sgfleet.source.read import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.source.document import Document, Route
    from sgfleet.spec.resolve import Resolved


@dataclass(frozen=True, slots=True)
class Patch:
    """The file with the change. `notes` say where a value came from that the service now sets for itself."""

    path: str
    before: str
    after: str
    notes: tuple[str, ...] = ()

    @property
    def unified(self) -> str:
        """As `git diff` shows it."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), f"a/{self.path}", f"b/{self.path}", lineterm=""
        )
        return "\n".join(lines) + "\n"

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that go and come, each with its sign."""
        compared = difflib.ndiff(self.before.splitlines(), self.after.splitlines())
        return tuple(f"{line[0]} {line[2:].strip()}" for line in compared if line[0] in "+-")


def patch_of(resolved: Resolved, flags: Mapping[str, Any]) -> Patch:
    """The patch that gives a service these flags; None takes one away.

    It goes to the service itself, also where the value stands in defaults: other services are none of it.

    Raises:
        EditError: the file's layout does not allow it.
    """
    own = resolved.layers[0]
    document = own.document
    notes = []
    for name, value in flags.items():
        origin = resolved.origin(("flags", name))
        if origin is not None and _is_own(origin.route, origin.document, resolved):
            document = _changed(document, origin.route, value, gone=not _is_below(resolved, name))
        elif origin is not None or value is not None:
            document = _changed(document, (*own.route, "flags", name), value, gone=False)
        if origin is not None and origin.document.path != own.document.path:
            notes.append(f"{name} comes from {origin.document.path}: the service now says it for itself")
        elif origin is not None and not _is_own(origin.route, origin.document, resolved):
            notes.append(f"{name} comes from the host's defaults: the service now says it for itself")
    return Patch(own.document.path, own.document.text, document.text, tuple(notes))


def _is_own(route: Route, document: Document, resolved: Resolved) -> bool:
    own = resolved.layers[0]
    return document.path == own.document.path and route[: len(own.route)] == own.route


def _is_below(resolved: Resolved, name: str) -> bool:
    """Whether defaults say something of a flag that the service says itself."""
    keys = {each for each, same in resolved.names.items() if same == resolved.names.get(name)} | {name}
    return any(not keys.isdisjoint(layer.data.get("flags") or ()) for layer in resolved.layers[1:])


def _changed(document: Document, route: Route, value: Any, *, gone: bool) -> Document:
    text = edit.remove(document, route) if value is None and gone else edit.put(document, route, value)
    return read_text(text, document.path)
