"""What the commands share: where the repository is, which hosts are meant, how the answer is printed."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from sgfleet.findings import Finding

OK, FINDINGS, USAGE, NOTHING, INTERNAL = 0, 1, 2, 3, 4
"""Exit codes. 3: there was nothing to check, which must never look like success."""


class UsageError(Exception):
    """The call is off: exit 2 with the message and, on a line of its own, what to write instead."""

    def __init__(self, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help_


class FindingsError(Exception):
    """What the command needs is not sound: the findings are the answer, exit 1."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = findings


def add_root(parser: argparse.ArgumentParser) -> None:
    """`--root DIR`: the repository, by default the nearest folder upwards that holds hosts/ or fleet.yaml."""
    parser.add_argument("--root", type=_folder, metavar="DIR", help="the repository (default: found upwards from here)")


def _folder(text: str) -> Path:
    if not text:  # an unset variable of a script; Path would make the present folder of it
        raise ArgumentTypeError("the name is empty")
    return Path(text)


def add_targets(parser: argparse.ArgumentParser, nargs: str = "*") -> None:
    """HOST or HOST/SERVICE, none for all."""
    parser.add_argument("targets", nargs=nargs, metavar="HOST[/SERVICE]", help="what is meant (default: all)")


def add_format(parser: argparse.ArgumentParser, choices: Sequence[str]) -> None:
    """`--format`: the first choice is the default."""
    parser.add_argument(
        "--format", choices=choices, default=choices[0], help=f"form of the answer (default: {choices[0]})"
    )


def check_spec_value(option: str, kind: Literal["python", "service"], value: str | None) -> None:
    """Hold an option's value that is written into a specification against what a specification takes.

    Raises:
        UsageError: it would not be taken.
    """
    from sgfleet.spec.option_values import not_as_wanted

    if value is not None and (wanted := not_as_wanted(kind, value)) is not None:
        raise UsageError(f"{option} {value[:100]!a}: not {wanted}")


def root_of(arguments: argparse.Namespace) -> Path:
    """The repository that the call means.

    Raises:
        UsageError: there is none.
    """
    found = root_or_none(arguments)
    if found is None:
        message = f"no repository here: neither {Path.cwd()} nor a folder above it holds hosts/ or fleet.yaml"
        raise UsageError(message, "give --root DIR, or write hosts/<host>/host.yaml")
    return found


def root_or_none(arguments: argparse.Namespace) -> Path | None:
    """The same for commands that also work outside of a repository.

    Raises:
        UsageError: --root is no folder, or there is no present folder any more.
    """
    if arguments.root is not None:
        root: Path = arguments.root
        if not root.is_dir():
            raise UsageError(f"--root {root}: no such folder")
        return root.resolve()
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError:
        raise gone_folder() from None
    for folder in (here, *here.parents):
        try:
            if (folder / "hosts").is_dir() or (folder / "fleet.yaml").is_file():
                return folder
        except PermissionError as error:  # whether there is a repository, nobody can tell
            message = f"no repository can be looked for in {folder}: {(error.strerror or 'not permitted').lower()}"
            raise UsageError(message, "change into the repository, or give --root DIR") from None
    return None


def gone_folder() -> UsageError:
    """What to say where the present folder was removed."""
    return UsageError("the present folder is gone", "change into another one, or give --root DIR")


def near(word: str, known: Iterable[str]) -> str | None:
    """`did you mean …?` for a name that does not exist, or None when nothing comes near."""
    import difflib

    found = difflib.get_close_matches(word, sorted(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(found)}?" if found else None
