"""What can be wrong with a checkpoint's description, as one exception that knows its own remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Finding, Severity

if TYPE_CHECKING:
    from sgfleet.findings import Place

ADD_COMMAND = "sgfleet model add"
"""The command that writes model facts; every problem that more facts would solve names it."""
ANEW = f"take the file of the last good commit, or call {ADD_COMMAND} FOLDER where the checkpoint is"
"""What is done about facts that cannot be used."""


class ModelError(Exception):
    """A checkpoint, or facts about one, that cannot be used.

    `file` is what was read (a path as the caller gave it, or a file's name inside a checkpoint); `help` is what would
    solve it.
    """

    def __init__(self, message: str, *, file: str, help: str) -> None:  # noqa: A002 - the name that a finding has
        super().__init__(message)
        self.message = message
        self.file = file
        self.help = help

    def __str__(self) -> str:
        """The message with the file it is about, in one line."""
        return f"{self.file}: {self.message}"

    def finding(self, place: Place, *, host: str | None = None, service: str | None = None) -> Finding:
        """The problem as a finding at the place that named the model."""
        return Finding(
            code="model-unreadable",
            severity=Severity.ERROR,
            message=str(self),
            place=place,
            host=host,
            service=service,
            help=self.help,
            based_on=(self.file,),
        )
