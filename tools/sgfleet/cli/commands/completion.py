"""Completion of commands, options, their values, hosts, services and releases for a shell.

The script is static: no Python starts while somebody types. Releases are those that this sgfleet has, and those of the
repository; after an update write it again. Put it where the shell looks for such files:
  bash  sgfleet completion bash > ~/.local/share/bash-completion/completions/sgfleet
  zsh   sgfleet completion zsh > "${fpath[1]}/_sgfleet"
  fish  sgfleet completion fish > ~/.config/fish/completions/sgfleet.fish

Exit codes: 0 printed, 2 usage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import OK

if TYPE_CHECKING:
    import argparse

SUMMARY: Final = "completion for bash, zsh or fish"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from sgfleet.cli.grammar import grammar
    from sgfleet.engine.store import available
    from sgfleet.output.manual.bash import as_bash
    from sgfleet.output.manual.fish import as_fish
    from sgfleet.output.manual.zsh import as_zsh
    from sgfleet.rules.registry import entries

    form = {"bash": as_bash, "zsh": as_zsh, "fish": as_fish}[arguments.shell]
    print(form(grammar(), entries(), available()), end="")
    return OK
