"""Predictions for one entry, beside what the log says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.engine import store
from sgfleet.memory.accuracy.entry import finite
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
    from sgfleet.memory.accuracy.guess import ModelGuess, ReleaseGuess
    from sgfleet.memory.hardware import Hardware
    from sgfleet.memory.settings import Settings


AFTER_POOL_GIB: Final = 0.6
"""What a release allocates beside its pools before it logs again: request tables, buffers of attention backends."""


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
    doubts = tuple(doubt for doubt in (flags_doubt, model.doubt) if doubt)
    memory = finite(entry.facts.get("gpu_mem_gb"))
    hardware = card(entry.gpu or "", entry.gpu_count or settings.ranks, memory)
    scorer = _Scorer(entry, settings, model, hardware, guess, doubts)
    try:
        rows = tuple(scorer.rows())
    except NotKnownError as error:
        return Score(entry.id, (), (str(error),))
    return Score(entry.id, rows, () if rows else ("the log has no figure that is predicted here",))


def row_of(entry: Entry, what: str) -> Row | None:
    """One figure of an entry."""
    return next((row for row in score(entry).rows if row.what == what), None)


class _Scorer:
    """One entry whose model is known."""

    def __init__(
        self,
        entry: Entry,
        settings: Settings,
        model: ModelGuess,
        hardware: Hardware,
        release: ReleaseGuess,
        doubts: tuple[str, ...],
    ) -> None:
        self.entry = entry
        self.settings = settings
        self.shape = model.found.shape
        self.weights = loaded_weights(model.found, parallel_of(settings), settings.quantization)
        self.hardware = hardware
        self.release = release
        self.doubts = (f"{release.version}: {release.doubt}", *doubts) if release.doubt else doubts
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
        return Row(
            entry=self.entry.id,
            what=what,
            terms=terms,
            logged=logged,
            predicted=predicted,
            limit=limit_of(terms),
            bound=bound,
            notes=(*self.doubts, *notes),
            release=self.release.version,
            release_is_sure=self.release.doubt is None,
        )

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
        row = self._row("KV tokens", terms, logged, budget.tokens, budget.error_tokens, *notes)
        yield replace(row, unit_gib=budget.pools.bytes_a_token / GIB)
        sliding = self._sliding_logged(logged)
        if sliding is not None and budget.pools.sliding_tokens is not None:
            bound = budget.error_tokens * self.settings.sliding_ratio
            yield self._row("window tokens", terms, sliding, budget.pools.sliding_tokens, bound)

    def _sliding_logged(self, full: float) -> float | None:
        pools = self.entry.logged.get("pools")
        if not isinstance(pools, list):
            return None
        counts = [finite(pool.get("tokens")) for pool in pools if isinstance(pool, dict)]
        return next((count for count in counts if count is not None and count != full), None)

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
        row = self._row("free after the pool, GiB", "estimated", left, predicted, AFTER_POOL_GIB)
        yield replace(row, limit=max(MEASURED_LIMIT, AFTER_POOL_GIB / left) if left > 0 else None)

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
