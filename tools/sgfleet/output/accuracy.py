"""How near the predictions come to start-up logs, for a reader: a table, what was not predicted, the sum of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.output.json_answer import json_text
from sgfleet.output.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.memory.accuracy.row import Row, Score

HEADS: Final = ("entry", "figure", "known", "logged", "predicted", "error", "asked", "claimed", "")
TERMS: Final = ("exact", "measured", "hardware", "estimated")


@dataclass(frozen=True, slots=True)
class Scored:
    """A score with the candidates that explain each of its misses."""

    score: Score
    reasons: tuple[tuple[str, ...], ...]

    @property
    def misses(self) -> int:
        """Rows that are farther off than is asked for, or than the estimator claims."""
        return sum(1 for row in self.score.rows if is_miss(row))


def is_miss(row: Row) -> bool:
    """Whether a row is to be explained."""
    return not (row.within_limit and row.within_bound)


def as_text(scored: Sequence[Scored]) -> str:
    """A table for a terminal; under each row what was assumed."""
    table = [HEADS, *(_cells(row) for each in scored for row in each.score.rows)]
    widths = [max(len(cells[column]) for cells in table) for column in range(len(HEADS))]
    lines = [_aligned(HEADS, widths)]
    for each in scored:
        for row, reasons in zip(each.score.rows, each.reasons, strict=True):
            lines.append(_aligned(_cells(row), widths))
            lines += [f"    {visible(note)}" for note in _remarks(each, row, reasons)]
        lines += [f"{visible(each.score.entry)}  not predicted: {visible(why)}" for why in _missed(each)]
    return "\n".join([*lines, "", *_sums(scored)]) + "\n"


def as_markdown(scored: Sequence[Scored]) -> str:
    """The same as a page."""
    lines = [f"| {' | '.join(HEADS)} |", "|---|---|---|--:|--:|--:|--:|--:|---|"]
    lines += [f"| {' | '.join(map(_safe, _cells(row)))} |" for each in scored for row in each.score.rows]
    lines += ["", *(f"- {line}" for line in _sums(scored))]
    lines += ["", "What was assumed, and why figures are missing or miss:", ""]
    for each in scored:
        remarks = list(_missed(each))
        for row, reasons in zip(each.score.rows, each.reasons, strict=True):
            remarks += [remark for remark in _remarks(each, row, reasons) if remark not in remarks]
        if remarks:
            lines.append(f"- {_safe(each.score.entry)}: {_safe('; '.join(remarks))}")
    return "\n".join(lines) + "\n"


def as_json(scored: Sequence[Scored]) -> str:
    """The same for programs."""
    return json_text({"format": 1, "entries": [_entry(each) for each in scored]}, indent=2) + "\n"


def _entry(scored: Scored) -> dict[str, Any]:
    rows = [
        {
            "figure": row.what,
            "known": row.terms,
            "logged": row.logged,
            "predicted": row.predicted,
            "error": row.error,
            "limit": row.limit,
            "bound": row.bound,
            "within_limit": row.within_limit,
            "within_bound": row.within_bound,
            "release": row.release,
            "notes": list(row.notes),
            "reasons": list(reasons),
        }
        for row, reasons in zip(scored.score.rows, scored.reasons, strict=True)
    ]
    return {"entry": scored.score.entry, "rows": rows, "not_predicted": list(scored.score.missed)}


def _cells(row: Row) -> tuple[str, ...]:
    asked = "as printed" if row.limit is None else f"{row.limit:.1%}"
    claimed = "exact" if row.limit is None else f"± {row.bound / row.logged:.1%}" if row.logged else ""
    verdict = "" if not is_miss(row) else "MISS" if not row.within_limit else "OUTSIDE"
    logged, predicted = _number(row.logged), _number(row.predicted)
    return (visible(row.entry), row.what, row.terms, logged, predicted, f"{row.error:+.2%}", asked, claimed, verdict)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4f}" if abs(value) < 2 else f"{value:,.2f}"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    words = [cell.ljust(width) for cell, width in zip(cells[:3], widths[:3], strict=True)]
    words += [cell.rjust(width) for cell, width in zip(cells[3:8], widths[3:8], strict=True)]
    return "  ".join([*words, cells[8]]).rstrip()


def _remarks(scored: Scored, row: Row, reasons: tuple[str, ...]) -> Iterator[str]:
    if row is scored.score.rows[0]:
        yield from row.notes
    for reason in reasons:
        yield f"{row.what}: {reason}"


def _missed(scored: Scored) -> Iterator[str]:
    if not scored.score.rows:
        yield from scored.score.missed


def _sums(scored: Sequence[Scored]) -> Iterator[str]:
    """One line for each kind of figure, and how many entries have none."""
    rows = [row for each in scored for row in each.score.rows]
    for terms in TERMS:
        of = [row for row in rows if row.terms == terms]
        if of:
            good, claimed = (sum(getattr(row, name) for row in of) for name in ("within_limit", "within_bound"))
            worst = max(abs(row.error) for row in of)
            yield (
                f"{terms}: {good} of {len(of)} as near as is asked for, {claimed} as near as is claimed, "
                f"{worst:.2%} the farthest"
            )
    without = sum(1 for each in scored if not each.score.rows)
    if without:
        yield f"{without} of {len(scored)} entries have no prediction"


def _safe(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
