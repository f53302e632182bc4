"""The parser that takes notes: what `add_cli_args` declares on it, as argparse would make of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import argparse_actions
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.values import Class, External, Instance, Unknown

if TYPE_CHECKING:
    from sgfleet.engine.extract.calls import Call


@dataclass(frozen=True, slots=True)
class Note:
    """One declared flag. `action` holds the attributes of the argparse action, unknowns included.

    `cls` is argparse's word for the action, or the class of the wheel. `doubt` says why the whole declaration is not
    certain.
    """

    options: tuple[str, ...]
    dest: Any
    cls: str | Class
    action: dict[str, Any]
    module: str
    line: int
    doubt: Unknown | None


class Notes:
    """Stands for the `argparse.ArgumentParser` (or a group of it) that flags are declared on."""

    METHODS: Final = frozenset({"add_argument", "add_argument_group", "add_mutually_exclusive_group"})
    COSMETIC: Final = frozenset({"prog", "usage", "description", "epilog", "formatter_class"})
    """Attributes of a parser that change nothing but its help text."""

    def __init__(self, notes: list[Note] | None = None, exclusive: Unknown | None = None) -> None:
        self.notes = [] if notes is None else notes
        self._exclusive = exclusive

    def do(self, name: str, call: Call) -> Any:
        """One of the parser's methods."""
        match name:
            case "add_argument":
                return self._add_argument(call)
            case "add_mutually_exclusive_group":
                return Notes(self.notes, call.unknown("one of a group of flags that exclude each other"))
        return Notes(self.notes, self._exclusive)

    def _add_argument(self, call: Call) -> Instance:
        module, line = call.scope.module.name, call.line
        doubt = call.interpreter.doubt or self._exclusive
        keywords = dict(call.keywords)
        spread = keywords.pop("**", None)
        if isinstance(spread, Unknown):
            doubt = doubt or spread
        options = call.args
        if not options or not all(isinstance(option, str) for option in options):
            raise ExtractionError(f"the names of a flag cannot be read: {_reason(options)}", module, line)
        if not all(option.startswith("--") for option in options):
            raise ExtractionError(f"{options[0]!r}: short options and positionals are not read", module, line)
        dest = keywords.pop("dest", None) or options[0].lstrip("-").replace("-", "_")
        cls = keywords.pop("action", "store")
        action, known_class = self._action(cls, list(options), dest, keywords, call)
        if isinstance(action, Unknown):
            doubt = doubt or action
            action = {"option_strings": list(options), **keywords}
        note = Note(tuple(action["option_strings"]), dest, known_class, action, module, line, doubt)
        self._take(note)
        # Whoever changes the action that argparse returns changes the flag.
        return Instance(External("argparse.Action"), action)

    def _take(self, note: Note) -> None:
        """Keep a note. A flag that may be declared in two ways is one note in doubt; twice for certain is an error."""
        for position, other in enumerate(self.notes):
            taken = set(other.options) & set(note.options)
            if not taken:
                continue
            if note.doubt is None and other.doubt is None:
                raise ExtractionError(f"{', '.join(sorted(taken))} is declared twice", note.module, note.line)
            self.notes[position] = replace(other, doubt=other.doubt or note.doubt)
            return
        self.notes.append(note)

    def _action(
        self, cls: Any, options: list[str], dest: Any, keywords: dict[str, Any], call: Call
    ) -> tuple[dict[str, Any] | Unknown, str | Class]:
        keywords = {"option_strings": options, "dest": dest, **keywords}
        if isinstance(cls, str):
            cls = External(argparse_actions.WORDS.get(cls, cls))
        if isinstance(cls, External):
            word = argparse_actions.word(cls.name)
            if word is None:
                return call.unknown(f"action {cls.name} is not known"), cls.name.rpartition(".")[2]
            action = Instance(cls)
            result = argparse_actions.initialise(action, cls.name, call_with(call, keywords))
            return (result if isinstance(result, Unknown) else action.attributes), word
        if not isinstance(cls, Class):
            unknown = cls if isinstance(cls, Unknown) else call.unknown("an action that is no class")
            return unknown, "unknown"
        made = call.again(cls, [], keywords)
        if isinstance(made, Unknown):
            return made, cls
        return made.attributes, cls


def call_with(call: Call, keywords: dict[str, Any]) -> Call:
    """The same call with other keywords and no positional arguments."""
    return replace(call, args=[], keywords=keywords)


def _reason(options: list[Any]) -> str:
    unknown = next((option for option in options if isinstance(option, Unknown)), None)
    return str(unknown) if unknown is not None else "they are not strings"
