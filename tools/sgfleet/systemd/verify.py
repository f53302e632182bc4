"""`systemd-analyze verify` of unit text alone: what the host lacks is no complaint."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.render.unquoting import Unreadable, read_exec
from sgfleet.systemd.port import checked_name
from sgfleet.systemd.program import environment, run

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM: Final = "systemd-analyze"
TIMEOUT_SECONDS: Final = 30.0
_UNITS: Final = "etc/systemd/system"


def verify(name: str, content: bytes) -> tuple[str, ...]:
    """What this machine's systemd has against the unit, a line each; empty for a clean one.

    It looks in a root of its own, where every executable that the unit names stands as a stub. Without
    `--recursive-errors=no` it would exit 0 on unknown keys and bad values. Keys that are newer than the systemd of this
    machine are reported as unknown. Units that it depends on, users and environment files are not looked for. The text
    is held against the system manager's rules, also for a user's unit: the keys are the same.

    Raises:
        SystemdError: BAD_NAME, NOT_RUNNING where systemd-analyze is not installed, TIMEOUT.
    """
    checked_name(name)
    with tempfile.TemporaryDirectory(prefix="sgfleet-verify-") as folder:
        root = Path(folder)
        units = root / _UNITS
        units.mkdir(parents=True)
        for executable in _executables(content.decode(errors="surrogateescape")):
            # Two executables can be in each other's way, and a name can be too long: then there is no stub for it.
            with contextlib.suppress(OSError, ValueError):
                stub = root / executable
                stub.parent.mkdir(parents=True, exist_ok=True)
                stub.touch(mode=0o755)
        (units / name).write_bytes(content)
        argv = (PROGRAM, "verify", "--man=no", "--recursive-errors=no", f"--root={root}", "--", name)
        answer = run(*argv, environment=environment(), timeout_seconds=TIMEOUT_SECONDS)
    printed = (answer.output + b"\n" + answer.error).decode(errors="replace")
    complaints = tuple(line.replace(f"{root}/", "/") for line in printed.split("\n") if line.strip())
    return complaints or ((f"{PROGRAM} ends with {answer.code}",) if answer.code else ())


def _executables(text: str) -> Iterator[str]:
    """The paths of all commands that can be read, relative to the root: what cannot is for systemd to complain of.

    The text may be hostile: a path with `..` would lead out of the root, one below the folder of units would be a unit.
    """
    with contextlib.suppress(UnitSyntaxError):
        for setting in parse_unit(text).settings("Service"):
            if setting.key.startswith("Exec"):
                with contextlib.suppress(Unreadable):
                    for command in read_exec(setting.value):
                        path = PurePosixPath(os.path.normpath(command.path))
                        relative = str(path).lstrip("/")
                        absolute = command.path.startswith("/") and not command.path.endswith("/")
                        if (
                            absolute
                            and ".." not in PurePosixPath(command.path).parts
                            and not relative.startswith("etc/systemd")
                        ):
                            yield relative
