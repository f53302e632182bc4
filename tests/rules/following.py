"""What a help asks for, as changes of a service: each of them is what a reader in a hurry would do."""

from __future__ import annotations

import re

import yaml

REMOVED = object()

_TICKED = re.compile(r"`([\w-]+): ([^`]+)`")
_NAMED = re.compile(r"\b([a-z]+(?:-[a-z0-9]+)+) (-?\d+(?:\.\d+)?)\b")
_LISTED = re.compile(r"write ([\w-]+) as one of ([\d, ]+)")
_REMOVED = re.compile(r"remove ([\w-]+(?: and [\w-]+)*)(?=[,:;]|$)")
_BARE = re.compile(r"write (-?[\d.]+)(?:,|$)")
_EITHER = re.compile(r", or (?=write|remove|add|`)|; ")


def ways(help_, flags, own):
    """The changes that a help proposes, each a mapping of a key or flag to its new value or REMOVED.

    `flags` are the names that may be meant, `own` is the one that the finding is about. What is said in words only
    gives nothing.
    """
    found = []
    if listed := _LISTED.search(help_):
        return [{listed[1]: int(value)} for value in listed[2].split(", ")]
    for part in _EITHER.split(help_):
        change = {name: yaml.safe_load(value) for name, value in _TICKED.findall(part) if _fits(name, value, flags)}
        if re.match(r"write|and", part):
            change |= {name: yaml.safe_load(value) for name, value in _NAMED.findall(part) if name in flags}
        if removed := _REMOVED.search(part):
            names = [own if name == "it" else name for name in removed[1].split(" and ")]
            if not all(name in flags for name in names):
                continue
            change |= dict.fromkeys(names, REMOVED)
        if not change and own in flags and (bare := _BARE.match(part)):
            change = {own: yaml.safe_load(bare[1])}
        if change:
            found.append(change)
    return found


def _fits(name, value, flags):
    """Whether it is a value to be written as it stands: capitals stand for something."""
    return (name in flags or name == "gpus") and not re.search(r"\b[A-Z]{3,}", value)


def done(service, change):
    """The service with the change."""
    flags, rest = dict(service["flags"]), {key: value for key, value in service.items() if key != "flags"}
    for name, value in change.items():
        if name == "gpus":
            rest["gpus"] = value
        elif value is REMOVED:
            flags.pop(name, None)
        else:
            flags[name] = value
    return {**rest, "flags": flags}
