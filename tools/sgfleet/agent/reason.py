"""Why something is as it is: a word for machines, a sentence for people, and what to do."""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """`code` is stable and goes into metrics; `text` starts in lower case and stands alone."""

    code: str
    text: str
    help: str | None = None

    def __str__(self) -> str:
        """The sentence."""
        return self.text
