"""The text of a unit file as data, read as systemd reads it.

What systemd drops with a warning is listed in `UnitText.ignored`; what makes it refuse the whole file raises
`UnitSyntaxError`. Drop-ins, specifiers and what a key means are not looked at. For a file of the host, decode its bytes
with `errors="surrogateescape"`: bytes that are not UTF-8 are then judged here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sgfleet.render import characters
from sgfleet.render.quoting import LINE_MAX_BYTES
from sgfleet.render.unit_text import BLANKS, Comment, Ignored, Section, Setting, UnitText

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END: Final = re.compile("\n(?:\r\0?|\0)?|\r(?:\n\0?|\0)?|\0")
"""systemd ends a line at any of the three, and takes different ones in a row for one end."""
_BYTE_ORDER_MARK: Final = "\ufeff"
_NOT_UTF8: Final = re.compile(f"[{characters.SURROGATES}{characters.NONCHARACTERS}]")


class UnitSyntaxError(ValueError):
    """systemd refuses the whole file. `line` counts from 1; `reason` is lower case, without a full stop."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(slots=True)
class _Logical:
    """A line with its continuations, and the comments that stood between them."""

    line: int
    physical: list[str] = field(default_factory=list)
    between: list[Comment] = field(default_factory=list)
    size_bytes: int = 0


def parse_unit(text: str) -> UnitText:
    """Sections, settings with their line numbers, and comments. A section that stands twice is given twice."""
    header: list[Comment] = []
    sections: list[tuple[str, int, list[Comment | Setting]]] = []
    ignored: list[Ignored] = []
    for item in _logical_lines(text):
        if isinstance(item, Comment):
            (sections[-1][2] if sections else header).append(item)
            continue
        stripped = " ".join(item.physical).strip(BLANKS)
        if not stripped:
            continue
        if not stripped.isascii() and _NOT_UTF8.search(stripped):
            raise UnitSyntaxError(item.line, "the line is not valid UTF-8, or holds a Unicode noncharacter")
        if stripped.startswith("["):
            if not stripped.endswith("]"):
                raise UnitSyntaxError(item.line, "a section header without its closing bracket")
            sections.append((stripped[1:-1], item.line, []))
        elif reason := _why_dropped(stripped, in_section=bool(sections)):
            ignored.append(Ignored(item.line, reason))
        else:
            sections[-1][2].append(_setting(item))
        (sections[-1][2] if sections else header).extend(item.between)
    return UnitText(
        sections=tuple(Section(name, tuple(items), line) for name, line, items in sections),
        header=tuple(header),
        ignored=tuple(ignored),
    )


def _logical_lines(text: str) -> Iterator[_Logical | Comment]:
    pending: _Logical | None = None
    mark_allowed = True
    for number, raw in enumerate(_LINE_END.split(text), start=1):
        bare = raw.lstrip(BLANKS)
        if bare[:1] in ("#", ";"):
            _refuse_long(number, _size(raw))
            comment = Comment(bare[1:].removeprefix(" ").rstrip(), number)
            if pending:
                pending.between.append(comment)
            else:
                yield comment
            continue
        if mark_allowed and raw.startswith(_BYTE_ORDER_MARK):  # systemd skips one, on whichever line it stands
            raw = raw[1:]
            mark_allowed = False
        current = pending or _Logical(number)
        current.size_bytes += _size(raw)
        _refuse_long(current.line, current.size_bytes)
        continues = (len(raw) - len(raw.rstrip("\\"))) % 2 == 1
        current.physical.append(raw[:-1] if continues else raw)
        pending = current if continues else None
        if not pending:
            yield current
    if pending:
        yield pending


def _refuse_long(line: int, size_bytes: int) -> None:
    if size_bytes > LINE_MAX_BYTES:
        raise UnitSyntaxError(line, f"the line has {size_bytes} bytes or more: systemd reads at most {LINE_MAX_BYTES}")


def _size(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _why_dropped(line: str, *, in_section: bool) -> str | None:
    key, equals, _ = line.partition("=")
    if not in_section:
        return "an assignment above the first section"
    if not equals:
        return "no = in the line"
    if not key.strip(BLANKS):
        return "no key before the ="
    return None


def _setting(item: _Logical) -> Setting:
    # The = may stand on any of the lines: `Description \` and `= text` on the next one is one assignment.
    key_lines: list[str] = []
    rest = list(item.physical)
    while "=" not in rest[0]:
        key_lines.append(rest.pop(0))
    key_end, _, first = rest[0].partition("=")
    key = " ".join([*key_lines, key_end]).strip(BLANKS)
    physical = [first.lstrip(BLANKS), *rest[1:]]
    physical[-1] = physical[-1].rstrip(BLANKS)
    return Setting(key, tuple(physical), item.line)
