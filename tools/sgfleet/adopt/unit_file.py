"""A unit file as people write them -> how its process starts, and the settings that a host's YAML has as well."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sgfleet.adopt.start import Refused, Start
from sgfleet.engine.version import is_release
from sgfleet.render.identity import PREFIX
from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.render.unquoting import Unreadable, read_environment, read_exec, split_words
from sgfleet.spec.option_values import fits
from sgfleet.spec.quantities import LONGEST_SECONDS, format_duration, format_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.render.unit_text import Setting, UnitText

_SECONDS: Final = {
    "": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6,
    "m": 60.0, "min": 60.0, "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hr": 3600.0, "hour": 3600.0,
    "hours": 3600.0, "d": 86400.0, "day": 86400.0, "days": 86400.0, "w": 604800.0, "week": 604800.0, "weeks": 604800.0,
}  # fmt: skip
_SPAN: Final = re.compile(r"(?:\s*[0-9]+(?:\.[0-9]+)?\s*[a-z]*)+")
_SPAN_PART: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)")
_SIZE: Final = re.compile(r"([0-9]+)([KMGTB]?)")
_POWERS: Final = {"": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_UNIT_NAME: Final = re.compile(
    r"[A-Za-z0-9:_.\\-]+(@[A-Za-z0-9:_.\\-]*)?\.(service|socket|target|mount|path|timer|device|slice)"
)
_LISTS: Final = {("Unit", "After"): "after", ("Unit", "Wants"): "wants", ("Unit", "Requires"): "requires",
                 ("Install", "WantedBy"): "wanted-by"}  # fmt: skip
_SPANS: Final = {("Service", "RestartSec"): "restart-sec", ("Service", "TimeoutStopSec"): "timeout-stop-sec",
                 ("Unit", "StartLimitIntervalSec"): "start-limit-interval-sec",
                 ("Service", "StartLimitIntervalSec"): "start-limit-interval-sec",
                 ("Service", "StartLimitInterval"): "start-limit-interval-sec"}  # fmt: skip
_WORDS: Final = {
    "Restart": ("restart", ("no", "on-failure", "on-abnormal", "on-abort", "on-success", "always")),
    "KillMode": ("kill-mode", ("control-group", "mixed", "process", "none")),
    "Type": ("type", ("exec", "simple")),
}
_NUMBERS: Final = {
    ("Unit", "StartLimitBurst"): ("start-limit-burst", 0, 1000),
    ("Service", "StartLimitBurst"): ("start-limit-burst", 0, 1000),
    ("Service", "LimitNOFILE"): ("limit-nofile", 1024, 2**30),
    ("Service", "OOMScoreAdjust"): ("oom-score-adjust", -1000, 1000),
    ("Service", "Nice"): ("nice", -20, 19),
}
_SIZES: Final = {"LimitMEMLOCK": "limit-memlock", "MemoryMax": "memory-max", "MemoryHigh": "memory-high"}
_ELSEWHERE: Final = frozenset({
    ("Unit", "Description"), ("Service", "ExecStart"), ("Service", "Environment"), ("Service", "EnvironmentFile"),
    ("Service", "User"), ("Service", "Group"), ("Service", "WorkingDirectory"), ("Service", "TimeoutStartSec"),
    ("Service", "TimeoutSec"),
})  # fmt: skip
_ACCOUNT: Final = re.compile(r"[a-z_][a-z0-9_-]{0,31}")


def read_unit(text: str, name: str | None) -> Start:
    """The start that a unit asks for. `name` is the unit's, without its suffix.

    Raises:
        Refused: systemd would not run it, or not one process.
    """
    try:
        unit = parse_unit(text)
    except UnitSyntaxError as error:
        raise Refused(f"systemd refuses the unit: {error}") from None
    specifiers = {"h": "/root", "t": "/run", "S": "/var/lib", "C": "/var/cache", "L": "/var/log", "E": "/etc"}
    if name is not None:
        specifiers |= {"n": f"{name}.service", "N": name, "p": name.partition("@")[0]}
    start = Start([], name=name)
    for ignored in unit.ignored:
        start.told.lost.append(f"line {ignored.line}: {ignored.reason}; systemd ignores it as well")
    _environment(unit, specifiers, start)
    _command(unit, specifiers, start)
    _account(unit, specifiers, start)
    settings = dict(_settings(unit, start))
    if unit.value("Service", "Restart") is None:
        settings["restart"] = "no"
    if "wants" not in settings and "after" in settings:
        settings["wants"] = []
    if settings:
        start.spec["unit"] = settings
    _budget(unit, start)
    _own(unit, start)
    if description := unit.value("Unit", "Description"):
        start.spec["why"] = description.replace("%%", "%")
    return start


def _environment(unit: UnitText, specifiers: dict[str, str], start: Start) -> None:
    variables: dict[str, str] = {}
    for setting in unit.settings("Service", "Environment"):
        if not setting.value:
            variables = {}
        read = read_environment(setting.value, specifiers)
        for each in read.assignments:
            variables[each.name] = each.value
            if each.unresolved:
                on = ", ".join(each.unresolved)
                start.told.lost.append(f"line {setting.line}: {each.name} depends on {on}: it stays as it is written")
        if read.dropped:
            start.told.lost.append(f"line {setting.line}: a part of Environment= that systemd drops as well")
    start.environment.update(variables)
    files = []
    for path in unit.values("Service", "EnvironmentFile"):
        plain = path.removeprefix("-")
        if not plain.startswith("/") or "%" in plain:
            start.told.lost.append("EnvironmentFile=: only an absolute path without specifiers is carried over")
            continue
        if plain != path:
            start.told.notes.append(f"{plain}: the file had not to be there; now the service does not start without it")
        files.append(plain)
    if files:
        start.spec["environment-files"] = files


def _command(unit: UnitText, specifiers: dict[str, str], start: Start) -> None:
    lines = unit.values("Service", "ExecStart")
    try:
        commands = [command for line in lines for command in read_exec(line, start.environment, specifiers)]
    except Unreadable as error:
        raise Refused(f"systemd refuses ExecStart=: {error.reason}") from None
    if len(commands) != 1:
        raise Refused(f"{len(commands) or 'no'} commands in ExecStart=, and a service is one process")
    (command,) = commands
    if marks := command.prefixes.strip(":"):
        start.told.lost.append(f"the prefix {marks} of ExecStart=")
    start.words = list(command.argv) if "@" not in command.prefixes else [command.path, *command.argv[1:]]
    for each in command.unresolved:
        if each.startswith("${"):
            start.references.add(each[2:-1])
        else:
            what = "the unit's instance or host" if each.startswith("%") else "a variable, split at its blanks"
            raise Refused(f"the command depends on {each}: {what}", "write what it stands for in its place")


def _account(unit: UnitText, specifiers: dict[str, str], start: Start) -> None:
    for key, name in (("User", "user"), ("Group", "group")):
        value = unit.value("Service", key)
        if value is None:
            continue
        if _ACCOUNT.fullmatch(value):
            start.spec[name] = value
        else:
            start.told.lost.append(f"{key}=: only a plain name of an account is carried over")
    folder = unit.value("Service", "WorkingDirectory")
    if folder is not None:
        for letter, text in specifiers.items():
            folder = folder.replace(f"%{letter}", text)
        plain = folder.removeprefix("-").replace("%%", "%")
        if plain.startswith("/"):
            start.spec["working-directory"] = plain
        else:
            start.told.lost.append("WorkingDirectory=: only an absolute path is carried over")


def _settings(unit: UnitText, start: Start) -> Iterator[tuple[str, Any]]:
    seen: set[tuple[str, str]] = set()
    for section in unit.sections:
        for setting in unit.settings(section.name):
            key = (section.name, setting.key)
            if key in seen or key in _ELSEWHERE or setting.key.startswith("X-") or section.name.startswith("X-"):
                continue
            seen.add(key)
            found = _carried(unit, key, start)
            if found is None:
                start.told.lost.append(f"line {setting.line}: {_shown(setting)}")
            else:
                yield found


def _shown(setting: Setting) -> str:
    """A setting without its value, which may hold a secret."""
    if setting.key.startswith("Exec"):
        words = setting.value.split()
        return f"{setting.key}=, which runs {words[0].lstrip('-@:+!')}" if words else f"{setting.key}="
    return f"{setting.key}="


def _carried(unit: UnitText, key: tuple[str, str], start: Start) -> tuple[str, Any] | None:
    """The setting as a host's YAML has it; None where it has none, or not this value."""
    value = unit.value(*key)
    if key in _LISTS:
        names = [name for line in unit.values(*key) for name in split_words(line)]
        kept = [name for name in names if _UNIT_NAME.fullmatch(name)]
        if len(kept) < len(names):
            start.told.lost.append(f"{key[1]}=: {len(names) - len(kept)} of its names")
        return _LISTS[key], kept
    if value is None:
        return None
    if key in _SPANS:
        seconds = _span(value)
        if seconds is None:
            return None
        if seconds != int(seconds):
            start.told.notes.append(f"{key[1]}={value}: rounded up to whole seconds")
        return _SPANS[key], format_duration(int(-(-seconds // 1)))
    if key in _NUMBERS:
        name, least, most = _NUMBERS[key]
        soft = value.partition(":")[0]
        if re.fullmatch("-?[0-9]{1,10}", soft) and least <= int(soft) <= most:
            return name, int(soft)
        return None
    if key[0] != "Service":
        return None
    if key[1] in _WORDS:
        name, words = _WORDS[key[1]]
        return (name, value) if value in words else None
    return _size(key[1], value)


def _size(key: str, value: str) -> tuple[str, Any] | None:
    if key not in _SIZES:
        return None
    soft = value.partition(":")[0]
    if soft == "infinity":
        return _SIZES[key], "infinity"
    found = _SIZE.fullmatch(soft)
    size = int(found[1]) * 1024 ** _POWERS[found[2]] if found and len(found[1]) < 16 else 0
    return (_SIZES[key], format_size(size)) if 0 < size <= 2**60 else None


def _budget(unit: UnitText, start: Start) -> None:
    value = unit.value("Service", "TimeoutStartSec") or unit.value("Service", "TimeoutSec")
    if value is None:
        return
    seconds = _span(value)
    if seconds and seconds >= 1:
        start.spec["start"] = {"budget": format_duration(int(seconds))}
        start.told.notes.append("TimeoutStartSec= does not bound a load in systemd; start: {budget: } does")


def _own(unit: UnitText, start: Start) -> None:
    """What sgfleet itself wrote into a unit, of what systemd has no setting for."""
    release = unit.value("Unit", f"{PREFIX}Release")
    if release is not None and is_release(release):
        start.release = release
        start.told.notes.append(f"release {release}, as {PREFIX}Release of the unit says")
    start.name = start.name or unit.value("Unit", f"{PREFIX}Service")
    budget: dict[str, Any] = {}
    seconds = _span(unit.value("Unit", f"{PREFIX}Start-Budget") or "")
    if seconds and seconds >= 1:
        budget["budget"] = format_duration(int(seconds))
    if url := unit.value("Unit", f"{PREFIX}Health-Url"):
        budget["health-url"] = url.replace("%%", "%")
    if budget and fits("start", budget):
        start.spec["start"] = budget


def _span(value: str) -> float | None:
    """systemd's time span in seconds; None for infinity and for what is none."""
    if not _SPAN.fullmatch(value) or len(value) > 60:
        return None
    parts = _SPAN_PART.findall(value)
    if any(unit not in _SECONDS for _, unit in parts):
        return None
    total = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    return total if total <= LONGEST_SECONDS else None
