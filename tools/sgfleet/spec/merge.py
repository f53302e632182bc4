"""How layers of settings become one: the nearer layer wins, mappings are put together by key, null removes.

A layer is what `fleet.yaml` (`defaults:`), `host.yaml` (`defaults:`) or one service says. The rules:

- `flags`, `secrets`, `environment`, `unit` and `start` are put together by key. Everything else is replaced as a whole:
  a list of the nearer layer takes the place of the farther one's.
- null takes away what farther layers say. The setting then has its default again, and a flag is not given.
- A flag has several names in some releases (`tp-size`, `tensor-parallel-size`). A nearer layer that gives it by one
  name takes the place of a farther one that gives it by the other. Names stay as they were written: a finding can then
  quote them, and the renderer knows the order of flags by any of their names. Two names in one layer both stay, for the
  rule that says so.
- A flag's own value is never looked into: a mapping that becomes JSON is replaced as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BY_KEY: Final = frozenset({"flags", "secrets", "environment", "unit", "start"})
"""Keys of a service whose mappings are put together by key."""

_FLAGS: Final = frozenset({"flags", "secrets"})
"""Mappings whose keys are flags, which may have several names."""


def same(mapping: str, key: str, names: Mapping[str, str]) -> str:
    """What a key of one of the `BY_KEY` mappings is compared by.

    `names`: any name of a flag that has several -> the one by which all of them are compared.
    """
    return names.get(key, key) if mapping in _FLAGS else key


def merge(farther: Mapping[str, Any], nearer: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Put a nearer layer over what farther ones have come to. What is returned holds no null at a setting's place."""
    merged = dict(farther)
    for key, value in nearer.items():
        if value is None:
            merged.pop(key, None)
        elif key in BY_KEY and isinstance(value, dict):
            inherited = merged.get(key)
            merged[key] = _by_key(key, inherited if isinstance(inherited, dict) else {}, value, names)
        else:
            merged[key] = value
    return merged


def _by_key(
    mapping: str, farther: Mapping[str, Any], nearer: Mapping[str, Any], names: Mapping[str, str]
) -> dict[str, Any]:
    if farther and names and mapping in _FLAGS:
        taken = {names.get(key, key) for key in nearer}
        kept = {key: value for key, value in farther.items() if names.get(key, key) not in taken}
    else:
        kept = {key: value for key, value in farther.items() if key not in nearer}
    kept.update((key, value) for key, value in nearer.items() if value is not None)
    return kept


def idle_nulls(
    farther: Mapping[str, Any], nearer: Mapping[str, Any], names: Mapping[str, str]
) -> Iterator[tuple[str, ...]]:
    """Routes of nulls in the nearer layer that take nothing away, because no farther layer has what they name."""
    for key, value in nearer.items():
        if value is None:
            if key not in farther:
                yield (key,)
        elif key in BY_KEY and isinstance(value, dict) and None in value.values():
            inherited = farther.get(key)
            there = {same(key, each, names) for each in inherited} if isinstance(inherited, dict) else set()
            yield from (
                (key, each) for each, held in value.items() if held is None and same(key, each, names) not in there
            )
