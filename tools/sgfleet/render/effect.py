"""What it takes for one unit text to follow another on a host: nothing, new bytes, a daemon-reload, or a restart.

systemd reads every setting again at a daemon-reload, but a process that runs keeps what it was started with. Which
settings reach a running service is therefore a fact about systemd; `tests/systemd/test_effect_is_true.py` starts
services and looks. What is not listed here, a key that nobody has tried included, takes a restart.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.render.unit_text import BLANKS, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping


class Effect(StrEnum):
    """From the least to the most. REFRESH: the bytes differ, and systemd acts on none of what differs."""

    NONE = "none"
    REFRESH = "refresh"
    RELOAD = "reload"
    RESTART = "restart"


RELOADED: Final = frozenset(
    {
        ("Unit", "Description"),
        ("Unit", "After"),
        ("Unit", "Wants"),
        ("Unit", "Requires"),
        ("Unit", "StartLimitIntervalSec"),
        ("Unit", "StartLimitBurst"),
        ("Service", "Restart"),
        ("Service", "RestartSec"),
        ("Service", "TimeoutStartSec"),
        ("Service", "TimeoutStopSec"),
        ("Service", "KillMode"),
    }
)
"""Settings that hold for a running service from the next daemon-reload on. What [Install] says is read by
`systemctl enable` alone: whoever installs a unit whose [Install] differs enables it anew.

MemoryMax= and MemoryHigh= reach the cgroup at a daemon-reload too, and are left out: a bound below what the process
has would end it, minutes of load lost with nobody watching. A restart is watched."""

INSTALL: Final = "Install"

_SYNTAX: Final = "(the text is no unit)"
_QUOTES: Final = frozenset("\"'\\")
_BLANKS: Final = re.compile(f"[{BLANKS}]+")

Key = tuple[str, str]
"""Section and key."""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting that differs. Each value is one assignment, in the order of the file; none where the key is absent.

    Values may hold secrets that somebody wrote into Environment= by hand: `output` decides what is shown.
    """

    section: str
    key: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    effect: Effect


@dataclass(frozen=True, slots=True)
class UnitEffect:
    """What must happen, and the settings why: those of the highest effect first, then by section and key."""

    effect: Effect
    changes: tuple[SettingChange, ...] = ()


def effect_of(before: str, after: str) -> UnitEffect:
    """What installing `after` over `before` takes. A text that systemd refuses, on either side, means RESTART."""
    if before == after:
        return UnitEffect(Effect.NONE)
    try:
        old, new = _settings(before), _settings(after)
    except UnitSyntaxError:
        return UnitEffect(Effect.RESTART, (SettingChange("", _SYNTAX, (), (), Effect.RESTART),))
    differing = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    changes = [SettingChange(*key, old.get(key, ()), new.get(key, ()), _effect(key)) for key in differing]
    highest = Effect.RESTART if any(each.effect is Effect.RESTART for each in changes) else Effect.RELOAD
    changes.sort(key=lambda each: each.effect is not Effect.RESTART)
    return UnitEffect(highest, tuple(changes)) if changes else UnitEffect(Effect.REFRESH)


def restart_hash(text: str) -> str:
    """SHA-256, in hexadecimal, over the settings that decide the process.

    `restart_hash(a) == restart_hash(b)` exactly where `effect_of(a, b)` is below RESTART; a text that systemd refuses
    is only equal to itself.
    """
    decisive = hashlib.sha256()
    try:
        settings = _settings(text)
    except UnitSyntaxError:
        decisive.update(b"\0" + text.encode(errors="surrogateescape"))
        return decisive.hexdigest()
    for key in sorted(settings):
        if _effect(key) is Effect.RESTART:
            # No section, key or value of a unit can hold a NUL: the reader ends a line there.
            decisive.update("\0".join((*key, *settings[key], "\n")).encode(errors="surrogateescape"))
    return decisive.hexdigest()


def _effect(key: Key) -> Effect:
    return Effect.RELOAD if key in RELOADED or key[0] == INSTALL else Effect.RESTART


def _settings(text: str) -> Mapping[Key, tuple[str, ...]]:
    """What systemd acts on. The order of assignments counts within one key only; X- sections and keys do not count."""
    found: dict[Key, list[str]] = {}
    for section in parse_unit(text).sections:
        for item in section.items:
            if isinstance(item, Setting) and not section.name.startswith("X-") and not item.key.startswith("X-"):
                found.setdefault((section.name, item.key), []).append(_value(item))
    return {key: tuple(values) for key, values in found.items()}


def _value(setting: Setting) -> str:
    """A command's words may be laid out in any way. With a quote or an escape in it, it is left as it is written."""
    value = setting.value
    if setting.key.startswith("Exec") and _QUOTES.isdisjoint(value):
        return _BLANKS.sub(" ", value)
    return value
