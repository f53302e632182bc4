"""What a command line comes to: parsed, rejected, or not known to this tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.flag import Flag


class Given(NamedTuple):
    """One use of a flag on a command line, in the order in which the parser met them.

    `option` is the declared option string that was meant, `token` what was written for it ("--tp" for "--tp-size").
    `from_config` tells that a configuration file said it, not the command line.
    """

    flag: Flag
    option: str
    token: str
    value: Any
    from_config: bool = False

    @property
    def abbreviated(self) -> bool:
        """Whether the name was cut short."""
        return self.token != self.option


class Note(NamedTuple):
    """What an accepted command line does that its writer may not expect.

    `kind` is one of "abbreviated", "deprecated", "ignored", "repeated", "config-not-read", "fails-later".
    """

    kind: str
    message: str
    help: str | None = None


class Parsed(NamedTuple):
    """The release's parser takes the command line.

    `values` holds what was given, by the full name of the flag that was written; `namespace` holds every destination,
    defaults included, as the release's own parser would return it.
    """

    values: Mapping[str, Any]
    namespace: Mapping[str, Any]
    given: tuple[Given, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def ok(self) -> bool:
        """The parser takes it."""
        return True


class Rejected(NamedTuple):
    """The release's parser refuses the command line, and the server does not start.

    `kind` is one of
    "unknown-option", "unexpected-word" (a word that belongs to no option), "ambiguous-option", "missing-value",
    "unexpected-value" (`--flag=value` for a flag that takes none), "invalid-type", "invalid-choice",
    "invalid-value" (the type is right and the action refuses it), "deprecated-rejected", "required-missing",
    "help-requested" (the release prints its help and ends), "crash" (the parser itself fails), and for `--config`
    "config-repeated", "config-missing", "config-not-yaml", "config-unreadable", "config-invalid", "config-unsupported".
    `token` is the word of the command line that is wrong, `option` the declared option that it was taken for, `help`
    what to write instead.
    """

    kind: str
    message: str
    token: str | None = None
    option: str | None = None
    help: str | None = None

    @property
    def ok(self) -> bool:
        """The parser refuses it."""
        return False


class NotKnown(NamedTuple):
    """This tool cannot tell: the command line uses something of the release that is not implemented here.

    `kind` is "opaque-flag" or "config-not-known".
    """

    kind: str
    message: str
    option: str | None = None
    help: str | None = None

    @property
    def ok(self) -> None:
        """Nobody can tell."""
        return None


Outcome = Parsed | Rejected | NotKnown
