"""What systemd cannot carry, said exactly."""

from __future__ import annotations


class Unquotable(ValueError):  # noqa: N818 - a property of the text, not a fault of the program
    """A text that no quoting brings through a unit file unchanged.

    `reason` is one line in lower case without a full stop that stands alone. It never holds the text itself, which may
    be a secret: a character is named by its code point, a size by its bytes. `at` is the index of the first character
    at fault, where there is one. `help` is the way out, where there is one.
    """

    def __init__(self, reason: str, *, at: int | None = None, help: str | None = None) -> None:  # noqa: A002 - as in Finding
        super().__init__(reason)
        self.reason = reason
        self.at = at
        self.help = help
