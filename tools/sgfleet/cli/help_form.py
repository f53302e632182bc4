"""The form of every help: paragraphs stay as they are written, as wide as the terminal."""

from __future__ import annotations

import os
import sys
from argparse import RawDescriptionHelpFormatter
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_COLUMNS: Final = 80
_MARGIN: Final = 2


def columns() -> int:
    """The width of the terminal, as `shutil` tells it: its import brings every kind of compression into each start."""
    try:
        wanted = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        wanted = 0
    if wanted <= 0:
        try:
            wanted = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]  # None is caught
        except (AttributeError, ValueError, OSError):
            wanted = _COLUMNS
    return wanted or _COLUMNS


def help_form() -> Callable[..., RawDescriptionHelpFormatter]:
    """For `formatter_class`. Without a width, argparse asks `shutil` as soon as an argument is declared."""
    return partial(RawDescriptionHelpFormatter, width=columns() - _MARGIN)
