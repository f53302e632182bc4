"""What a command line may hold, without argparse: `cli.grammar` reads it off the parsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["switch", "words", "target", "service", "host", "release", "file", "folder", "rule", "text"]
"""What stands in the place of a value. target: HOST or HOST/SERVICE; words: one of `Argument.words`; text: anything."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An option (with `names`), or an operand (without)."""

    names: tuple[str, ...]
    metavar: str
    """How a value is called; empty for a switch."""
    help: str
    kind: Kind
    words: tuple[str, ...] = ()
    many: bool = False
    """Whether several values may follow each other."""
    repeats: bool = False
    """Whether an option may stand several times."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command or subcommand; the root has no words."""

    words: tuple[str, ...]
    summary: str
    """A line, without a full stop."""
    description: str
    """Paragraphs, without the one about exit codes."""
    usages: tuple[str, ...]
    """The ways to call it, a line each."""
    arguments: tuple[Argument, ...] = ()
    exits: tuple[tuple[int, str], ...] = ()
    """Exit code -> meaning; empty for a subcommand that has those of its command."""
    commands: tuple[Command, ...] = ()

    @property
    def name(self) -> str:
        """As it is typed."""
        return " ".join(("sgfleet", *self.words))

    @property
    def options(self) -> tuple[Argument, ...]:
        """What begins with a dash."""
        return tuple(each for each in self.arguments if each.names)

    @property
    def operands(self) -> tuple[Argument, ...]:
        """What does not."""
        return tuple(each for each in self.arguments if not each.names)

    def walk(self) -> Iterator[Command]:
        """This command and all below it, in order."""
        yield self
        for command in self.commands:
            yield from command.walk()
