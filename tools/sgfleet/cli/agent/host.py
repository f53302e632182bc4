"""The host that a call of `sgfleet agent` is about: its file, its folder, and its lock."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from sgfleet.agent.local import FILE, Local, load
from sgfleet.agent.toml_keys import LocalError
from sgfleet.cli.common import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sgfleet.agent.store import Store

LOCK_SECONDS: Final = 60.0
"""A request waits so long for a pass that runs: longer than a pass of the timer takes."""
_LOOK_SECONDS: Final = 0.1


class FailedError(Exception):
    """The call makes sense, and could not be done: exit 1 with the message."""

    def __init__(self, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.help = help_


def config_path(arguments: argparse.Namespace) -> Path:
    """The host's file, absolute: a unit names it."""
    if arguments.config is not None:
        return Path(arguments.config).absolute()
    return Path.home() / ".config/sgfleet/agent.toml" if arguments.user else FILE


def local_of(arguments: argparse.Namespace) -> Local:
    """What the host's file says.

    Raises:
        UsageError: it cannot be used.
    """
    path = config_path(arguments)
    try:
        return load(path)
    except LocalError as error:
        refuse(path, error)


def refuse(path: Path, error: LocalError) -> NoReturn:
    """Say what the host's file has wrong."""
    message = str(error)
    raise UsageError(message if str(path) in message else f"{path}: {message}", error.help) from None


@contextlib.contextmanager
def readable(store: Store) -> Iterator[None]:
    """A folder that cannot be read or written is one line, not a crash."""
    try:
        yield
    except PermissionError:
        raise FailedError(
            f"{store.folder} belongs to another user", "run it as the user that the agent runs as"
        ) from None
    except OSError as error:
        raise FailedError(f"{store.folder} cannot be used: {error}") from None


@contextlib.contextmanager
def held(store: Store) -> Iterator[None]:
    """The store's lock, once a pass that runs has ended.

    Raises:
        FailedError: it has not.
    """
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        with store.lock() as ours:
            if ours:
                yield
                return
        if time.monotonic() >= deadline:
            raise FailedError(
                f"another pass has been under way for {LOCK_SECONDS:g} s", "try again, or see: sgfleet agent status"
            )
        time.sleep(_LOOK_SECONDS)


def seconds_of(text: str, option: str) -> float:
    """A duration on the command line.

    Raises:
        UsageError: it is none.
    """
    from sgfleet.spec.quantities import duration_seconds

    try:
        return float(duration_seconds(text))
    except ValueError:
        raise UsageError(f"{option} {text!r} is no duration", "such as 30s, 15m or 1h30m") from None
