"""The host's own file, /etc/sgfleet/agent.toml: where its repository is, whom it trusts, what no repository may exceed.

Every key is known here with its kind; anything else is an error that names what comes near. The file is root's: one
that others may write is refused, because whoever can change it is root.
"""

from __future__ import annotations

import re
import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sgfleet.agent.remote import RemoteSettings, RemoteSettingsError
from sgfleet.agent.seen import Drift
from sgfleet.agent.toml_keys import Kind, LocalError, read_table
from sgfleet.agent.trust import Mode, Signers

FILE: Final = Path("/etc/sgfleet/agent.toml")
STATE_FOLDER: Final = Path("/var/lib/sgfleet")
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_WINDOW: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")
MOST_BYTES: Final = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What the repository cannot exceed on this host.

    `services`, `executables`, `models`, `environment_files` are patterns with `*`; None sets no limit. `users` may run
    services: None takes every user but root. `reserve_bytes` stays free whatever the policy in the repository says.
    `remove_all`: a repository that has no service for this host may empty it.
    """

    services: tuple[str, ...] | None = None
    users: tuple[str, ...] | None = None
    executables: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    environment_files: tuple[str, ...] | None = None
    ports: tuple[int, int] | None = None
    reserve_bytes: int = 0
    remove_all: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes of the day, local time, in which something new may begin. It may go past midnight."""

    begin_minute: int
    end_minute: int

    def holds(self, minute: int) -> bool:
        """Whether a minute of the day is in it."""
        if self.begin_minute <= self.end_minute:
            return self.begin_minute <= minute < self.end_minute
        return minute >= self.begin_minute or minute < self.end_minute

    def __str__(self) -> str:
        """As it is written in agent.toml."""
        begin, end = divmod(self.begin_minute, 60), divmod(self.end_minute, 60)
        return f"{begin[0]:02}:{begin[1]:02}-{end[0]:02}:{end[1]:02}"


@dataclass(frozen=True, slots=True)
class Local:
    """Everything that agent.toml says. Times in seconds.

    `apply` is False where the host only reports. `scope` is "system" or "user". `bake_seconds`: how long a service is
    watched after its gate. `tolerance`: how far below its promise a figure may be. `time_scale` multiplies what the
    agent allows a load, for engines that load in seconds.
    """

    host: str
    remote: RemoteSettings
    signers: Signers
    scope: str = "system"
    apply: bool = True
    limits: Limits = field(default_factory=Limits)
    drift: Drift = Drift.REFUSE
    windows: tuple[Window, ...] = ()
    confirm: bool = False
    bake_seconds: float = 120.0
    stop_seconds: float = 180.0
    clear_seconds: float = 120.0
    tolerance: float = 0.02
    time_scale: float = 1.0
    keep: int = 20
    textfile: Path | None = None
    hook: tuple[str, ...] = ()
    state: Path = STATE_FOLDER


_KEYS: Final[dict[str, dict[str, Kind]]] = {
    "": {"host": Kind.TEXT, "scope": Kind.TEXT, "mode": Kind.TEXT, "state": Kind.PATH},
    "repository": {
        "url": Kind.TEXT,
        "branch": Kind.TEXT,
        "token": Kind.TEXT,
        "user": Kind.TEXT,
        "ca-file": Kind.TEXT,
        "proxy": Kind.TEXT,
        "identity": Kind.TEXT,
        "known-hosts": Kind.TEXT,
        "timeout": Kind.SECONDS,
        "fetch-timeout": Kind.SECONDS,
        "most-fetch": Kind.BYTES,
    },
    "trust": {"mode": Kind.TEXT, "allowed-signers": Kind.PATH, "gpg-home": Kind.PATH, "anchor": Kind.TEXT},
    "limits": {
        "services": Kind.TEXTS,
        "users": Kind.TEXTS,
        "executables": Kind.TEXTS,
        "models": Kind.TEXTS,
        "environment-files": Kind.TEXTS,
        "ports": Kind.INTEGERS,
        "reserve": Kind.BYTES,
        "remove-all": Kind.SWITCH,
    },
    "apply": {
        "drift": Kind.TEXT,
        "windows": Kind.TEXTS,
        "confirm": Kind.SWITCH,
        "bake": Kind.SECONDS,
        "stop": Kind.SECONDS,
        "clear": Kind.SECONDS,
        "tolerance": Kind.NUMBER,
        "time-scale": Kind.NUMBER,
        "keep": Kind.INTEGER,
    },
    "report": {"textfile": Kind.PATH, "hook": Kind.TEXTS},
}
"""Table -> key -> what it holds."""


def load(path: Path = FILE) -> Local:
    """Read the host's file.

    Raises:
        LocalError: it is missing, writable by others, no TOML, or holds something that cannot be meant.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            raise LocalError("", f"{path} is no file, or larger than 1 MiB")
        if found.st_mode & 0o022:
            raise LocalError("", f"{path} can be written by others than its owner", f"chmod go-w {path}")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LocalError("", f"{path} is missing", "sgfleet agent install writes it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LocalError("", f"{path} cannot be read: {error}") from None
    return parse(text)


def parse(text: str) -> Local:
    """What a text of that form says.

    Raises:
        LocalError: see `load`.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise LocalError("", f"not TOML: {error}") from None
    tables = {name: read_table(name, data, keys, _KEYS) for name, keys in _KEYS.items()}
    top, apply, report = tables[""], tables["apply"], tables["report"]
    host = top.get("host")
    if host is None or not _HOST.fullmatch(host):
        raise LocalError("host", "must be the name of a folder under hosts/", 'such as host = "kimi-01"')
    return Local(
        host=host,
        remote=_remote(tables["repository"]),
        signers=_signers(tables["trust"]),
        scope=_choice(top, "scope", "", {"system": "system", "user": "user"}, "system"),
        apply=_choice(top, "mode", "", {"apply": True, "report": False}, default=True),
        limits=_limits(tables["limits"]),
        drift=_choice(apply, "drift", "apply", {each.value: each for each in Drift}, Drift.REFUSE),
        windows=tuple(_window(each) for each in apply.get("windows", ())),
        confirm=apply.get("confirm", False),
        bake_seconds=apply.get("bake", 120.0),
        stop_seconds=apply.get("stop", 180.0),
        clear_seconds=apply.get("clear", 120.0),
        tolerance=_between(apply, "tolerance", 0.02, 0.0, 1.0),
        time_scale=_between(apply, "time-scale", 1.0, 0.001, 100.0),
        keep=apply.get("keep", 20),
        textfile=report.get("textfile"),
        hook=report.get("hook", ()),
        state=top.get("state", STATE_FOLDER),
    )


def _remote(table: dict[str, Any]) -> RemoteSettings:
    if "url" not in table:
        raise LocalError("repository.url", "is missing", "where the fleet's repository is, for `git fetch`")
    names = {"timeout": "timeout_seconds", "fetch-timeout": "fetch_timeout_seconds", "most-fetch": "most_fetch_bytes"}
    values = {names.get(key, key.replace("-", "_")): value for key, value in table.items()}
    try:
        return RemoteSettings(**values)
    except RemoteSettingsError as error:
        raise LocalError(f"repository.{error.key}", str(error)) from None


def _signers(table: dict[str, Any]) -> Signers:
    mode = _choice(table, "mode", "trust", {each.value: each for each in Mode}, Mode.SIGNED)
    anchor = table.get("anchor")
    if anchor is not None and not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", anchor):
        raise LocalError("trust.anchor", "must be the full id of a commit", "git rev-parse COMMIT prints it")
    if mode is Mode.SIGNED and not {"allowed-signers", "gpg-home"} & table.keys():
        help_ = 'allowed-signers = "/etc/sgfleet/allowed_signers", or mode = "none" to take whatever main holds'
        raise LocalError("trust", "says neither whose signatures count nor that none are wanted", help_)
    return Signers(mode, table.get("allowed-signers"), table.get("gpg-home"), anchor)


def _limits(table: dict[str, Any]) -> Limits:
    ports = table.get("ports")
    if ports is not None and (len(ports) != 2 or not 0 < ports[0] <= ports[1] < 65536):
        raise LocalError("limits.ports", "must be the first and the last port", "such as ports = [30000, 30999]")
    return Limits(
        services=table.get("services"),
        users=table.get("users"),
        executables=table.get("executables"),
        models=table.get("models"),
        environment_files=table.get("environment-files"),
        ports=None if ports is None else (ports[0], ports[1]),
        reserve_bytes=table.get("reserve", 0),
        remove_all=table.get("remove-all", False),
    )


def _window(text: str) -> Window:
    found = _WINDOW.fullmatch(text)
    if found is None:
        raise LocalError("apply.windows", f"{text!r} is no window", 'such as "22:00-06:00", in local time')
    hours = [int(each) for each in found.groups()]
    window = Window(hours[0] * 60 + hours[1], hours[2] * 60 + hours[3])
    if window.begin_minute == window.end_minute:
        raise LocalError("apply.windows", f"{text!r} would never hold", "leave windows out where any time is right")
    return window


def _choice(table: dict[str, Any], key: str, name: str, choices: dict[str, Any], default: Any) -> Any:
    if key not in table:
        return default
    if table[key] not in choices:
        where = f"{name}.{key}" if name else key
        raise LocalError(where, f"has no choice {table[key]!r}", f"one of {', '.join(choices)}")
    return choices[table[key]]


def _between(table: dict[str, Any], key: str, default: float, least: float, most: float) -> float:
    value: float = table.get(key, default)
    if not least <= value <= most:
        raise LocalError(f"apply.{key}", f"must be between {least:g} and {most:g}, not {value:g}")
    return value
