"""Runs inside the oracle's own environment, one process a release: the release's real parser behind JSON lines.

    python -I worker.py FOLDER        FOLDER holds the unpacked `sglang` package of one wheel

The first line of the answer describes every action of the real parser. After that each line of the input, a JSON array
of words, is answered by one line: what the release's own `prepare_server_args` made of it. The release's code is not
changed: only the parser that it builds is built once and kept, its `error` and `exit` raise instead of ending the
process, and the server arguments that would be made of the parsed values are not.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

import stubs  # noqa: E402  (the folder above is what makes it importable in isolated mode)

KINDS = (
    (re.compile(r"ambiguous option: "), "ambiguous-option"),
    (re.compile(r"unrecognized arguments: "), "unknown-option"),
    (re.compile(r"the following arguments are required: "), "required-missing"),
    (re.compile(r"argument [^:]+: invalid choice: "), "invalid-choice"),
    (re.compile(r"argument [^:]+: expected "), "missing-value"),
    (re.compile(r"argument [^:]+: ignored explicit argument "), "unexpected-value"),
    (re.compile(r"argument [^:]+: "), "invalid-type"),
)


class StoppedError(Exception):
    """The parser would have ended the process."""


class TakenError(Exception):
    """The release has got as far as making server arguments of the parsed values."""


def load(folder):
    """The release's module with its parser, imported for real."""
    sys.path.insert(0, folder)
    stubs.install()
    import sglang.srt.server_args as module

    return module


def describe(action, parser):
    """An action field by field. Values go as Python text, so that 1, 1.0, True and "1" stay apart."""
    kind = type(action).__name__
    plain = {
        "_StoreAction": "store",
        "_StoreTrueAction": "store_true",
        "_StoreFalseAction": "store_false",
        "_StoreConstAction": "store_const",
        "_AppendAction": "append",
        "_HelpAction": "help",
    }
    reader = action.type
    name = getattr(reader, "__qualname__", None)
    if name == "loads":
        name = f"{reader.__module__}.loads"
    return {
        "options": list(action.option_strings),
        "dest": action.dest,
        "action": plain.get(kind, kind),
        "nargs": action.nargs,
        "const": repr(getattr(action, "const_value", action.const)),
        "default": repr(action.default),
        "type": name,
        "choices": None if action.choices is None else [repr(choice) for choice in action.choices],
        "ordered": not isinstance(action.choices, (set, frozenset)),
        "required": action.required,
        "metavar": action.metavar,
        "instead": getattr(action, "new_flag", None),
        "refuses": kind == "DeprecatedAction" and refuses(action, parser),
        "in_help": bool(re.match(r"\W*deprecated\b", str(action.help), re.IGNORECASE)),
    }  # fmt: skip


def refuses(action, parser):
    """Whether any use of a deprecated flag ends the launch: it is used, on a namespace that nobody needs."""
    try:
        action(parser, argparse.Namespace(), [], action.option_strings[0])
    except (StoppedError, ValueError):
        return True
    return False


class Oracle:
    """One release's parser, asked again and again."""

    def __init__(self, module):
        self.parser = argparse.ArgumentParser()
        module.ServerArgs.add_cli_args(self.parser)
        self.defaults = vars(self._fresh())
        self.parser.error = self._error
        self.parser.exit = self._exit
        self.parser.print_help = lambda *args: None
        self.real_parse = self.parser.parse_args
        self.parser.parse_args = self._parse
        self.parsed = None
        self.prepare = module.prepare_server_args
        names = self.prepare.__globals__
        names["argparse"] = _Instead(argparse, ArgumentParser=lambda **options: self.parser)
        names["ServerArgs"] = _Instead(module.ServerArgs, add_cli_args=lambda parser: None, from_cli_args=self._take)

    def _fresh(self):
        """The namespace of a command line that gives only what is required."""
        required = [
            word for action in self.parser._actions if action.required for word in (action.option_strings[0], "M")
        ]
        return self.parser.parse_args(required)

    def _error(self, message):
        raise StoppedError(message)

    def _exit(self, status=0, message=None):
        raise StoppedError(None)

    def _take(self, namespace):
        raise TakenError

    def _parse(self, words):
        self.parsed = None
        namespace = self.real_parse(words)
        self.parsed = dict(vars(namespace))  # what comes after parsing may write into the namespace
        return namespace

    def ask(self, words):
        """The verdict on a command line, as a mapping for JSON."""
        self.parsed = None
        later = None
        try:
            self.prepare(words)
        except TakenError:
            pass
        except StoppedError as stop:
            return {"ok": False, "kind": self._kind(stop.args[0])}
        except BaseException as error:
            if self.parsed is None:
                return {"ok": False, "kind": _crash(error)}
            later = type(error).__name__
        changed = {
            name: _text(value) for name, value in self.parsed.items() if not _same(value, self.defaults.get(name, self))
        }
        return {"ok": True, "changed": changed, "later": later}

    def _kind(self, message):
        if message is None:
            return "help-requested"
        if any(getattr(action, "error_message", None) == message for action in self.parser._actions):
            return "deprecated-rejected"
        return next((kind for pattern, kind in KINDS if pattern.match(message)), "crash")


class _Instead:
    """Another object with some attributes replaced."""

    def __init__(self, original, **replaced):
        self._original = original
        self.__dict__.update(replaced)

    def __getattr__(self, name):
        return getattr(self._original, name)


def _crash(error):
    """Where an exception that is not the parser's own came from."""
    if isinstance(error, RecursionError):
        return "crash"
    frame = error.__traceback__
    kind = "crash"
    while frame is not None:
        code = frame.tb_frame.f_code
        if code.co_filename.endswith("server_args_config_parser.py"):
            kind = "config"
        owner = type(frame.tb_frame.f_locals.get("self")).__name__
        if code.co_name == "__call__" and owner == "DeprecatedAction":
            kind = "deprecated-rejected"
        if code.co_name == "__call__" and owner == "LoRAPathAction":
            kind = "invalid-value"
        frame = frame.tb_next
    return kind


def _same(value, default):
    return value is default or (type(value) is type(default) and value == default)


def _text(value):
    try:
        return repr(value)
    except (RecursionError, ValueError) as error:  # nested too deeply, or an integer of more than 4,300 digits
        return f"<{type(error).__name__}>"


def main():
    """Describe, then answer until the input ends."""
    oracle = Oracle(load(sys.argv[1]))
    logging.disable(logging.CRITICAL)
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever the release prints is not an answer
    described = {
        "actions": [describe(action, oracle.parser) for action in oracle.parser._actions],
        "defaults": {name: repr(value) for name, value in oracle.defaults.items()},
    }
    answers.write(json.dumps(described) + "\n")
    answers.flush()
    for line in sys.stdin:
        words = json.loads(line)
        if words is None:  # the asker waits
            answers.flush()
        else:
            answers.write(json.dumps(oracle.ask(words)) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
