"""Bytes -> text that is fit to be read as YAML and to be shown in a terminal."""

from __future__ import annotations

import re
from typing import Final

from sgfleet.findings import Place
from sgfleet.source import problems
from sgfleet.source.document import line_of
from sgfleet.source.problems import SourceError, problem

LARGEST_BYTES: Final = 2**20
"""A host's file has a few KiB. What is larger is no file of a person."""

_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Control characters, and line breaks that YAML 1.1 knows and editors do not: lines would be counted differently."""


def decode(raw: bytes | str, path: str) -> str:
    """The text of a file.

    Raises:
        SourceError: too large, a byte order mark, not UTF-8, or a character that nobody sees.
    """
    if len(raw) > LARGEST_BYTES:
        raise too_large(path, len(raw))
    text = raw if isinstance(raw, str) else _utf8(raw, path)
    if text.startswith("\ufeff"):
        place = Place(path, 1, 1, 1, 2, line_of(text, 0))
        help_ = "save the file as UTF-8 without a byte order mark"
        raise SourceError([problem(problems.BYTE_ORDER_MARK, "the file begins with a byte order mark", place, help_)])
    if found := _UNFIT.search(text):
        message = f"a character that nobody sees, U+{ord(found[0]):04X}"
        place = _place(path, text, found.start())
        help_ = 'leave it out, or write it in double quotes as an escape such as "\\x1b"'
        raise SourceError([problem(problems.CONTROL_CHARACTER, message, place, help_)])
    return text


def too_large(path: str, size_bytes: int) -> SourceError:
    """The error for a file that is not even read."""
    message = f"the file has {size_bytes} bytes: {LARGEST_BYTES} is the limit"
    return SourceError([problem(problems.TOO_LARGE, message, Place(path), "split the host's services over hosts")])


def _utf8(raw: bytes, path: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode()
        wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
        message = "the file is UTF-16" if wide else f"byte 0x{raw[error.start]:02x} is not UTF-8"
        place = _place(path, before + "\ufffd", len(before))
        raise SourceError([problem(problems.NOT_UTF8, message, place, "save the file as UTF-8")]) from None


def _place(path: str, text: str, index: int) -> Place:
    before = text[:index].replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n")
    column = len(before) - before.rfind("\n")
    return Place(path, line + 1, column, line + 1, column + 1, line_of(text, line))
