"""Units whose processes show what arrives."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.render.quoting import exec_lines
from sgfleet.render.unit_text import Section, Setting, UnitText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from support.private_systemd import PrivateSystemd

_NUMBERS = count(1)  # of all probes: the journal is shared
DUMP = Path(__file__).with_name("dump_process.py")


@dataclass(frozen=True, slots=True)
class Arrived:
    """What the process was started with."""

    argv: list[bytes]
    environment: dict[bytes, bytes]

    @classmethod
    def read(cls, out: Path) -> Arrived:
        """What `dump_process.py` wrote there."""
        variables = out.with_name(out.name + ".environment").read_bytes().split(b"\0")[:-1]
        pairs = [variable.partition(b"=") for variable in variables]
        return cls(out.read_bytes().split(b"\0")[:-1], {name: value for name, _, value in pairs})


class Probe:
    """Runs oneshot units whose processes write down their arguments and variables."""

    def __init__(self, systemd: PrivateSystemd) -> None:
        self.systemd = systemd
        self._installed: list[str] = []

    def out(self) -> Path:
        """A file that does not exist yet, which both sides see."""
        return self.systemd.share / f"out-{next(_NUMBERS)}"

    def command(self, out: Path) -> list[str]:
        """The words before the arguments that shall be written to `out`."""
        return [sys.executable, "-I", "-S", str(DUMP), str(out)]

    def install(self, text: str | bytes, name: str | None = None, *, reload: bool = True) -> str:
        """The name of a unit with that text, which is gone after the test."""
        name = name or f"probe-{next(_NUMBERS)}.service"
        self._installed.append(name)
        self.systemd.install(name, text, reload=reload)
        return name

    def run(self, settings: Iterable[Setting], groups: Sequence[Sequence[str]]) -> Arrived:
        """Start a unit with those settings and arguments, a group a line, rendered by this project."""
        out = self.out()
        command = Setting.wrapped("ExecStart", exec_lines([self.command(out), *groups]))
        self.systemd.start(self.install(oneshot(*settings, command)))
        return Arrived.read(out)

    def clean(self) -> None:
        """Remove its units. systemd forgets them at the next reload, which comes with the next unit."""
        for name in self._installed:
            self.systemd.path(f"/etc/systemd/system/{name}").unlink()
        if self._installed:
            self.systemd.run("systemctl", "reset-failed", check=False)


def oneshot(*settings: Setting) -> str:
    """The text of a unit that runs once."""
    return UnitText((Section("Service", (Setting.of("Type", "oneshot"), *settings)),)).render()
