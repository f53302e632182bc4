"""One piece of work for many hosts, on several processors where that is worth their start."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Result = TypeVar("Result")

MANY: Final = 300
"""Hosts from which a second process is worth its start."""

_CHUNK: Final = 50
"""Hosts that a process takes at once."""


def spread(names: Sequence[str], work: Callable[[Sequence[str]], Result]) -> Iterator[Result]:
    """`work` for some names at a time, in their order. Results travel between processes: they must be plain data."""
    chunks = (names[start : start + _CHUNK] for start in range(0, len(names), _CHUNK))
    processes = min(os.cpu_count() or 1, len(names) // MANY + 1)
    if processes == 1 or sys.platform != "linux":
        yield from map(work, chunks)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(processes, get_context("fork"), _become, (work,))
    try:
        yield from pool.map(_call, chunks)
    finally:
        # Whoever reads may have left (`| head`), or a person has had enough: nobody waits for the rest then.
        pool.shutdown(wait=False, cancel_futures=True)


_work: list[Callable[[Sequence[str]], Any]] = []
"""In a forked process: what it was started for."""


def _become(work: Callable[[Sequence[str]], Any]) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    _work[:] = [work]


def _call(names: Sequence[str]) -> Any:
    done = _work[0](names)
    if not gc.get_freeze_count():  # schemas and models, now that they are read, are for good: no use in visiting them
        gc.freeze()
    return done
