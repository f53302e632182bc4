"""What was read and what the file says already -> what the file says from now on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sgfleet.facts.probe import Probe

ORDER: Final = (
    "format",
    "host",
    "read",
    "unknown",
    "gpus",
    "memory",
    "numa",
    "limits",
    "software",
    "environments",
    "checkpoints",
    "observed",
)
"""The sections of facts.yaml, from top to bottom."""
_BY_KEY: Final = {"environments": "python", "checkpoints": "path"}
"""Lists whose entries are told apart by a key: those that were not looked at stay."""
_BY_HAND: Final = ("model",)
"""Keys that a person adds to such an entry, and that stay when a probe says nothing of them."""


def merged(known: dict[str, Any], probe: Probe, when: str, *, replaced: bool = False) -> dict[str, Any]:
    """The sections of the file, those that stay as they are included; `when` is the moment of the probe.

    Of a machine that was `replaced`, what could not be read is unknown: an older figure is of the one before. And an
    entry that was not looked at is of the one before, too: all that the file names and that is there is looked at.
    """
    if replaced:
        gone = (probe.looked_at | _BY_KEY.keys()) - (probe.parts.keys() & _BY_KEY.keys())
        left = left_behind(known, probe)
        known = {**known, **{part: _without(known[part], _BY_KEY[part], names) for part, names in left.items()}}
        reading = {part: how for part, how in (known.get("read") or {}).items() if part not in gone}
        known = {**known, **dict.fromkeys(gone & known.keys()), "read": reading}
    result = dict(known)
    for part, value in probe.parts.items():
        before = known.get(part)
        if part in _BY_KEY:
            result[part] = _entries(before or [], value, _BY_KEY[part])
        elif isinstance(value, dict):
            result[part] = _section(part, before or {}, value, probe.unknown)
        else:
            result[part] = value
    read = {**(known.get("read") or {}), **{part: {"when": when, "how": how} for part, how in probe.how.items()}}
    result["read"] = {part: read[part] for part in ORDER if part in read}
    result["unknown"] = _unknown(known.get("unknown") or {}, probe, replaced=replaced)
    return result


def left_behind(known: dict[str, Any], probe: Probe) -> dict[str, list[str]]:
    """Part -> the entries of the file that the probe did not look at, by the key that tells them apart."""
    found = {}
    for part, key in _BY_KEY.items():
        there = {entry[key] for entry in probe.parts.get(part) or ()}
        if names := [entry[key] for entry in known.get(part) or () if entry[key] not in there]:
            found[part] = names
    return found


def _without(entries: list[dict[str, Any]], key: str, names: list[str]) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry[key] not in names]


def _section(part: str, before: dict[str, Any], value: dict[str, Any], unknown: dict[str, str]) -> dict[str, Any]:
    """The new values; an older one stays where the probe could not read its like, in the place that it had."""
    kept = {key: old for key, old in before.items() if f"{part}.{key}" in unknown}
    total = value.get("total-bytes")
    if part == "memory" and isinstance(total, int):
        # What was free with RAM that has been taken out since is worth nothing: it stays unknown.
        kept = {key: old for key, old in kept.items() if not isinstance(old, int) or old <= total}
    names = [*before, *(key for key in value if key not in before)]
    return {key: value.get(key, kept.get(key)) for key in names if key in value or key in kept}


def _entries(before: list[dict[str, Any]], value: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    new = {entry[key]: entry for entry in value}
    result = []
    for old in before:
        entry = new.pop(old.get(key), None)
        by_hand = {name: old[name] for name in _BY_HAND if name in old and name not in (entry or {})}
        result.append(old if entry is None else {**entry, **by_hand})
    return result + [new[name] for name in sorted(new)]


def _unknown(before: dict[str, str], probe: Probe, *, replaced: bool) -> dict[str, str]:
    def looked_at(name: str) -> bool:
        part, _, entry = name.partition(".")
        if part in _BY_KEY:
            key = _BY_KEY[part]
            return replaced or any(each[key] == entry for each in probe.parts.get(part, ()))
        return part in probe.looked_at

    kept = {name: why for name, why in before.items() if not looked_at(name)}
    both = {**kept, **probe.unknown}
    return {name: both[name] for name in sorted(both, key=lambda name: (_place(name), name))}


def _place(name: str) -> int:
    part = name.partition(".")[0]
    return ORDER.index(part) if part in ORDER else len(ORDER)
