"""What was done to a host, step by step, and how each step is taken back where a later one fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.systemd.port import FileKind, SystemdError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sgfleet.systemd.port import Manager


class Undo:
    """A step is added before it is made: what is half done is taken back as well."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, Callable[[], None]]] = []

    def add(self, what: str, back: Callable[[], None]) -> None:
        """`what` stays where `back` fails."""
        self._steps.append((what, back))

    def all(self) -> tuple[str, ...]:
        """Take everything back, the last step first. What is left of it, with the reason, a line each."""
        left = []
        while self._steps:
            what, back = self._steps.pop()
            try:
                back()
            except (OSError, SystemdError) as error:
                left.append(f"{what} ({error})")
        return tuple(left)


def folders(undo: Undo, path: Path) -> None:
    """A folder that is to be made with all above it: those that are not there yet go again if they are empty."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        undo.add(f"the folder {each}", lambda each=each: each.rmdir() if each.is_dir() else None)  # type: ignore[misc]  # bound now


def unit(undo: Undo, manager: Manager, name: str) -> None:
    """A unit that is to be written: what stood there before comes back."""
    before = manager.read(name)

    def back() -> None:
        manager.discard(name)
        if manager.read(name) == before:
            return
        if before.kind is FileKind.REGULAR:
            manager.install(name, before.content)
        else:
            manager.remove(name)

    undo.add(name, back)
