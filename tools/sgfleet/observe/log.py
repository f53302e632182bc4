"""A start-up log, of one start or of many -> what was measured. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sgfleet.observe import settings
from sgfleet.observe.failures import Failure, failure_in
from sgfleet.observe.figures import RankFigures
from sgfleet.observe.observation import Measured

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Iterator

    from sgfleet.observe.lines import Line

READY: Final = "The server is fired up and ready to roll!"
_SUMMARY: Final = re.compile(r"max_total_num_tokens=(\d{1,15}), ")
_RUNNING: Final = re.compile(r"\bmax_running_requests=(\d{1,9}),")
_CONTEXT: Final = re.compile(r"\bcontext_len=(\d{1,12})\b")
_AVAILABLE: Final = re.compile(r"\bavailable_gpu_mem=(\d+\.\d+) GB")
_RATIO: Final = re.compile(r"HiCache auto-sizing: ratio [\d.]+ -> (\d+\.\d+);")
_UNIT_STARTS: Final = re.compile(r"(?:Started|Starting) ")
_LONGEST_START_SECONDS: Final = 86_400
_LONGEST_IMPORT_SECONDS: Final = 900
_MOST_RANKS: Final = 4096


@dataclass(slots=True)
class Start:
    """One start of the engine, from its first line on."""

    unit_began: datetime.datetime | None = None
    """When systemd started the process, before the engine's first line."""
    began: datetime.datetime | None = None
    ended: datetime.datetime | None = None
    ranks: dict[str, RankFigures] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)
    measured: Measured = field(default_factory=Measured)
    free_at_end: float | None = None
    failure: Failure | None = None
    server: bool = False
    """The engine has printed its settings: that is its first line."""

    @property
    def told(self) -> bool:
        """Something was measured."""
        return bool(self.ranks or self.tokens)

    def take(self, line: Line) -> None:
        """The next line."""
        if line.source == "systemd":
            if _UNIT_STARTS.match(line.text) and not self.server:
                self.unit_began = line.time
        elif line.time is not None and not self.measured.ready:
            self.began, self.ended = self.began or line.time, line.time
        if self.measured.ready:
            return
        text = line.text
        if text.startswith("server_args="):
            self.server = True
            self.measured.settings |= settings.from_text(text)
        elif text.startswith(READY):
            self.measured.ready = True
        elif match := _SUMMARY.match(text):
            self._summary(text, int(match[1]))
        elif match := _RATIO.match(text):
            self.measured.settings["hicache_ratio"] = float(match[1])
        elif not self._rank(line) and (failure := failure_in(text)):
            self.failure = failure if self.failure is None else min(self.failure, failure, key=lambda each: each.rank)

    def _rank(self, line: Line) -> bool:
        figures = self.ranks.get(line.rank)
        if figures is None:
            figures = RankFigures()
            if len(self.ranks) >= _MOST_RANKS or not figures.take(line.text):
                return False
            self.ranks[line.rank] = figures
            return True
        return figures.take(line.text)

    def _summary(self, text: str, tokens: int) -> None:
        self.tokens.append(tokens)
        if match := _RUNNING.search(text):
            self.measured.max_running_requests = int(match[1])
        if match := _CONTEXT.search(text):
            self.measured.context_tokens = int(match[1])
        if match := _AVAILABLE.search(text):
            self.free_at_end = float(match[1])

    def result(self) -> Measured:
        """The figures of all ranks together."""
        measured, ranks = self.measured, list(self.ranks.values())
        if not measured.ready and self.failure is not None:
            measured.failure = self.failure.what
        measured.ranks = len(ranks) or None
        self._capacity(ranks)
        firsts = [rank.weights[0] for rank in ranks if rank.weights]
        drafts = [sum(each.gib or 0.0 for each in rank.weights[1:]) for rank in ranks if len(rank.weights) > 1]
        measured.free_before_gib_min = _least(each.before_gib for each in firsts)
        measured.weights_gib = _most(each.gib for each in firsts)
        measured.free_after_weights_gib_min = _least(each.after_gib for each in firsts)
        measured.graphs_gib = _most(rank.graphs_gib for rank in ranks)
        measured.draft_weights_gib = _most(drafts)
        measured.draft_pool_gib = _most(
            rank.draft.gib for rank in ranks if rank.draft.gib and not rank.draft.upper_bound
        )
        measured.host_pool_gb = _most(rank.host_gb for rank in ranks)
        measured.host_pool_tokens = min((rank.host_tokens for rank in ranks if rank.host_tokens), default=None)
        self._free(ranks)
        self._seconds()
        return measured

    def _capacity(self, ranks: list[RankFigures]) -> None:
        measured = self.measured
        pools = [rank.target for rank in ranks if rank.target.gib]
        backed = [pool for pool in pools if not pool.upper_bound]
        if len(backed) < len(pools):
            measured.notes.append(
                "address space was set aside for a KV pool, and no line says what was backed: its size is unknown"
            )
        measured.kv_pool_gib = _most(pool.gib for pool in backed)
        measured.kv_tokens = min(self.tokens, default=None)
        if len(set(self.tokens)) > 1:
            measured.notes.append(f"ranks print {len(set(self.tokens))} different token counts: the least is taken")
        single = [pool.tokens[0] for pool in backed if len(pool.tokens) == 1]
        if measured.kv_tokens is None and single and len(backed) == len(pools):
            measured.kv_tokens = min(single)
        measured.swa_tokens = min((rank.swa_tokens for rank in ranks if rank.swa_tokens), default=None)
        measured.state_slots = min((rank.state_slots for rank in ranks if rank.state_slots), default=None)
        measured.state_pool_gib = _most(rank.state_gib for rank in ranks)

    def _free(self, ranks: list[RankFigures]) -> None:
        """Free memory at the end, of the ranks that say so last: graphs of a draft are told by the first rank only."""
        latest = max((rank.readings for rank in ranks), default=0)
        last = [rank.free for rank in ranks if rank.readings == latest and rank.free is not None]
        if len(ranks) == 1 and self.free_at_end is not None:
            last = [self.free_at_end]
        self.measured.free_after_gib_min = _least(last)
        self.measured.free_after_gib_max = _most(last)
        if 0 < len(last) < len(ranks):
            self.measured.notes.append(f"{len(last)} of {len(ranks)} ranks say what is free in the end")

    def _seconds(self) -> None:
        if self.measured.ready and self.began is not None and self.ended is not None:
            seconds = (self.ended - self.began).total_seconds()
            if self.unit_began is not None:
                # The clocks of the two may be of different zones: then only the engine's counts.
                before = (self.began - self.unit_began).total_seconds()
                seconds += before if 0 <= before <= _LONGEST_IMPORT_SECONDS else 0
            if 0 <= seconds <= _LONGEST_START_SECONDS:
                self.measured.load_seconds = round(seconds)


def _least(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _most(values: Iterable[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return round(max(found), 2) if found else None


def starts(lines: Iterable[Line]) -> Iterator[Start]:
    """The starts in a log, one after the other.

    A start begins with systemd's line, with the engine's settings, or, in a log without both, with weights that are
    loaded after the server was ready.
    """
    here = Start()
    for line in lines:
        if _begins(line, here):
            yield here
            here = Start()
        here.take(line)
    yield here


def _begins(line: Line, here: Start) -> bool:
    if line.source == "systemd" and _UNIT_STARTS.match(line.text):
        return here.server or here.told or here.failure is not None
    if line.text.startswith("server_args="):
        return here.server or here.told
    return here.measured.ready and line.text.startswith("Load weight begin.")


def measure(lines: Iterable[Line]) -> Measured | None:
    """The last start that came up; without one the last that tells anything. None when no line is of the engine."""
    chosen: Start | None = None
    count = complete = 0
    after = 0
    for start in starts(lines):
        if not (start.told or start.server or start.failure):
            continue
        count += 1
        complete += start.measured.ready
        if start.measured.ready or chosen is None or not chosen.measured.ready:
            chosen, after = start, 0
        else:
            after += 1
    if chosen is None:
        return None
    measured = chosen.result()
    if count > 1:
        measured.notes.append(
            f"the log has {count} starts, {complete} of them complete: the last "
            f"{'complete ' if complete else ''}one is taken" + (f", and {after} came after it" if after else "")
        )
    return measured
