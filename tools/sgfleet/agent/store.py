"""The agent's folder on the host: state, units by their hash, what people asked for, the log.

Nothing in it is a source of truth that could not be had again, and each file is whole or not there.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.agent import durable
from sgfleet.agent.state import DamagedStateError, HostState, decode, encode
from sgfleet.render.identity import unit_hash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_LOG_BYTES: Final = 4 * 2**20
"""Then the log moves to log.jsonl.old, which replaces the one before it."""


RESERVE_BYTES: Final = 256 * 1024
"""Kept for the state where the disk is full: a state has some KiB, and is written beside the one before it."""


class Freeze(NamedTuple):
    """A person said stop. `until_seconds`: since 1970, None until somebody says go."""

    reason: str
    since_seconds: float
    until_seconds: float | None


class Store:
    """The folder. Its methods raise OSError where the disk does not let them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mirror = folder / "repository.git"
        self._state = folder / "state.json"
        self._freeze = folder / "freeze.json"
        self._units = folder / "units"
        self._log = folder / "log.jsonl"
        self._reserve = folder / "reserve"

    def prepare(self) -> None:
        """Make the folder: root's alone, because plans and logs name what the host serves."""
        os.close(self._claim())
        self._units.mkdir(mode=0o700, exist_ok=True)
        if not self._reserve.exists():
            with contextlib.suppress(OSError):  # a disk as full as that is told by the checks before a stop
                durable.write(self._reserve, bytes(RESERVE_BYTES))

    @property
    def is_prepared(self) -> bool:
        """Whether the folder is the agent's already."""
        return (self.folder / "lock").exists()

    def unprepare(self) -> None:
        """Take away what `prepare` made; the folder itself stays, and what else is in it.

        Raises:
            OSError: something is in it that a pass has kept since.
        """
        if self._units.is_dir():
            self._units.rmdir()
        for each in (self._reserve, self.folder / "lock"):
            each.unlink(missing_ok=True)

    def _claim(self) -> int:
        """The lock's file, opened: whoever finds it knows whose folder this is.

        Raises:
            OSError: the folder holds files of somebody else.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = self.folder / "lock"
        if not lock.exists() and any(self.folder.iterdir()):
            raise OSError(f"{self.folder} holds files of somebody else: state in agent.toml is a folder of its own")
        return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    @contextlib.contextmanager
    def lock(self) -> Iterator[bool]:
        """Hold the folder; False where another process does. The kernel lets go of it when its holder dies."""
        held = self._claim()
        try:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(held)

    def load(self) -> HostState | None:
        """What is remembered; None where nothing is, or where it is damaged: then it is put aside for people."""
        try:
            text = self._state.read_bytes()
        except FileNotFoundError:
            return None
        try:
            return decode(text)
        except DamagedStateError:
            with contextlib.suppress(OSError):
                self._state.replace(self._state.with_name("state.json.damaged"))
            return None

    def save(self, state: HostState) -> None:
        """Write the state. Only after this returns may what it names be done."""
        try:
            durable.write(self._state, encode(state))
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EDQUOT} or not self._reserve.exists():
                raise
            # A service may be stopped right now: what is begun has to be written down, and brought to its end.
            self._reserve.unlink()
            durable.write(self._state, encode(state))

    def keep_unit(self, text: str, plan: dict[str, Any]) -> str:
        """Keep a unit and what its gate needs to know, by the unit's hash."""
        self.prepare()
        unit = unit_hash(text)
        durable.write(self._units / f"{unit}.json", json.dumps(plan, sort_keys=True).encode())
        durable.write(self._units / f"{unit}.service", text.encode(errors="surrogateescape"))
        return unit

    def unit(self, unit: str) -> str | None:
        """The text of a unit; None where it is not here, or is not what its name says."""
        try:
            text = (self._units / f"{unit}.service").read_bytes().decode(errors="surrogateescape")
        except (OSError, ValueError):
            return None
        return text if unit_hash(text) == unit else None

    def plan(self, unit: str) -> dict[str, Any] | None:
        """What was kept beside a unit; None where it cannot be read."""
        try:
            data = json.loads((self._units / f"{unit}.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        return data if isinstance(data, dict) else None

    def forget_units(self, needed: set[str], most: int) -> None:
        """Remove the oldest units beyond `most` that nothing needs."""
        with contextlib.suppress(OSError):
            kept = sorted(self._units.glob("*.service"), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in [each for each in kept if each.stem not in needed][most:]:
                path.unlink(missing_ok=True)
                path.with_suffix(".json").unlink(missing_ok=True)

    def keep_aside(self, name: str, content: bytes, now_seconds: float) -> Path:
        """Keep a copy of a file that somebody edited on the host, before it is replaced."""
        folder = self.folder / "aside"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{name}.{now_seconds:.0f}"
        durable.write(path, content)
        return path

    def freeze(self) -> Freeze | None:
        """The freeze that holds, whatever else is damaged. One that cannot be read holds: somebody meant something."""
        try:
            data = json.loads(self._freeze.read_bytes())
            until = data["until_seconds"]
            reason, since = str(data["reason"]), float(data["since_seconds"])
            return Freeze(reason, since, None if until is None else float(until))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            return Freeze(f"{self._freeze} cannot be read ({error}): sgfleet agent unfreeze removes it", 0.0, None)

    def set_freeze(self, freeze: Freeze | None) -> None:
        """Stop, or go on. Needs no lock: a running pass looks at it before each new attempt."""
        if freeze is None:
            self._freeze.unlink(missing_ok=True)
            durable.sync_folder(self.folder)
        else:
            self.prepare()
            durable.write(self._freeze, json.dumps(freeze._asdict()).encode())

    def log(self, entry: dict[str, Any]) -> None:
        """Add a line. The log is for people: where it cannot be written, the work goes on."""
        line = json.dumps(entry, ensure_ascii=True).encode() + b"\n"
        with contextlib.suppress(OSError):
            if self._log.exists() and self._log.stat().st_size > MOST_LOG_BYTES:
                self._log.replace(self._log.with_name("log.jsonl.old"))
            file = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                os.write(file, line)
            finally:
                os.close(file)

    def logged(self, most: int) -> list[dict[str, Any]]:
        """The last lines, oldest first; what a power cut tore is passed over."""
        lines: list[bytes] = []
        for path in (self._log.with_name("log.jsonl.old"), self._log):
            with contextlib.suppress(FileNotFoundError):
                lines += path.read_bytes().splitlines()
        found = []
        for line in lines[-most:] if most else lines:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found
