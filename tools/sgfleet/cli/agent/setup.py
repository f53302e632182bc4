"""`sgfleet agent install` and `remove`."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.agent.install import FailedInstallError
from sgfleet.agent.install import install as put
from sgfleet.agent.install import remove as take_away
from sgfleet.agent.local import load
from sgfleet.agent.own_unit import BRANCH, Setup, UnfitError
from sgfleet.agent.toml_keys import LocalError
from sgfleet.agent.trust import Mode
from sgfleet.cli.agent.host import FailedError, config_path, refuse
from sgfleet.cli.common import OK, UsageError
from sgfleet.render.unquotable import Unquotable
from sgfleet.systemd.manager import SystemdManager
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    import argparse


def install(arguments: argparse.Namespace) -> int:
    """Put the agent on this host."""
    path = config_path(arguments)
    manager = _manager(arguments)
    program = _program()
    try:
        setup = None
        if path.exists():
            _hold_against(arguments, path)
        else:
            setup = _setup(arguments, path)
        done = put(manager, path, setup, (str(program),))
    except LocalError as error:
        refuse(path, error)
    except (UnfitError, Unquotable) as error:
        raise UsageError(str(error)) from None
    except FailedInstallError as error:
        help_ = "nothing of it is left: once that is mended, call it again"
        if error.left:
            help_ = f"it was taken back but for {'; '.join(error.left)}: see to that, then call it again"
        raise FailedError(str(error), help_) from None
    for line in done:
        print(line)
    if not arguments.user and (place := _writable(program)) is not None:
        text = f"warning: {place} can be changed by others than root, and the agent runs {program} as root"
        print(text, file=sys.stderr)
    if arguments.user:
        print("so that it runs without a login: loginctl enable-linger", file=sys.stderr)
    return OK


def remove(arguments: argparse.Namespace) -> int:
    """Take the agent away."""
    path = config_path(arguments)
    try:
        done = take_away(_manager(arguments))
    except SystemdError as error:
        raise FailedError(str(error), "once that is mended, call it again: what is done of it stays done") from None
    for line in done:
        print(line)
    print(f"left as they are: the services, {path}, and the agent's folder")
    return OK


def _manager(arguments: argparse.Namespace) -> SystemdManager:
    if arguments.user:
        return SystemdManager.user()
    if os.geteuid() != 0:
        raise UsageError("the system's units are root's", "sudo, or --user for services of your own account")
    return SystemdManager.system()


def _setup(arguments: argparse.Namespace, path: Path) -> Setup:
    if arguments.url is None:
        raise UsageError(f"{path} is missing, and --url does not say where the repository is", "give --url URL")
    if not (arguments.allowed_signers or arguments.gpg_home or arguments.unsigned):
        help_ = "--allowed-signers FILE or --gpg-home DIR; or --unsigned: whoever can push then decides what runs here"
        raise UsageError("nothing says whose signatures count", help_)
    for option, place in (("--allowed-signers", arguments.allowed_signers), ("--gpg-home", arguments.gpg_home)):
        if place is not None and not place.exists():
            raise UsageError(f"{option} {place}: no such file", "every commit would be refused")
    return Setup(
        host=arguments.host or socket.gethostname().partition(".")[0],
        url=arguments.url,
        branch=arguments.branch or BRANCH,
        allowed_signers=_absolute(arguments.allowed_signers),
        gpg_home=_absolute(arguments.gpg_home),
        known_hosts=_absolute(arguments.known_hosts),
        identity=_place(arguments.identity),
        token=_place(arguments.token),
        textfile=_absolute(arguments.textfile),
        report=arguments.report,
        unsigned=arguments.unsigned,
        scope="user" if arguments.user else "system",
        state=str(Path.home() / ".local/state/sgfleet") if arguments.user else None,
    )


def _hold_against(arguments: argparse.Namespace, path: Path) -> None:
    """A file that is there is kept: options that say something else would be lost without a word."""
    local = load(path)
    said = {
        "--host": (arguments.host, local.host),
        "--url": (arguments.url, local.remote.url),
        "--branch": (arguments.branch, local.remote.branch),
        "--allowed-signers": (_absolute(arguments.allowed_signers), local.signers.allowed_signers),
        "--gpg-home": (_absolute(arguments.gpg_home), local.signers.gpg_home),
        "--known-hosts": (_absolute(arguments.known_hosts), local.remote.known_hosts),
        "--identity": (_place(arguments.identity), local.remote.identity),
        "--token": (_place(arguments.token), local.remote.token),
        "--textfile": (_absolute(arguments.textfile), local.textfile),
    }
    for option, (wanted, there) in said.items():
        if wanted is not None and wanted != str(there):
            raise UsageError(
                f"{option} {wanted}: {path} is there and says {there or 'nothing'}", f"edit {path}, or remove it first"
            )
    modes = {
        "--report": (arguments.report and local.apply, 'mode = "apply"', 'mode = "report"'),
        "--unsigned": (
            arguments.unsigned and local.signers.mode is not Mode.NONE,
            '[trust] mode = "signed"',
            'mode = "none"',
        ),
    }
    for option, (lost, says, write) in modes.items():
        if lost:
            raise UsageError(f"{option}: {path} is there and says {says}", f"write {write} there, or remove it first")


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


def _place(text: str | None) -> str | None:
    """A path, or `credential:NAME`, which is none."""
    return text if text is None or text.startswith("credential:") else str(Path(text).absolute())


def _program() -> Path:
    """This very sgfleet. Links are kept: the next version stands behind the same one."""
    called = Path(sys.argv[0])
    if called.name == "sgfleet" and called.is_file() and os.access(called, os.X_OK):
        return called.absolute()
    found = shutil.which("sgfleet")
    if found is None:
        raise UsageError("there is no program sgfleet that a unit could start", "install it: pip install sgfleet")
    return Path(found).absolute()


def _writable(program: Path) -> Path | None:
    """What leads to the program and belongs to, or can be written by, somebody else than root."""
    for place in (program, program.resolve(), *program.parents, *program.resolve().parents):
        found = place.stat()
        loose = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
        if found.st_uid != 0 or loose:
            return place
    return None
