"""`systemd-analyze verify` as a check of unit text alone: what the host lacks is no complaint."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.render.unquoting import Unreadable, read_exec
from support.systemd_plugin import skip_or_fail


def verify_unit(text: str, name: str) -> list[str]:
    """What systemd has against the unit, a line each; empty for a clean one. `name` is its file name.

    Looks in a root of its own, where every executable that the unit names stands as a stub. Without
    `--recursive-errors=no` systemd would exit 0 on unknown keys and bad values. Keys that are newer than the systemd of
    this machine are reported as unknown. Units that it depends on, users and environment files are not looked for.
    """
    program = shutil.which("systemd-analyze")
    if program is None:
        skip_or_fail("systemd-analyze is not installed")
    with tempfile.TemporaryDirectory(prefix="sgfleet-verify-") as folder:
        root = Path(folder)
        units = root / "etc/systemd/system"
        units.mkdir(parents=True)
        for executable in _executables(text):
            stub = root / executable.lstrip("/")
            stub.parent.mkdir(parents=True, exist_ok=True)
            stub.touch(mode=0o755)
        # Exactly these bytes: newline translation would hide a carriage return.
        (units / name).write_bytes(text.encode())
        argv = [program, "verify", "--man=no", "--recursive-errors=no", f"--root={root}", name]
        done = subprocess.run(argv, capture_output=True, text=True, cwd=units, check=False, timeout=60)
        complaints = [line.replace(f"{root}/", "/") for line in (done.stdout + done.stderr).splitlines() if line]
        return complaints or ([f"exit {done.returncode}"] if done.returncode else [])


def _executables(text: str) -> list[str]:
    """The paths of all commands that can be read: what cannot is for systemd to complain of."""
    paths: list[str] = []
    with contextlib.suppress(UnitSyntaxError):
        for setting in parse_unit(text).settings("Service"):
            if setting.key.startswith("Exec"):
                with contextlib.suppress(Unreadable):
                    paths += [command.path for command in read_exec(setting.value)]
    return [path for path in paths if path.startswith("/") and not path.endswith("/")]
