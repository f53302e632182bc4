"""Notes -> flags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import behaviours
from sgfleet.engine.extract.values import (
    Class,
    EnumMember,
    External,
    Function,
    Unknown,
    in_order,
    is_plain,
    unknown_in,
)
from sgfleet.engine.flag import Deprecation, Flag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.engine.extract.interpreter import Interpreter
    from sgfleet.engine.extract.notes import Note

_KNOWN_TYPES: Final = {"str", "int", "float", "bool", "json.loads"}
"""Type functions outside the wheel that this project knows."""

_DEPRECATED: Final = re.compile(r"\W*deprecated\b", re.IGNORECASE)
"""How the help text of a deprecated flag begins that has no action of its own."""

_INSTEAD: Final = re.compile(r"\b(?:use|alias for)\s+[`'\"]?(--[a-z0-9][a-z0-9-]*(?:=\w+)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadFlag:
    """A flag, and why it is opaque if it is."""

    flag: Flag
    doubts: tuple[Unknown, ...]


class _Reader:
    """Reads one note; collects what it cannot tell."""

    def __init__(self, note: Note, interpreter: Interpreter) -> None:
        self.note = note
        self.interpreter = interpreter
        self.doubts: list[Unknown] = [note.doubt] if note.doubt is not None else []

    def doubt(self, reason: str | Unknown) -> None:
        """The flag is opaque, for this reason."""
        unknown = reason if isinstance(reason, Unknown) else Unknown(reason, self.note.module, self.note.line)
        if unknown not in self.doubts:
            self.doubts.append(unknown)

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute of the action as plain data; `default`, with a doubt, where it is none."""
        value = self.note.action.get(name, default)
        unknown = unknown_in(value)
        if unknown is not None:
            self.doubt(unknown)
            return default
        if not is_plain(value):
            self.doubt(f"{name} is no plain data")
            return default
        return value

    def type(self) -> tuple[str | None, Any]:
        """(name of the type function, its semantics)."""
        value = self.note.action.get("type")
        match value:
            case None:
                return None, None
            case External(name=name):
                if name not in _KNOWN_TYPES:
                    self.doubt(f"type {name} is not known here")
                return name, None
            case Function():
                known = behaviours.behaviour_of(value, self.interpreter)
                if isinstance(known, Unknown):
                    self.doubt(known)
                    return value.name, None
                semantics = behaviours.semantics_of(known, value, self.interpreter)
                if isinstance(semantics, Unknown):
                    self.doubt(semantics)
                    return value.name, None
                return value.name, semantics
        self.doubt(value if isinstance(value, Unknown) else "a type that is no function of the wheel")
        return None, None

    def choices(self) -> tuple[Any, ...] | None:
        """The choices, those of a set in a fixed order."""
        value = self.note.action.get("choices")
        if value is None:
            return None
        unknown = unknown_in(value)
        if isinstance(value, (set, frozenset)) and unknown is None:
            value = in_order(value)
        if unknown is None and isinstance(value, (list, tuple, dict, range)) and is_plain(list(value)):
            return tuple(value)
        self.doubt(unknown if unknown is not None else "the choices are no plain data")
        return None

    def metavar(self) -> str | None:
        """The placeholder of the value; one for each word is joined."""
        value = self.attribute("metavar")
        return " ".join(map(str, value)) if isinstance(value, (tuple, list)) else value

    def action(self) -> tuple[str, behaviours.Behaviour]:
        """(name of the action, what is known of it)."""
        cls = self.note.cls
        if not isinstance(cls, Class):
            return cls, behaviours.NO_BEHAVIOUR
        known = behaviours.behaviour_of(cls, self.interpreter)
        if isinstance(known, Unknown):
            self.doubt(known)
            return cls.name, behaviours.NO_BEHAVIOUR
        return cls.name, known

    def deprecation(self, known: behaviours.Behaviour, dest: str) -> Deprecation | None:
        """What using the flag does when the release has deprecated it."""
        help_text = self.note.action.get("help")
        if not isinstance(help_text, str):
            help_text = ""
        instead = self.note.action.get("new_flag")
        if not isinstance(instead, str):
            found = _INSTEAD.search(help_text)
            instead = found.group(1) if found is not None else None
        if known.effect is None:
            return Deprecation("help", instead) if _DEPRECATED.match(help_text) else None
        if known.refuses_with is not None and self.note.action.get(known.refuses_with) is not None:
            return Deprecation("rejects", instead)
        own_dest = self.note.options[0][2:].replace("-", "_")
        renamed = known.effect == "warns" and dest != own_dest
        return Deprecation("alias" if renamed else known.effect, instead)

    def read(self) -> ReadFlag:
        """The flag."""
        dest = self.note.dest
        if not isinstance(dest, str):
            self.doubt(dest if isinstance(dest, Unknown) else "a dest that is no name")
            dest = self.note.options[0][2:].replace("-", "_")
        action, known = self.action()
        type_name, type_semantics = self.type()
        if known.semantics is not None and type_semantics is not None:
            self.doubt(f"both the action and the type of {self.note.options[0]} have variants")
        constant = known.constant or "const"
        flag = Flag(
            options=self.note.options,
            dest=dest,
            action=action,
            nargs=self.attribute("nargs"),
            const=self.attribute(constant),
            default=self._default(),
            type=type_name,
            choices=self.choices(),
            required=bool(self.attribute("required", False)),
            metavar=self.metavar(),
            semantics=known.semantics or type_semantics,
            deprecation=self.deprecation(known, dest),
        )
        return ReadFlag(flag._replace(opaque=bool(self.doubts)), tuple(self.doubts))

    def _default(self) -> Any:
        value = self.note.action.get("default")
        if isinstance(value, EnumMember) and isinstance(value.value, str):
            return value.value
        return self.attribute("default")


def read(notes: Iterable[Note], interpreter: Interpreter) -> list[ReadFlag]:
    """The flags that the notes declare, in their order."""
    return [_Reader(note, interpreter).read() for note in notes]
