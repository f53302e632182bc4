"""How long a load may take, and whether it still moves. Pure: figures in, a verdict out.

The budget is computed: from the last load that was measured on this host, or from the bytes of the weights. It is an
expectation, no guillotine: a load that shows progress may go on to the limit, and one that shows none is ended long
before. A person's `start: {budget: }` is the limit where it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class Patience:
    """What the agent allows a load. Seconds, unless the name says otherwise.

    `base`: imports, graph capture, kernel tuning and warm-up, which no weight bytes explain. `rate_bytes`: bytes a
    second of a slow disk or network that weights come from when nothing was measured. `growth`: how much longer than
    the last measured load the next may take (a cold page cache). `most_growth`: from budget to limit, where no person
    set a limit. `unknown`: the budget where neither weights nor a load are known.

    `quiet`: nothing at all moves for so long: stalled. `spinning`: only processor time passes for so long: stalled.
    Ranks that wait for each other spin, and so do compilers, which is why this one is longer.
    """

    base: float = 300
    rate_bytes: int = 256 * MIB
    growth: float = 2
    most_growth: float = 3
    least: float = 120
    unknown: float = 1800
    quiet: float = 180
    spinning: float = 900

    def scaled(self, factor: float) -> Patience:
        """The same with all times multiplied, for engines that load in seconds."""
        return Patience(
            base=self.base * factor,
            rate_bytes=self.rate_bytes,
            growth=self.growth,
            most_growth=self.most_growth,
            least=self.least * factor,
            unknown=self.unknown * factor,
            quiet=self.quiet * factor,
            spinning=self.spinning * factor,
        )


PATIENCE: Final = Patience()


@dataclass(frozen=True, slots=True)
class StartBudget:
    """`seconds` is what a load is expected to take at most; up to `limit_seconds` it may go on while it moves.

    `arithmetic` says how both came about, for status and messages.
    """

    seconds: float
    limit_seconds: float
    arithmetic: str


def start_budget(
    weight_bytes: int | None,
    last_load_seconds: float | None,
    declared_seconds: float | None = None,
    patience: Patience = PATIENCE,
) -> StartBudget:
    """The budget of one start.

    `weight_bytes` are those that all ranks of this host read, `last_load_seconds` the last load of this service that
    ended well on this host, `declared_seconds` the spec's `start: {budget: }`, an upper bound.
    """
    if last_load_seconds is not None:
        seconds = max(patience.least, last_load_seconds * patience.growth)
        why = f"{patience.growth:g} × {last_load_seconds:.0f} s of the last load"
        if seconds == patience.least:
            why = f"{patience.least:.0f} s at least ({why})"
    elif weight_bytes is not None:
        seconds = patience.base + weight_bytes / patience.rate_bytes
        rate = patience.rate_bytes / MIB
        why = f"{patience.base:.0f} s + {weight_bytes / 2**30:.1f} GiB of weights at {rate:.0f} MiB/s"
    else:
        seconds, why = patience.unknown, "neither the weights nor an earlier load are known"
    why = f"{seconds:.0f} s: {why}"
    if declared_seconds is None:
        return StartBudget(seconds, seconds * patience.most_growth, f"{why}; {patience.most_growth:g} × that at most")
    if declared_seconds < seconds:
        return StartBudget(
            declared_seconds, declared_seconds, f"{declared_seconds:.0f} s: the spec's limit (else {why})"
        )
    return StartBudget(seconds, declared_seconds, f"{why}; the spec's limit is {declared_seconds:.0f} s")


@dataclass(frozen=True, slots=True)
class Sample:
    """What the processes of a unit had used when it was read. Counters may go back when a process ends; None: unknown.

    `at_seconds` is of a clock that only goes forward. `read_bytes` are bytes read from storage or files.
    """

    at_seconds: float
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    read_bytes: int | None = None
    journal_lines: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """`loading` and `slow` (past its budget, and it moves) go on; `stalled` does not move; `over` has had its limit."""

    state: Literal["loading", "slow", "stalled", "over"]
    reason: str

    @property
    def goes_on(self) -> bool:
        """Whether to wait."""
        return self.state in {"loading", "slow"}


_CPU_SHARE: Final = 0.02
"""Below two hundredths of a processor a process only waits and polls."""
_MEMORY_STEP_BYTES: Final = 16 * MIB
_READ_STEP_BYTES: Final = 4 * MIB


def progress(
    samples: Sequence[Sample], started_seconds: float, budget: StartBudget, patience: Patience = PATIENCE
) -> Progress:
    """Whether a load that began at `started_seconds` goes on. `samples` are in order of time, the newest last."""
    if not samples:
        return Progress("loading", "nothing was sampled yet")
    now = samples[-1].at_seconds
    elapsed = now - started_seconds
    if elapsed >= budget.limit_seconds:
        return Progress("over", f"{elapsed:.0f} s of {budget.limit_seconds:.0f} s ({budget.arithmetic})")
    moved = _last(samples, started_seconds, _moved)
    spun = max(moved, _last(samples, started_seconds, _spun))
    if now - spun >= patience.quiet:
        text = f"no processor time, memory, reading or log line for {now - spun:.0f} s, {elapsed:.0f} s into the load"
        return Progress("stalled", text)
    if now - moved >= patience.spinning:
        text = f"only processor time for {now - moved:.0f} s: no memory, reading or log line"
        return Progress("stalled", f"{text}, {elapsed:.0f} s into the load")
    if elapsed > budget.seconds:
        return Progress("slow", f"{elapsed:.0f} s, past {budget.seconds:.0f} s, and it still moves")
    return Progress("loading", f"{elapsed:.0f} s of {budget.seconds:.0f} s")


def _last(samples: Sequence[Sample], started_seconds: float, changed: _Changed) -> float:
    """When there was last a change, by samples against the last one that counted: slow growth adds up."""
    anchor, at = samples[0], max(started_seconds, samples[0].at_seconds)
    for sample in samples[1:]:
        if changed(anchor, sample):
            anchor, at = sample, sample.at_seconds
    return at


def _moved(before: Sample, after: Sample) -> bool:
    """Memory that grows or shrinks (weights go to the GPU), bytes that are read, lines that are logged."""
    return (
        _apart(before.memory_bytes, after.memory_bytes) >= _MEMORY_STEP_BYTES
        or _apart(before.read_bytes, after.read_bytes) >= _READ_STEP_BYTES
        or _apart(before.journal_lines, after.journal_lines) >= 1
    )


def _spun(before: Sample, after: Sample) -> bool:
    if before.cpu_seconds is None or after.cpu_seconds is None:
        return False
    passed = after.at_seconds - before.at_seconds
    return abs(after.cpu_seconds - before.cpu_seconds) >= max(0.01, passed * _CPU_SHARE)


def _apart(before: int | None, after: int | None) -> int:
    return abs(after - before) if before is not None and after is not None else 0


if TYPE_CHECKING:
    from collections.abc import Callable

    _Changed = Callable[[Sample, Sample], bool]
