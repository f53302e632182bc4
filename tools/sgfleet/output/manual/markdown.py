"""Commands and exit codes as pages of the reference, for reading on GitHub."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Final

from sgfleet.output.manual.man import EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sgfleet.output.manual.grammar import Argument, Command

WRITTEN: Final = "<!-- Written by `make docs` from the code: do not edit. -->"
_WIDTH: Final = 100


def commands(root: Command) -> str:
    """Every command and subcommand: how it is called, what it takes, how it ends."""
    head = (
        "Every command that takes `HOST[/SERVICE]` also takes files below `hosts/` and `units/`, and means their host. "
        "`sgfleet completion` completes all of this in a shell; [`sgfleet.1`](../man/sgfleet.1) is the page for `man`. "
        "How each command ends is also in [exit codes](exit-codes.md), and what `--format json` gives in "
        "[JSON formats](json.md)."
    )
    index = table(("Command", "What it gives"), _index(root))
    parts = [f"# Commands\n\n{WRITTEN}\n\n{root.description}\n\n```\n{root.usages[0]}\n```\n\n{index}", head]
    for command in root.commands:
        parts += [_command(each) for each in command.walk()]
    return "\n\n".join(parts) + "\n"


def exit_codes(root: Command) -> str:
    """How every command ends."""
    codes = sorted({code for command in root.commands for code, _ in command.exits})
    rows = [
        (
            f"[`{command.words[0]}`](commands.md#{anchor(command.name)})",
            *(dict(command.exits).get(code, "") for code in codes),
        )
        for command in root.commands
    ]
    said = " ".join(EVERYWHERE).replace("As said with each command. Beside that every", "Every")
    return (
        f"# Exit codes\n\n{WRITTEN}\n\n{said}\n\nA hook or a pipeline needs nothing else than the code: 3, where "
        "nothing was checked, is no success, and warnings count as findings.\n\n"
        f"{table(('Command', *map(str, codes)), rows)}\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown. Cells are Markdown already, but for what would end them."""
    lines = [head, ["---"] * len(head), *([_cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def anchor(heading: str) -> str:
    """The name that GitHub gives to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", _safe(text).replace("\n", " "))


def _index(root: Command) -> list[tuple[str, ...]]:
    return [(f"[`{command.name}`](#{anchor(command.name)})", command.summary) for command in root.commands]


def _command(command: Command) -> str:
    deep = "##" if len(command.words) == 1 else "###"
    usage = "\n".join("\n".join(_wrapped(usage)) for usage in command.usages)
    parts = [f"{deep} {command.name}", f"```\n{usage}\n```"]
    parts += list(_paragraphs(command.description)) if command.description else [_sentence(command.summary)]
    rows = [
        (_names(argument), argument.help or "") for argument in command.arguments if argument.names != ("-h", "--help")
    ]
    if rows:
        parts.append(table(("Argument", "Meaning"), rows))
    if command.exits:
        parts.append(table(("Exit code", "Meaning"), [(str(code), meaning) for code, meaning in command.exits]))
    return "\n\n".join(parts)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _names(argument: Argument) -> str:
    names = ", ".join(f"`{name}`" for name in argument.names)
    value = argument.metavar
    if argument.kind == "words":
        value = "|".join(argument.words)
    more = " …" if argument.many else ""
    return " ".join(part for part in (names, f"`{value}{more}`" if value else "") if part)


def _wrapped(usage: str) -> list[str]:
    """A call that is longer than a line goes on below its first argument."""
    return textwrap.wrap(usage, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _paragraphs(text: str) -> Iterator[str]:
    """Prose as it is; lines that are indented are a listing."""
    for paragraph in text.split("\n\n"):
        prose: list[str] = []
        listing: list[str] = []
        for line in paragraph.splitlines():
            (listing if line.startswith("  ") else prose).append(line)
        if prose:
            yield _safe("\n".join(prose))
        if listing:
            yield "```\n" + textwrap.dedent("\n".join(listing)) + "\n```"


def _safe(text: str) -> str:
    """`<host>` in prose is no HTML; what stands in backquotes is left alone."""
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in re.split(r"(`[^`]*`)", text))
