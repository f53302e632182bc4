"""Units of memory. SGLang prints "GB" for GiB on the device side and for 10**9 bytes on the host side."""

from __future__ import annotations

from typing import Final

MIB: Final = 2**20
GIB: Final = 2**30
GB: Final = 10**9


def gib(size_bytes: float) -> str:
    """Bytes -> "41.70 GiB"."""
    return f"{size_bytes / GIB:,.2f} GiB"


def gib_within(size_bytes: float, error_bytes: float) -> str:
    """Bytes with their error: "41.70 GiB ± 0.92". There is no less than nothing: "0.00 to 2.53 GiB"."""
    if error_bytes > size_bytes:
        return f"{0:.2f} to {gib(size_bytes + error_bytes)}"
    return gib(size_bytes) + (f" ± {error_bytes / GIB:,.2f}" if error_bytes else "")


def tokens_within(count: int, error: int) -> str:
    """A number of tokens with its error: "1,310,430 ± 34,852", or "0 to 2,527"."""
    if error > count:
        return f"0 to {count + error:,}"
    return f"{count:,}" + (f" ± {error:,}" if error else "")


def pages_down(count: int, page_size: int) -> int:
    """The largest multiple of a page that is not more than `count`."""
    return count // page_size * page_size
