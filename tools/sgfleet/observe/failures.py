"""Why a start failed, in our own words and with the figures of the message. Pure.

What the releases print was read from their packages; other programs' lines (systemd, the kernel, Python) come besides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Failure:
    """`what` is one line that stands alone; the lower `rank` says more of the cause."""

    what: str
    rank: int


_LONGEST: Final = 2**14
"""A longer line is the engine's list of settings, or nothing of it."""
_FRACTION: Final = r"(?P<number>0?\.\d{1,6}|1\.0+)"
_PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        (
            rf"Loaded weights leave no GPU memory for the KV cache.*?above {_FRACTION}",
            "the weights leave no GPU memory for the KV pool; the engine asks for a mem-fraction-static above {number}",
        ),
        (r"Loaded weights leave no GPU memory for the KV cache", "the weights leave no GPU memory for the KV pool"),
        (
            r"Not enough memory\. Please try to increase --mem-fraction-static",
            "the weights leave no GPU memory for the KV pool at this mem-fraction-static",
        ),
        (
            r"Not enough host memory.*?Requesting (?P<number>[\d.]+) GB but only have (?P<free>-?[\d.]+) GB",
            "the host pool of a rank takes {number} GB, and {free} GB of host RAM are left to it (GB of 10**9)",
        ),
        (r"Not enough host memory", "host RAM is too small for the host pool"),
        (
            r"host memory should be larger than the device memory",
            "the host pool is not larger than the device pool, which this release asks for",
        ),
        (r"No host memory is left for HiCache", "no host RAM is left for the host pool"),
        (
            r"(?:OutOfMemoryError|CUDA out of memory).*?Tried to allocate (?P<number>[\d.]+) (?P<free>[KMG]iB)",
            "a GPU ran out of memory: {number} {free} could not be allocated",
        ),
        (r"OutOfMemoryError|CUDA out of memory|cuda.*out of memory", "a GPU ran out of memory"),
        (r"memory capacity is unbalanced", "the GPUs have unequal free memory: something else uses some of them"),
        (r"Not enough GPU memory for hybrid", "no GPU memory is left for the states of the linear-attention layers"),
        (
            r"state cache is too small to serve any requests",
            "the pool of linear-attention states is too small for one request",
        ),
        (r"Capture (?:[\w ]*)(?:cuda|CUDA) graph failed", "capturing the CUDA graphs failed"),
        (r"error: unrecognized arguments|error: ambiguous option|error: argument --", "the release rejects a flag"),
        (r"[Aa]ddress already in use", "the port is in use"),
        (
            r"oom-kill|OOM killer|status=9/KILL|Killed process \d+",
            "the kernel killed it: host RAM ran out, or a person did",
        ),
    )
)
_GENERAL: Final = re.compile(
    r"Scheduler hit an exception|Received sigquit from a child|scheduler is dead|"
    r"Main process exited, code=(?:exited|killed|dumped)|Failed with result|terminated with -?\d+"
)


def failure_in(text: str) -> Failure | None:
    """The failure that a line tells, or None."""
    if len(text) > _LONGEST:
        return None
    for rank, (pattern, what) in enumerate(_PATTERNS):
        if match := pattern.search(text):
            return Failure(what.format(**{key: value or "?" for key, value in match.groupdict().items()}), rank)
    if _GENERAL.search(text):
        return Failure("a process of the server ended, and no line says why", len(_PATTERNS))
    return None
