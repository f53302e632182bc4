"""Predictions for one entry, beside what the log says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sgfleet.engine import store
from sgfleet.memory.accuracy.guess import model_of, release_of, settings_in
from sgfleet.memory.accuracy.row import MEASURED_LIMIT, Row, Score, limit_of, observed_in, tokens_in
from sgfleet.memory.accuracy.unknown import budget_rows
from sgfleet.memory.cards import card
from sgfleet.memory.cell import cell_of
from sgfleet.memory.device import Load, NotKnownError, gpu_budget, parallel_of
from sgfleet.memory.draft import draft_layers
from sgfleet.memory.host_pools import Mirrored, host_pools
from sgfleet.memory.online import loaded_weights
from sgfleet.memory.pools import pools_of_tokens
from sgfleet.memory.resolve import resolve
from sgfleet.memory.runtime import request_table_bytes
from sgfleet.memory.settings import SettingsError
from sgfleet.memory.units import GB, GIB

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.accuracy.entry import Entry
    from sgfleet.memory.accuracy.guess import ModelGuess
    from sgfleet.memory.hardware import Hardware
    from sgfleet.memory.settings import Settings


def score(entry: Entry) -> Score:
    """Predict what an entry logged, from the rest of the entry."""
    model = model_of(entry.model)
    guess = release_of(entry, model.found.shape.architecture if model is not None else None)
    release = store.load(guess.version)
    try:
        settings, flags_doubt = settings_in(entry, release)
    except SettingsError as error:
        return Score(entry.id, (), (f"its flags cannot be used: {error}",))
    if model is None:
        unknown = f"nothing is known of {entry.model}: sgfleet model add makes facts of it"
        return Score(entry.id, tuple(budget_rows(entry, settings, unknown)), (unknown,))
    doubts = tuple(doubt for doubt in (guess.doubt, flags_doubt, model.doubt) if doubt)
    memory = entry.facts.get("gpu_mem_gb")
    hardware = card(
        entry.gpu or "", entry.gpu_count or settings.ranks, memory if isinstance(memory, int | float) else None
    )
    scorer = _Scorer(entry, settings, model, hardware, doubts)
    try:
        rows = tuple(scorer.rows())
    except NotKnownError as error:
        return Score(entry.id, (), (str(error),))
    return Score(entry.id, rows, () if rows else ("the log has no figure that is predicted here",))


class _Scorer:
    def __init__(
        self, entry: Entry, settings: Settings, model: ModelGuess, hardware: Hardware, doubts: tuple[str, ...]
    ) -> None:
        self.entry = entry
        self.settings = settings
        self.shape = model.found.shape
        self.weights = loaded_weights(model.found, parallel_of(settings), settings.quantization)
        self.hardware = hardware
        self.doubts = doubts
        self.draft = draft_layers(settings, self.shape, self.weights)
        self.resolved = resolve(settings, self.shape, hardware)

    def rows(self) -> Iterator[Row]:
        """Each figure that can be held against a prediction."""
        yield from self._tokens()
        yield from self._sizes()
        yield from self._after_pool()
        yield from self._viable()
        yield from self._host()

    def _row(self, what: str, terms: str, logged: float, predicted: float, bound: float, *notes: str) -> Row:
        return Row(self.entry.id, what, terms, logged, predicted, limit_of(terms), bound, (*self.doubts, *notes))

    def _tokens(self) -> Iterator[Row]:
        logged = tokens_in(self.entry)
        if logged is None:
            return
        observed = observed_in(self.entry)
        measured = observed.free_before_gib is not None and observed.weights_gib is not None
        load = Load(self.shape, self.weights, self.draft)
        budget = gpu_budget(self.settings, load, self.hardware, observed)
        terms = "measured" if measured else "hardware"
        notes = tuple(note for note in budget.notes if note not in self.doubts)
        yield self._row("KV tokens", terms, logged, budget.tokens, budget.error_tokens, *notes)
        sliding = self._sliding_logged(logged)
        if sliding is not None and budget.pools.sliding_tokens is not None:
            bound = budget.error_tokens * self.settings.sliding_ratio
            yield self._row("window tokens", terms, sliding, budget.pools.sliding_tokens, bound)

    def _sliding_logged(self, full: float) -> float | None:
        pools = self.entry.logged.get("pools")
        if not isinstance(pools, list):
            return None
        counts = [pool.get("tokens") for pool in pools if isinstance(pool, dict)]
        return next((float(count) for count in counts if isinstance(count, int) and count != full), None)

    def _sizes(self) -> Iterator[Row]:
        """Bytes of the pool that the log names, from its tokens: exact."""
        logged = tokens_in(self.entry)
        size = self.entry.number("kv_size_gb")
        keys, values = self.entry.number("k_size_gb"), self.entry.number("v_size_gb")
        if size is None and keys is not None and values is not None:
            size = keys + values
        if logged is None or size is None:
            return
        cell = cell_of(self.shape.layers, self.settings, self.resolved)
        pools = pools_of_tokens(int(logged), self.shape.layers, cell, self.settings, self.resolved)
        yield self._row("KV pool, GiB", "exact", size, pools.kv_bytes / GIB, 0.0)

    def _after_pool(self) -> Iterator[Row]:
        """What is free once the pool is there."""
        after, left = self.entry.number("avail_mem_after_weights_gb"), self.entry.number("avail_mem_after_pool_gb")
        logged = tokens_in(self.entry)
        if after is None or left is None or logged is None:
            return
        cell = cell_of(self.shape.layers, self.settings, self.resolved)
        pools = pools_of_tokens(int(logged), self.shape.layers, cell, self.settings, self.resolved)
        taken = pools.kv_bytes + pools.sliding_bytes + pools.state_bytes
        taken += request_table_bytes(self.settings, self.shape, pools.tokens)
        predicted = after - taken / GIB
        row = self._row("free after the pool, GiB", "after", left, predicted, 0.6)
        yield replace(row, limit=max(MEASURED_LIMIT, 0.6 / left))

    def _viable(self) -> Iterator[Row]:
        """The smallest fraction with which a start has any KV pool."""
        observed = observed_in(self.entry)
        before, usage = observed.free_before_gib, observed.weights_gib
        if before is None or usage is None:
            return
        for name, draft in (
            ("min_viable_mem_fraction_static", 0.0),
            ("min_viable_mem_fraction_static_mtp", observed.draft_weights_gib),
        ):
            logged = self.entry.number(name)
            if logged is not None and draft is not None:
                row = self._row(name.replace("_", " "), "measured", logged, (usage + draft) / before, 0.02 / before)
                yield replace(row, limit=0.001)

    def _host(self) -> Iterator[Row]:
        logged = self.entry.number("hicache_host_gb_per_rank", "host_pool_gb_per_rank", "host_pool_gb")
        hicache = self.settings.hicache
        if logged is None or hicache is None:
            return
        tokens = tokens_in(self.entry)
        if tokens is None and hicache.size_gb <= 0:
            return
        cell = cell_of(self.shape.layers, self.settings, self.resolved, self.draft)
        pools = pools_of_tokens(int(tokens or 0), self.shape.layers, cell, self.settings, self.resolved)
        mirrored = Mirrored(pools, cell, self.settings, self.resolved.page_size)
        made = host_pools(mirrored, hicache)
        yield self._row("host pool of a rank, GB", "exact", logged, made[0].bytes / GB, 0.0)
