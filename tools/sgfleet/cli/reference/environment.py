"""The environment variables that sgfleet itself reads. A test looks for reads in the code that are not named here."""

from __future__ import annotations

from typing import Final, NamedTuple

from sgfleet.output.manual.markdown import WRITTEN, table


class Variable(NamedTuple):
    """One variable, with what it does, as a sentence without its full stop."""

    name: str
    meaning: str
    read_by: str


VARIABLES: Final = (
    Variable("NO_COLOR", "When set and not empty, nothing is coloured", "every command that prints for a terminal"),
    Variable(
        "TERM",
        "With the value dumb, nothing is coloured, and no line overwrites itself to tell how far long work has come",
        "every command that prints for a terminal",
    ),
    Variable(
        "FORCE_COLOR",
        "When set and not empty, output is coloured although it is no terminal; NO_COLOR and TERM=dumb win over it",
        "every command that prints for a terminal",
    ),
    Variable("COLUMNS", "Width at which --help breaks its lines", "--help"),
    Variable(
        "the one named by --api-key-variable",
        "Holds the key of the server that is asked; the key is neither kept nor shown",
        "observe --url",
    ),
    Variable(
        "CREDENTIALS_DIRECTORY",
        "Set by systemd for a unit with LoadCredential=: the folder that the agent's token is read from",
        "agent",
    ),
    Variable("SUDO_USER", "Who asked: it goes into the agent's log", "agent freeze, retry, rollback, confirm"),
    Variable("PATH", "Where git, pip, systemctl, nvidia-smi and the like are looked for", "commands that start them"),
)


def environment_page() -> str:
    """The page of the reference."""
    rows = [
        (f"`{each.name}`" if each.name.isupper() else each.name, f"{each.meaning}.", each.read_by) for each in VARIABLES
    ]
    return (
        f"# Environment variables\n\n{WRITTEN}\n\nWhat sgfleet itself reads. Git, pip and ssh, which it starts, read "
        "variables of their own (`GIT_SSH_COMMAND`, `PIP_INDEX_URL`, `HTTPS_PROXY`, …); the agent hands Git none but "
        "`PATH` and what it sets itself. The environment of a service is written under `environment:` in "
        f"[host.yaml](host.md) and read by SGLang.\n\n{table(('Variable', 'Meaning', 'Read by'), rows)}\n"
    )
