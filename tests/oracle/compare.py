"""Our side held against the release's own: action by action and field by field, and command line by command line."""

from __future__ import annotations

import errno

from sgfleet.engine.argv.outcome import Parsed, Rejected
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.argv.parser import HELP, parser_of

BARE = {"store_true": (0, True), "store_false": (0, False), "help": (0, None), "BooleanOptionalAction": (0, None)}
"""(nargs, const) of actions that a schema may leave out."""

SAME_KIND = {"unexpected-word": "unknown-option"}
"""Kinds that argparse has one message for."""


def fields(release, described):
    """(option, field, ours, theirs) for everything in which the schema differs from the real parser."""
    ours = list(release.flags)
    if not any(flag.action == "help" for flag in ours):
        ours.insert(0, HELP)
    theirs = described["actions"]
    if [list(flag.options) for flag in ours] != [action["options"] for action in theirs]:
        mine, real = {flag.options for flag in ours}, {tuple(action["options"]) for action in theirs}
        yield "*", "missing flags", None, sorted(real - mine)
        yield "*", "surplus flags", sorted(mine - real), None
        yield "*", "order of the flags", None, None
        return
    for flag, action in zip(ours, theirs, strict=True):
        mine, real = _ours(flag), _theirs(action)
        for field in mine:
            if field == "instead" and real[field] is None:
                continue  # the schema may have it from the help text
            if mine[field] != real[field]:
                yield flag.options[0], field, mine[field], real[field]
        if flag.opaque:
            yield flag.options[0], "opaque", True, f"type {action['type']}, action {action['action']}"


def _ours(flag):
    nargs, const = BARE.get(flag.action, (flag.nargs, flag.const))
    return {
        "dest": flag.dest,
        "action": flag.action,
        "nargs": nargs,
        "const": repr(const),
        "default": repr(flag.default),
        "type": flag.type,
        "choices": None if flag.choices is None else [repr(choice) for choice in flag.choices],
        "required": flag.required,
        "metavar": flag.metavar,
        "instead": flag.deprecation.instead if flag.deprecation else None,
        "refuses": flag.deprecation is not None and flag.deprecation.effect == "rejects",
        "deprecated": flag.deprecation is not None,
    }


def _theirs(action):
    choices = action["choices"]
    real = {
        name: action[name]
        for name in ("dest", "action", "nargs", "const", "default", "type", "required", "metavar", "instead", "refuses")
    }
    real["choices"] = choices if choices is None or action["ordered"] else sorted(choices)
    real["deprecated"] = action["action"].startswith("Deprecated") or action["in_help"]
    return real


def defaults(release, described):
    """(destination, ours, theirs) for the namespace of a command line that gives only what is required."""
    ours = {name: _text(value) for name, value in parser_of(release).defaults.items()}
    ours["model_path"] = repr("M")
    theirs = described["defaults"]
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            yield name, ours.get(name), theirs.get(name)


def answer(release, line):
    """Our verdict on a line, in the form of the worker's answers."""

    def read(path):
        if path not in line.files:
            raise FileNotFoundError(errno.ENOENT, "no such file")
        return line.files[path]

    outcome = parse(release, line.words, read)
    if isinstance(outcome, Rejected):
        kind = SAME_KIND.get(outcome.kind, outcome.kind)
        return {"ok": False, "kind": "config" if kind.startswith("config-") else kind}
    if not isinstance(outcome, Parsed):
        return {"ok": None, "kind": outcome.kind}
    base = parser_of(release).defaults | {"model_path": "M"}
    changed = {
        name: _text(value) for name, value in outcome.namespace.items() if not _same(value, base.get(name, base))
    }
    return {"ok": True, "changed": changed, "later": any(note.kind == "fails-later" for note in outcome.notes)}


def disagreement(ours, theirs):
    """What two answers to one command line differ in, or None."""
    if ours["ok"] != theirs["ok"]:
        return f"verdict {ours} against {theirs}"
    if not ours["ok"]:
        return None if ours["kind"] == theirs["kind"] else f"kind {ours['kind']} against {theirs['kind']}"
    if ours["changed"] != theirs["changed"]:
        names = ours["changed"].keys() | theirs["changed"].keys()
        wrong = {name: (ours["changed"].get(name), theirs["changed"].get(name)) for name in names}
        return "values " + repr({name: pair for name, pair in wrong.items() if pair[0] != pair[1]})
    if ours["later"] != (theirs["later"] is not None):
        return f"after parsing: {ours['later']} against {theirs['later']}"
    return None


def _same(value, default):
    return value is default or (type(value) is type(default) and value == default)


def _text(value):
    try:
        return repr(value)
    except (RecursionError, ValueError) as error:
        return f"<{type(error).__name__}>"
