"""Bytes -> text that is fit to be read as YAML, and in which a reviewer sees every character."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from sgfleet.findings import Finding, Place
from sgfleet.source import problems
from sgfleet.source.lines import Lines
from sgfleet.source.problems import SourceError, problem

LARGEST_BYTES: Final = 2**20
"""A host's file has a few KiB. What is larger is no file of a person."""

_FIT_ASCII: Final = bytes([*b"\t\n\r", *range(0x20, 0x7F)])

_UNFIT: Final = (
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls: a terminal obeys some; YAML 1.1 breaks lines at one
    "\u2028\u2029"  # line breaks of YAML 1.1 that editors do not count
    "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"  # direction: they show a line in another order than it is read in
    "\xad\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f"  # no width; the joiners U+200C and U+200D belong to words
    "\ud800-\udfff\ufffe\uffff"  # no characters at all
    "]"
)


def decode(raw: bytes | str, path: str) -> str:
    """The text of a file.

    Raises:
        SourceError: too large, a byte order mark, not UTF-8, or a character that nobody sees.
    """
    if len(raw) > LARGEST_BYTES:
        raise too_large(path, len(raw))
    if isinstance(raw, str):
        text = raw
    elif raw.isascii() and not raw.translate(None, _FIT_ASCII):
        return raw.decode("ascii")
    else:
        text = _utf8(raw, path)
    if text.startswith("\ufeff"):
        place = Lines(path, text).at(0)
        help_ = "save the file as UTF-8 without a byte order mark"
        raise SourceError([problem(problems.BYTE_ORDER_MARK, "the file begins with a byte order mark", place, help_)])
    if found := re.search(_UNFIT, text):
        raise SourceError([_unseen(Lines(path, text), found)])
    return text


def too_large(path: str, size_bytes: int) -> SourceError:
    """The error for a file that is not even read."""
    message = f"the file has {size_bytes:,} bytes, and {LARGEST_BYTES:,} (1 MiB) are the limit"
    return SourceError([problem(problems.TOO_LARGE, message, Place(path), "split the host's services over hosts")])


def _unseen(lines: Lines, found: re.Match[str]) -> Finding:
    code = ord(found[0])
    name = unicodedata.name(found[0], "").lower()
    message = f"a character that nobody sees, U+{code:04X}{f' ({name})' if name else ''}"
    escape = f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    help_ = f'leave it out, or write it in double quotes as "{escape}" where it is meant'
    return problem(problems.CONTROL_CHARACTER, message, lines.at(found.start()), help_)


def _utf8(raw: bytes, path: str) -> str:
    wide = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(raw[:2])
    if wide or (b"\0" in raw[:2] and len(raw) > 1):
        text = raw.decode(wide or ("utf-16-be" if raw[0] == 0 else "utf-16-le"), "replace").lstrip("\ufeff")
        place = Lines(path, text).at(0)
        raise SourceError([problem(problems.NOT_UTF8, "the file is UTF-16", place, "save the file as UTF-8")])
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        # Every byte that is wrong is shown as one sign, so that the column is the one that an editor shows.
        lines = Lines(path, raw.decode(errors="replace"))
        place = lines.at(len(raw[: error.start].decode()))
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise SourceError([problem(problems.NOT_UTF8, message, place, "save the file as UTF-8")]) from None
