"""Findings for a person at a terminal, in the manner of a good compiler.

error[FLG001]: SGLang 0.5.9 has no flag `tp`
  --> hosts/kimi-01/host.yaml:12:7
   |
12 |       tp: 8
   |       ^^
   = from: the flag schema of 0.5.9
   = help: write tp-size
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TextIO

from sgfleet.output.colour import plain
from sgfleet.output.few import Few
from sgfleet.output.repeats import Repeats, is_shared
from sgfleet.output.visible import spread, visible, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sgfleet.findings import Finding, Place
    from sgfleet.output.colour import Paint
    from sgfleet.output.few import Left
    from sgfleet.output.summary import Failure, Summary

LONGEST_LINE: Final = 140
"""Characters of a file's line that are shown; a longer one is cut around what is underlined."""

_BEFORE: Final = 30
"""Characters that stay before the underlined ones when a line is cut."""

CUT: Final = "\N{HORIZONTAL ELLIPSIS}"


class Text:
    """Writes findings as they come; one that repeats word for word in a shared file is told once and then counted, and
    so are many of one code in one file.
    """

    def __init__(self, stream: TextIO, paint: Paint = plain) -> None:
        self._stream = stream
        self._paint = paint
        self._repeats = Repeats()
        self._few = Few()
        self._shared: set[Finding] = set()

    def begin(self) -> None:
        """Nothing: a text starts with its first finding."""

    def add(self, findings: Sequence[Finding]) -> None:
        """Findings of one host. Waived ones are only counted."""
        for finding, more in self._repeats.of_host(findings):
            if not self._few.takes(finding):
                continue
            if is_shared(finding.place.path):
                self._shared.add(finding)
            self._stream.write("\n".join(render(finding, self._paint, more)) + "\n\n")
        self._tell(self._few.left(lambda path: path.startswith(("hosts/", "units/"))))

    def end(self, _summary: Summary, _failures: Sequence[Failure], /) -> None:
        """What was told once and holds for more. Summary and failures go to standard error, which is not ours."""
        for finding, more in self._repeats.at_end():
            if finding not in self._shared:
                continue
            what = self._paint(finding.severity, f"{finding.severity}[{finding.code}]")
            self._stream.write(f"{what} at {visible(str(finding.place))}: the same for {_services(more)}\n")
        self._tell(self._few.left())

    def _tell(self, left: Iterable[Left]) -> None:
        for severity, code, path, number in left:
            what = self._paint(severity, f"{severity}[{code}]")
            self._stream.write(f"{what}: {number:,} more in {visible(path)}; --format json lists all of them\n\n")


def _services(number: int) -> str:
    return f"{number:,} more service{'' if number == 1 else 's'}"


def render(finding: Finding, paint: Paint = plain, more: int = 0) -> Iterator[str]:
    """One finding, line by line, without line breaks; `more` services have the very same."""
    severity = str(finding.severity)
    yield f"{paint(severity, f'{severity}[{finding.code}]')}{paint('strong', ': ' + visible(finding.message))}"
    places = [finding.place, *(place for place, _ in finding.related)]
    gutter = max((len(str(place.line)) for place in places if place.text is not None), default=1)
    yield from _snippet(finding.place, "-->", _subject(finding, more), "^", severity, "", gutter, paint)
    for place, words in finding.related:
        yield from _snippet(place, ":::", "", "-", "gutter", words, gutter, paint)
    notes = [("", line) for line in finding.arithmetic]
    if finding.based_on:
        notes.append(("from: ", ", ".join(finding.based_on)))
    if finding.help is not None:
        notes.append(("help: ", finding.help))
    edge = " " * gutter + paint("gutter", " = ")
    for label, line in notes:
        yield edge + paint("help" if label == "help: " else "strong", label) + visible(line)


def _subject(finding: Finding, more: int) -> str:
    """The service, where the place alone does not tell it: its value may come from defaults."""
    if finding.service is None or (finding.route[:2] == ("services", finding.service) and not more):
        return ""
    name = f"{finding.host}/{finding.service}" if finding.host else finding.service
    return f" for {name} and {_services(more)}" if more else f" for {name}"


def _snippet(
    place: Place, arrow: str, subject: str, mark: str, style: str, words: str, gutter: int, paint: Paint
) -> Iterator[str]:
    said = f": {visible(words)}" if words and place.text is None else ""
    yield f"{' ' * gutter}{paint('gutter', arrow)} {visible(str(place))}{visible(subject)}{said}"
    if place.text is None or not place.line:
        return
    line, start, length = _underlined(place, place.text)
    bar = paint("gutter", " |")
    number = paint("gutter", f"{place.line:>{gutter}} |")
    yield " " * gutter + bar
    yield f"{number} {line}".rstrip()
    yield f"{' ' * gutter}{bar} {' ' * start}{paint(style, (mark * length + ' ' + visible(words)).rstrip())}"


def _underlined(place: Place, text: str) -> tuple[str, int, int]:
    """What is shown of a line; the cell (from 0) at which the mark starts, and how many cells it is long."""
    start = min(place.column - 1, len(text))
    end = place.end_column - 1 if place.end_line == place.line else len(text.rstrip())
    end = max(start, min(end, len(text)))
    pieces = spread(text)
    if len(text) > LONGEST_LINE:
        first = max(0, min(start - _BEFORE, len(text) - LONGEST_LINE))
        last = first + LONGEST_LINE
        pieces = [CUT if first else "", *pieces[first:last], CUT if last < len(text) else ""]
        start, end = start - first + 1, min(end, last) - first + 1
    before, marked = "".join(pieces[:start]), "".join(pieces[start:end])
    return "".join(pieces), width(before), max(1, width(marked))
