"""Units of memory. SGLang prints "GB" for GiB on the device side and for 10**9 bytes on the host side."""

from __future__ import annotations

from typing import Final

MIB: Final = 2**20
GIB: Final = 2**30
GB: Final = 10**9


def gib(size_bytes: float) -> str:
    """Bytes -> "41.70 GiB"."""
    return f"{size_bytes / GIB:,.2f} GiB"


def tokens(count: int) -> str:
    """A number of tokens with its thousands apart."""
    return f"{count:,}"


def pages_down(count: int, page_size: int) -> int:
    """The largest multiple of a page that is not more than `count`."""
    return count // page_size * page_size
