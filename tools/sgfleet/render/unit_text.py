"""A unit file as data: sections, settings and comments in their order, and the text that they make.

`unit_reader.parse_unit` is the inverse: `parse_unit(unit.render()) == unit`.

Values come here already quoted (see `quoting`). This layer does not trust that: a line break, a control character or a
mark that reorders text in any value, key or comment raises `Unquotable`, so no value can grow into a second setting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sgfleet.render import characters
from sgfleet.render.quoting import LINE_MAX_BYTES
from sgfleet.render.unquotable import Unquotable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BLANKS: Final = " \t\n\r"
"""What systemd strips and splits at. Not what Python calls white space."""
INDENT: Final = "    "

_BLANK: Final = frozenset(BLANKS)
_COMMENT_MARK: Final = frozenset("#;")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_LINE_BREAKS: Final = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Comment:
    """One line that systemd skips. `text` is without the mark and the blank after it."""

    text: str
    line: int = field(default=0, compare=False)

    def lines(self) -> list[str]:
        """The comment as it stands in the file."""
        if self.text != self.text.rstrip():
            raise Unquotable("a comment ends with a blank", at=len(self.text) - 1)
        return [f"# {self.text}".rstrip()]


@dataclass(frozen=True, slots=True)
class Setting:
    """`KEY=VALUE`, over one line or several.

    `physical` are the value's lines as they stand in the file, indentation included, without the backslashes that join
    them. `line` counts from 1; it is 0 for a setting that was not read from a file.
    """

    key: str
    physical: tuple[str, ...]
    line: int = field(default=0, compare=False)

    @classmethod
    def of(cls, key: str, value: str) -> Setting:
        """A setting on one line."""
        return cls(key, (value,))

    @classmethod
    def wrapped(cls, key: str, parts: Iterable[str]) -> Setting:
        """A setting with each part (at least one) on its own line, the first beside the key."""
        first, *rest = parts
        physical = [first, *(INDENT + part for part in rest)]
        return cls(key, (*(line + " " for line in physical[:-1]), physical[-1]))

    @property
    def value(self) -> str:
        """The value as systemd reads it: each line break a blank."""
        return " ".join(self.physical).strip(BLANKS)

    @property
    def parts(self) -> tuple[str, ...]:
        """The value's lines without what only lays them out: what a comparison of two units shows."""
        return tuple(line.strip(BLANKS) for line in self.physical)

    def lines(self) -> list[str]:
        """The setting as it stands in the file."""
        _refuse_name(self.key, "a key")
        physical = self.physical
        if not physical or physical[0][:1] in _BLANK or physical[-1][-1:] in _BLANK:
            raise Unquotable(f"the value of {self.key}= starts or ends with a blank: systemd strips it")
        for number, text in enumerate(physical, start=1):
            if text.endswith("\\") and (len(text) - len(text.rstrip("\\"))) % 2:
                raise Unquotable(f"line {number} of {self.key}= ends in a backslash: systemd would join the next")
            if number > 1 and text.lstrip(BLANKS)[:1] in _COMMENT_MARK:
                raise Unquotable(f"line {number} of {self.key}= starts with # or ;: systemd drops it as a comment")
        lines = [text + "\\" for text in physical[:-1]] + [physical[-1]]
        lines[0] = f"{self.key}={lines[0]}"
        return lines


@dataclass(frozen=True, slots=True)
class Section:
    """`[NAME]` and what stands under it. A comment under the last setting of a section belongs to that section."""

    name: str
    items: tuple[Comment | Setting, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Ignored:
    """A line that systemd reads and drops with no more than a warning in the journal."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class UnitText:
    """A whole unit file. `header` are the comments above the first section; `ignored` is filled by the reader only."""

    sections: tuple[Section, ...]
    header: tuple[Comment, ...] = ()
    ignored: tuple[Ignored, ...] = field(default=(), compare=False)

    def render(self) -> str:
        """The file: sections with an empty line between them, ending in a line break. Raises `Unquotable`."""
        blocks = [_rendered(self.header)] if self.header else []
        for section in self.sections:
            _refuse_name(section.name, "a section")
            blocks.append([f"[{section.name}]", *_rendered(section.items)])
        if not blocks:
            return ""
        if characters.unfit("".join(map("".join, blocks))):
            _refuse_unfit([*self.header, *(item for section in self.sections for item in section.items)])
        return "\n\n".join(map("\n".join, blocks)) + "\n"

    def settings(self, section: str, key: str | None = None) -> Iterator[Setting]:
        """The settings of every section of that name, in the order of the file."""
        for found in self.sections:
            if found.name == section:
                yield from (i for i in found.items if isinstance(i, Setting) and (key is None or i.key == key))

    def values(self, section: str, key: str) -> list[str]:
        """What a list setting (`Environment=`, `After=`) amounts to: an empty assignment clears the list."""
        values: list[str] = []
        for setting in self.settings(section, key):
            values = [*values, setting.value] if setting.value else []
        return values

    def value(self, section: str, key: str) -> str | None:
        """What a single setting (`Type=`) amounts to: the last assignment wins, an empty one restores the default."""
        found = [setting.value for setting in self.settings(section, key)]
        return (found[-1] or None) if found else None


def comments(text: str) -> tuple[Comment, ...]:
    """Free text as comments, one a line, whatever its line breaks. Other control characters are refused by `render`."""
    if not text.strip():
        return ()
    return tuple(Comment(line.replace("\t", " ").rstrip()) for line in _LINE_BREAKS.split(text.rstrip()))


def _refuse_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise Unquotable(f"{what} of a unit is named {name[:40]!a}: letters, digits and dashes of ASCII only")


def _rendered(items: Iterable[Comment | Setting]) -> list[str]:
    rendered: list[str] = []
    for item in items:
        lines = item.lines()
        size = sum(map(len, lines))
        if (
            size * 4 > LINE_MAX_BYTES
            and (size := sum(len(line.encode(errors="replace")) for line in lines)) > LINE_MAX_BYTES
        ):
            raise Unquotable(f"{_where(item)} takes {size} bytes of the unit: systemd reads at most {LINE_MAX_BYTES}")
        rendered += lines
    return rendered


def _refuse_unfit(items: Iterable[Comment | Setting]) -> None:
    for item in items:
        if found := characters.unfit("".join(item.lines())):
            raise Unquotable(f"{_where(item)} holds {characters.name_of(found[0])}: it must not stand raw in a unit")


def _where(item: Comment | Setting) -> str:
    return f"the value of {item.key}=" if isinstance(item, Setting) else "a comment"
