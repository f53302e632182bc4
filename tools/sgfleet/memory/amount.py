"""A number of bytes that knows where it comes from and how far it may be off."""

from __future__ import annotations

from typing import Literal, NamedTuple

Origin = Literal["measured", "computed", "estimated"]
"""Measured: observed on this host. Computed: from headers and formulas. Estimated: with an error."""


class Amount(NamedTuple):
    """`bytes` within `error_bytes` either way; `source` is what it was taken from."""

    bytes: int
    origin: Origin
    error_bytes: int = 0
    source: str = ""
