"""Why a release cannot be read at all, and how a block of its code is left early."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sgfleet.engine.extract.values import Unknown


class ExtractionError(Exception):
    """The wheel, or the way in which it declares its flags, is not understood.

    `module` is dotted ("sglang.srt.server_args"), `line` counts from 1; both are None where
    the file as a whole is meant.
    """

    def __init__(self, message: str, module: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.module = module
        self.line = line

    def __str__(self) -> str:
        """The message, behind its place when there is one."""
        if self.module is None:
            return self.message
        return f"{self.module}:{self.line}: {self.message}" if self.line else f"{self.module}: {self.message}"


class Leave(Exception):  # noqa: N818  # a jump, not an error
    """A jump out of a block: return, break, continue, or raise (with the exception's name as the value)."""

    def __init__(self, kind: str, value: Any = None, place: Unknown | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.value = value
        self.place = place
