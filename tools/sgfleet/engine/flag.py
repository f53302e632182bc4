"""A flag as a release's own argparse parser knows it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

SUPPRESSED: Final = "==SUPPRESS=="
"""The default of a flag that leaves no trace in the parsed values when it is not given (argparse's own marker)."""


class Deprecation(NamedTuple):
    """What happens to somebody who still writes a deprecated flag.

    `effect` is one of
    "help" (only the help text says so: the flag works), "warns" (works, with a warning), "ignored" (warns, and the
    value has no effect), "alias" (warns, and the value is stored for another flag), "rejects" (the parser refuses it).
    `instead` is the option string that replaces it, when the release names one.
    """

    effect: str
    instead: str | None = None


class Flag(NamedTuple):
    """One argparse action of a release: everything that decides what a command line means.

    `options` are the declared option strings in their order ("--tensor-parallel-size", "--tp-size").
    `action` is argparse's own word ("store", "store_true", "store_false", "store_const", "append", "help") or the name
    of the class that the release uses ("BooleanOptionalAction", "DeprecatedAction", "LoRAPathAction", ...).
    `type` is the name of the type function ("str", "int", "float", "json.loads", "nullable_str", ...), None for none.
    `semantics` tells apart functions and classes that share a name and differ between releases: together with the name
    it is the key under which their behaviour is implemented here. `opaque` is set where this tool does not know the
    type or the action: such a flag is never said to be right, and `why_opaque` says what is not known.
    `takes_json` marks flags whose text is JSON although their type does not say so.
    """

    options: tuple[str, ...]
    dest: str
    action: str = "store"
    nargs: int | str | None = None
    const: Any = None
    default: Any = None
    type: str | None = None
    choices: tuple[Any, ...] | None = None
    required: bool = False
    metavar: str | None = None
    semantics: str | None = None
    deprecation: Deprecation | None = None
    opaque: bool = False
    why_opaque: str | None = None
    takes_json: bool = False

    @property
    def name(self) -> str:
        """The first option string without its dashes: what this project calls the flag."""
        return self.options[0].removeprefix("--")

    @property
    def names(self) -> tuple[str, ...]:
        """Every declared option string without its dashes."""
        return tuple(option.removeprefix("--") for option in self.options)
