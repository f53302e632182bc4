"""Limits of the service's own: on tokens, on the split between kinds of layers, on context, pages and requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.options.move import Move, Ruled
from sgfleet.options.requests import requests_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.options.situation import Situation

_SLIDING: Final = 0.5
_STATES: Final = 0.5


def moves(now: Situation) -> Iterator[Move | Ruled]:
    """What may be lifted or shifted; what is often tried and buys no tokens is said with its reason."""
    settings, shape = now.settings, now.service.load.shape
    if settings.max_total_tokens is not None and now.budget.tokens >= settings.max_total_tokens // 2:
        title = f"no limit of {settings.max_total_tokens:,} tokens"
        yield Move("limits", title, {"max-total-tokens": None}, costs=("whoever set the limit had a reason",))
    sliding = now.flag("swa-full-tokens-ratio")
    if now.budget.resolved.sliding and sliding is not None and settings.sliding_ratio > _SLIDING:
        cost = "less room for the windows of sliding layers: fewer short requests at once"
        yield Move("limits", f"sliding pool {_SLIDING:g} of the full one", {sliding: _SLIDING}, costs=(cost,))
    states = now.flag("mamba-full-memory-ratio")
    if shape.has_state and states is not None and settings.mamba_ratio > _STATES and settings.mamba_slots is None:
        cost = "fewer states of linear layers: fewer requests at once"
        yield Move("limits", f"states {_STATES:g} of the KV pool", {states: _STATES}, costs=(cost,))
    yield from _idle(now)


def _idle(now: Situation) -> Iterator[Ruled]:
    budget = now.budget
    page = budget.resolved.page_size
    yield Ruled("another page-size", f"it is {page}: pages are rounding, not room; larger ones move faster to RAM")
    context = now.settings.context_length or now.service.load.shape.context_length
    if context:
        reason = "it bounds a request, not the pool"
        if budget.request_table_bytes:
            reason += f"; the table that it sizes takes {budget.request_table_bytes / 2**20:,.0f} MiB beside the pool"
        yield Ruled("a smaller context-length", reason)
    requests = requests_of(now)
    if requests is not None:
        each = budget.tokens * now.groups // requests
        reason = f"{requests} run at once, with {each:,} tokens each when all are there; fewer leave more for each"
    else:
        reason = "the pool stays; it only decides among how many requests it is shared"
    yield Ruled("another max-running-requests", reason)
