"""The agent of this host: installed, run, asked, stopped. What it does is in docs/explanation/agent.md.

Its file is /etc/sgfleet/agent.toml, with --user ~/.config/sgfleet/agent.toml. `tick` is one pass, which the timer
starts; `status` tells how things stand without doing anything. What people ask for is written into the log.

Exit codes: 0 steady or done, 1 it could not be done, 2 usage, 10 pending, 20 blocked, 30 rolled back, 40 broken.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sgfleet.cli.common import FINDINGS, add_format

SUMMARY = "the agent of this host: install, tick, status, and what people ask of it"
_COMMANDS = {
    "install": "put the agent on this host: its file, its service and its timer",
    "remove": "take its service and timer away; services and state stay",
    "tick": "one pass: look at main, and bring each service as far as it goes",
    "status": "what is so, a line a service, with what happens next",
    "freeze": "begin nothing new until unfreeze",
    "unfreeze": "go on",
    "retry": "try once more what failed, or start a service anew",
    "rollback": "go back to the unit before the present one",
    "confirm": "let in what waits for a person",
    "log": "what happened, and what people asked for",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The subcommands."""
    commands = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(_COMMANDS))
    made = {
        name: commands.add_parser(name, help=said, description=_said(said), allow_abbrev=False)
        for name, said in _COMMANDS.items()
    }
    for command in made.values():
        command.add_argument("--config", type=_file, metavar="FILE", help="the host's file")
        command.add_argument("--user", action="store_true", help="services of this account, not of the system")
    add_setup(made["install"])
    wait = "pass after pass until nothing is under way (default: as long as it takes)"
    made["tick"].add_argument("--wait", nargs="?", const="", metavar="DURATION", help=wait)
    made["tick"].add_argument("--quiet", action="store_true", help="say nothing where everything is steady")
    add_format(made["status"], ("text", "json"))
    made["freeze"].add_argument("reason", metavar="REASON", help="for those who come after you")
    made["freeze"].add_argument("--for", dest="for_", metavar="DURATION", help="it ends by itself, such as 2h")
    made["retry"].add_argument("service", nargs="?", metavar="SERVICE", help="default: everything that failed")
    made["rollback"].add_argument("service", metavar="SERVICE")
    made["rollback"].add_argument(
        "--why", required=True, metavar="TEXT", help="it stands in status until it is retried"
    )
    made["confirm"].add_argument("service", metavar="SERVICE")
    made["log"].add_argument("--lines", type=_count, default=50, metavar="N", help="the last N (default: 50)")
    add_format(made["log"], ("text", "json"))


def add_setup(install: argparse.ArgumentParser) -> None:
    """What goes into a file that is not there yet."""
    install.add_argument("--url", metavar="URL", help="the fleet's repository: https, ssh, or a path")
    install.add_argument("--branch", metavar="BRANCH", help="default: main")
    install.add_argument("--host", metavar="NAME", help="its folder under hosts/ (default: this machine's name)")
    install.add_argument("--allowed-signers", type=_file, metavar="FILE", help="SSH keys whose signatures count")
    install.add_argument("--gpg-home", type=_file, metavar="DIR", help="a GPG keyring whose signatures count")
    install.add_argument("--unsigned", action="store_true", help="take whatever the branch holds")
    install.add_argument("--known-hosts", type=_file, metavar="FILE", help="for ssh: the server's keys")
    install.add_argument("--identity", metavar="KEY", help="for ssh: the key file, or credential:NAME")
    install.add_argument("--token", metavar="TOKEN", help="for https: the token's file, or credential:NAME")
    install.add_argument(
        "--textfile", type=_file, metavar="FILE", help="metrics, for node_exporter's textfile collector"
    )
    mode = "an agent that says what it would do, and does nothing; it is installed all the same"
    install.add_argument("--report", action="store_true", help=mode)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    from sgfleet.cli.agent.host import FailedError

    try:
        return _run(arguments)
    except FailedError as error:
        from sgfleet.output.visible import visible

        print(f"error: {visible(str(error))}", file=sys.stderr)
        if error.help:
            print(f"help: {visible(error.help)}", file=sys.stderr)
        return FINDINGS


def _run(arguments: argparse.Namespace) -> int:
    name: str = arguments.subcommand
    if name in {"install", "remove"}:
        from sgfleet.cli.agent import setup

        return setup.install(arguments) if name == "install" else setup.remove(arguments)
    if name in {"tick", "status", "log"}:
        from sgfleet.cli.agent import passes

        return {"tick": passes.tick, "status": passes.status, "log": passes.log}[name](arguments)
    from sgfleet.cli.agent import asked

    requests = {
        "freeze": asked.freeze,
        "unfreeze": asked.unfreeze,
        "retry": asked.retry,
        "rollback": asked.rollback,
        "confirm": asked.confirm,
    }
    return requests[name](arguments)


def _said(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."


def _file(text: str) -> Path:
    if not text:  # an unset variable of a script; Path would make the present folder of it
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of lines")
    return number
