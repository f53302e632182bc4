"""What a terminal shows, as a picture: text with escape sequences -> SVG that reads well on light and dark pages."""

from __future__ import annotations

import re
import unicodedata
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS: Final = 134
_CELL_WIDTH: Final = 7.8
_LINE_HEIGHT: Final = 18
_MARGIN: Final = 16
_TITLE_HEIGHT: Final = 34
_SEQUENCE: Final = re.compile(r"\x1b\[([0-9;]*)m")
_NAMES: Final = {"31": "red", "32": "green", "33": "yellow", "34": "blue", "36": "cyan"}

_LIGHT: Final = {
    "text": "#1f2328", "faint": "#59636e", "red": "#c4212b", "green": "#1a7f37",
    "yellow": "#8a5a00", "blue": "#0550ae", "cyan": "#0a6e80", "back": "#ffffff", "edge": "#d0d7de",
}  # fmt: skip
_DARK: Final = {
    "text": "#e6edf3", "faint": "#9198a1", "red": "#ff7b72", "green": "#56d364",
    "yellow": "#e3b341", "blue": "#79c0ff", "cyan": "#76e3ea", "back": "#0d1117", "edge": "#30363d",
}  # fmt: skip
_FONT: Final = "13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def style() -> str:
    """Every colour twice: as it is, and for readers whose page is dark. No variables: not every viewer knows them."""
    light, dark = ("".join(f" .{name} {{ fill: {colour}; }}" for name, colour in of.items()) for of in (_LIGHT, _DARK))
    frame = " .back {{ stroke: {edge}; }}"
    return (
        f"text {{ font: {_FONT}; }} .bold {{ font-weight: 600; }}\n{light[1:]}{frame.format(**_LIGHT)}\n"
        f"@media (prefers-color-scheme: dark) {{{dark}{frame.format(**_DARK)} }}"
    )


class Run(NamedTuple):
    """Text that begins in a column and looks the same throughout."""

    column: int
    text: str
    classes: str


def as_svg(text: str, title: str) -> str:
    """The picture. Lines that are longer than the terminal go on in the next one."""
    lines = [line for each in text.splitlines() for line in _wrapped(_runs(each))]
    width = round(2 * _MARGIN + COLUMNS * _CELL_WIDTH)
    height = _TITLE_HEIGHT + _MARGIN + len(lines) * _LINE_HEIGHT
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    frame = f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" class="back"/>'
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        f"<title>{escape(title)}</title>",
        f"<style>\n{style()}\n</style>",
        frame,
        *(f'<circle cx="{_MARGIN + 6 + 18 * number}" cy="18" r="5" class="edge"/>' for number in range(3)),
    ]
    for number, runs in enumerate(lines):
        y = _TITLE_HEIGHT + (number + 1) * _LINE_HEIGHT - 5
        drawn += [_text(run, y) for run in runs if run.text.strip()]
    return "\n".join(drawn) + "\n</svg>\n"


def _text(run: Run, y: int) -> str:
    x = _MARGIN + run.column * _CELL_WIDTH
    # The length is said, so that columns stand below each other whatever font a reader has.
    length = f'textLength="{_cells(run.text) * _CELL_WIDTH:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text xml:space="preserve" x="{x:.1f}" y="{y}" {length} class="{run.classes}">{escape(run.text)}</text>'


def _runs(line: str) -> list[Run]:
    found: list[Run] = []
    column, classes = 0, "text"
    for number, part in enumerate(_SEQUENCE.split(line)):
        if number % 2:
            classes = _classes(part)
            continue
        for piece in re.split(r"(  +)", part):  # gaps are not drawn: a reader's font may have another space
            if piece.strip():
                ahead = len(piece) - len(piece.lstrip(" "))
                found.append(Run(column + ahead, piece.strip(" "), classes))
            column += _cells(piece)
    return found


def _classes(codes: str) -> str:
    names = {"1": "bold", "2": "faint", **_NAMES}
    found = [names[code] for code in codes.split(";") if code in names]
    return " ".join(found if set(found) - {"bold"} else [*found, "text"])


def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def _wrapped(runs: list[Run]) -> Iterator[list[Run]]:
    line: list[Run] = []
    for run in runs:
        while run.column + _cells(run.text) > COLUMNS:
            room = COLUMNS - run.column
            cut = run.text.rfind(" ", 0, room + 1) if room > 0 else -1
            head = run.text[:cut] if cut > 0 else ""
            if head:
                line.append(run._replace(text=head))
            elif not line:  # one word that is longer than a line
                cut = room
                line.append(run._replace(text=run.text[:cut]))
            yield line
            line = []
            run = Run(4, run.text[max(cut, 0) :].lstrip(), run.classes)
        line.append(run)
    yield line
