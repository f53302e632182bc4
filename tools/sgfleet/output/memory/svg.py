"""The budgets as a picture: one stacked bar for the GPU of each service and one for the RAM of the host."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from sgfleet.memory.units import GIB

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.memory.lines import Line
    from sgfleet.output.memory.report import HostReport, Row

WIDTH: Final = 860
LEFT: Final = 20
BAR_HEIGHT: Final = 26
LINE: Final = 20
LEGEND_LINE: Final = 15
OTHER: Final = "#cccccc"
COLOURS: Final = {
    "overhead": "#9aa0a6",
    "weights": "#4c78a8",
    "draft_weights": "#72a0c8",
    "kv": "#f58518",
    "sliding": "#ffbf79",
    "state": "#b279a2",
    "draft_kv": "#eeca3b",
    "multimodal": "#bab0ac",
    "request_table": "#d4c9c4",
    "graphs": "#79706e",
    "unaccounted": "#6b6ecf",
    "pinned": "#f58518",
    "left": "#54a24b",
}
TOTALS: Final = frozenset({"card", "free", "available", "reserve"})


def as_svg(reports: Iterable[HostReport]) -> str:
    """One picture of all reports."""
    drawn: list[str] = []
    top = LEFT
    for report in reports:
        drawn.append(_text(LEFT, top + 12, f"{report.host}  {report.headline}", weight="bold"))
        top += LINE
        for title, rows in _groups(report):
            for when, parts in _moments(rows, changed=report.changed):
                drawn.append(_text(LEFT, top + 14, f"{title}{when}"))
                top += LINE
                drawn += _bar(parts, top)
                top += BAR_HEIGHT + 4
                legend, height = _legend(parts, top)
                drawn += legend
                top += height + 6
    size = f'width="{WIDTH}" height="{top + LEFT}" viewBox="0 0 {WIDTH} {top + LEFT}"'
    style = 'font-family="system-ui, sans-serif" font-size="12"'
    drawn.insert(0, '<rect width="100%" height="100%" fill="white"/>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n' + "\n".join(drawn) + "\n</svg>\n"


def _groups(report: HostReport) -> Iterator[tuple[str, tuple[Row, ...]]]:
    for service in report.services:
        if service.gpu:
            yield f"{service.name}: GPU of a rank", service.gpu
    if report.ram:
        yield "RAM of the host", report.ram


def _moments(rows: tuple[Row, ...], *, changed: bool) -> Iterator[tuple[str, list[Line]]]:
    before = [row.before for row in rows if row.before is not None and row.name not in TOTALS]
    if not changed:
        yield "", before
        return
    yield ", now", before
    yield ", after", [row.after for row in rows if row.after is not None and row.name not in TOTALS]


def _bar(parts: list[Line], top: int) -> Iterator[str]:
    total = sum(max(0, part.bytes) for part in parts) or 1
    x = float(LEFT)
    for part in parts:
        width = max(0, part.bytes) / total * (WIDTH - 2 * LEFT)
        colour = COLOURS.get(part.name, OTHER)
        title = escape(f"{part.label}: {part.bytes / GIB:,.2f} GiB")
        yield (
            f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{BAR_HEIGHT}" fill="{colour}">'
            f"<title>{title}</title></rect>"
        )
        x += width


def _legend(parts: list[Line], top: int) -> tuple[list[str], int]:
    """The labels, on as many lines as they take, and the height of these."""
    drawn: list[str] = []
    x, y = LEFT, top
    for part in parts:
        label = f"{part.label} {part.bytes / GIB:,.1f}"
        width = 26 + 6 * len(label)
        if x + width > WIDTH:
            x, y = LEFT, y + LEGEND_LINE
        drawn.append(f'<rect x="{x}" y="{y + 3}" width="9" height="9" fill="{COLOURS.get(part.name, OTHER)}"/>')
        drawn.append(_text(x + 13, y + 12, label, size=10))
        x += width
    return drawn, y - top + LINE


def _text(x: int, y: int, text: str, *, weight: str = "normal", size: int = 12) -> str:
    return f'<text x="{x}" y="{y}" font-weight="{weight}" font-size="{size}">{escape(text)}</text>'
