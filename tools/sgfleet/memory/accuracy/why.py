"""Why a prediction misses: what would have to be otherwise for it to agree. Each is said as what it is, a candidate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.engine import store
from sgfleet.engine.version import in_order
from sgfleet.memory.accuracy.score import row_of
from sgfleet.memory.eras import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.memory.accuracy.entry import Entry
    from sgfleet.memory.accuracy.row import Row

KV_TYPES: Final = ("fp8_e4m3", "bfloat16")


def why(entry: Entry, row: Row) -> tuple[str, ...]:
    """Candidates for a missed figure, the likelier first; says so where there is none."""
    found = [*_other_release(entry, row), *_other_kv_type(entry, row), *_other_memory(row)]
    return tuple(found) or ("nothing that was tried explains it",)


def _other_release(entry: Entry, row: Row) -> Iterator[str]:
    """Another release, where the log does not say which one ran: the nearest one whose rules agree."""
    if row.release_is_sure:
        return
    known = store.available()
    here = known.index(row.release) if row.release in known else len(known) - 1
    starts = {era.since for rule in RULES.values() for era in rule.eras}
    for version in sorted(in_order(starts & set(known)), key=lambda each: abs(known.index(each) - here)):
        other = row_of(replace(entry, version=version), row.what)
        if other is not None and other.within_limit:
            yield f"by the rules of {version} it would be {other.error:+.1%}: the release is a guess"
            return


def _other_kv_type(entry: Entry, row: Row) -> Iterator[str]:
    for kv_type in KV_TYPES:
        facts = {**entry.facts, "kv_cache_dtype_effective": kv_type}
        other = row_of(replace(entry, facts=facts), row.what)
        if other is not None and other.within_limit and other.predicted != row.predicted:
            yield f"with a KV cache of {kv_type} it would be {other.error:+.1%}"


def _other_memory(row: Row) -> Iterator[str]:
    if row.unit_gib is None:
        return
    apart = (row.predicted - row.logged) * row.unit_gib
    kind = "weights and overhead take" if row.terms == "hardware" else "something else takes"
    way = "more" if apart > 0 else "less"
    yield f"{kind} {abs(apart):.2f} GiB {way} a rank than is counted"
