"""A command as it is written -> the interpreter and the words behind `sglang.launch_server`."""

from __future__ import annotations

import re
from collections import deque
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from sgfleet.adopt import containers
from sgfleet.adopt.shell import Script
from sgfleet.adopt.start import Refused, Start

if TYPE_CHECKING:
    from collections.abc import Sequence

MODULE: Final = "sglang.launch_server"
_SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh"})
_PYTHON: Final = re.compile(r"(?:python|pypy)[0-9.]*")
_SILENT: Final = frozenset({"exec", "nohup", "time", "command", "setsid"})
_IDLE: Final = frozenset({"set", "true", "wait", "shopt", "trap"})
_DEEPEST: Final = 20
"""Programs around programs; nobody writes more."""
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def unwrap(start: Start) -> list[str]:
    """The words behind the entry module. What stands around it goes into `start`.

    Raises:
        Refused: no start of SGLang is found in the command, or one that only a shell can do.
    """
    for _ in range(_DEEPEST):
        if not start.words:
            raise Refused("there is no command")
        if (at := _entry(start.words)) == 0:
            return _python(start)
        name = PurePosixPath(start.words[0]).name
        if name in _SHELLS:
            _shell(start)
        elif name in containers.PROGRAMS:
            containers.take(start)
        elif name in _SILENT:
            start.words = start.words[1:]
        elif found := _ASSIGNMENT.fullmatch(start.words[0]):
            start.environment[found[1]] = found[2]
            start.words = start.words[1:]
        elif name == "env":
            _env(start)
        elif name == "sudo":
            _sudo(start)
        elif at is not None:
            start.told.lost.append(f"{name}: stands before the interpreter and is left out")
            start.words = start.words[at:]
        else:
            raise Refused(f"no start of {MODULE} in the command: it runs {name}", "give the command line that it runs")
    raise Refused("programs in programs, nested too deeply")


def read_script(text: str, start: Start) -> None:
    """A script, or a line for a shell: its one start of SGLang, with what comes before it.

    Raises:
        Refused: there is none, or more than one, or one that only a shell can do.
    """
    shown = dict(start.environment)
    script = Script(text, shown)
    found: list[str] | None = None
    for statement in script:
        words = statement.words
        if words and _mentions(words):
            if found is not None:
                raise Refused(f"more than one start of {MODULE}", "import them one by one")
            found = words
            start.environment.update(statement.assignments)
            if statement.redirected or statement.operator in ("|", "|&"):
                start.told.lost.append("the redirection of its output: a service writes to the journal")
            continue
        shown.update(statement.assignments)
        if words:
            _prepare(words, shown, start)
    start.references |= script.references
    if found is None:
        raise Refused(f"no start of {MODULE} in it", "import the script, or the command line, that starts it")
    start.words = found


def _mentions(words: Sequence[str]) -> bool:
    return _entry(words) is not None or any(
        PurePosixPath(word).name in containers.PROGRAMS and "run" in words[at + 1 : at + 3]
        for at, word in enumerate(words)
    )


def _prepare(words: list[str], shown: dict[str, str], start: Start) -> None:
    """A command before the server's own: what it leaves behind for it."""
    name, rest = words[0], words[1:]
    if name == "export":
        for word in rest:
            variable, equals, value = word.partition("=")
            if equals:
                shown[variable] = value
            if variable in shown:
                start.environment[variable] = shown[variable]
    elif name == "unset":
        for word in rest:
            start.environment.pop(word, None)
            shown.pop(word, None)
    elif name == "cd" and len(rest) == 1 and rest[0].startswith("/"):
        start.spec["working-directory"] = rest[0]
    elif name in ("source", ".") and rest and rest[0].startswith("/") and rest[0].endswith("/bin/activate"):
        start.spec["python"] = rest[0].removesuffix("activate") + "python3"
        start.told.notes.append("the environment that is activated: its interpreter is named instead")
    elif name == "ulimit" and rest in (["-l", "unlimited"], ["-n", *rest[1:]]):
        _limit(rest, start)
    elif name not in _IDLE:
        start.told.lost.append(f"{PurePosixPath(name).name}: a command before the server's, not part of a service")


def _limit(rest: list[str], start: Start) -> None:
    unit = start.spec.setdefault("unit", {})
    if rest[0] == "-l":
        unit["limit-memlock"] = "infinity"
    elif len(rest) == 2 and rest[1].isdecimal() and 1024 <= int(rest[1]) <= 2**30:
        unit["limit-nofile"] = int(rest[1])
    else:
        start.told.lost.append("ulimit -n: only a number from 1024 on is carried over")


def _shell(start: Start) -> None:
    words = start.words
    at = next((i for i, word in enumerate(words[1:], 1) if re.fullmatch("-[a-z]*c", word)), None)
    if at is None or at + 1 >= len(words):
        raise Refused("it runs a script, which is not here", "import the script itself, or the line that it ends in")
    if "l" in words[at]:
        start.told.lost.append("the login shell: what its profile sets is not known here")
    read_script(words[at + 1], start)


def _env(start: Start) -> None:
    rest = deque(start.words[1:])
    while rest:
        if rest[0] in ("-u", "--unset") and len(rest) > 1:
            rest.popleft()
            start.environment.pop(rest.popleft(), None)
        elif rest[0] in ("-i", "-", "--ignore-environment"):
            start.told.lost.append("env -i: a service's environment is that of the unit alone anyway")
            rest.popleft()
        elif rest[0].startswith("-"):
            raise Refused(f"env {rest[0]}: not known here", "give the command line without env")
        elif found := _ASSIGNMENT.fullmatch(rest[0]):
            start.environment[found[1]] = found[2]
            rest.popleft()
        else:
            break
    start.words = list(rest)


def _sudo(start: Start) -> None:
    rest = deque(start.words[1:])
    start.spec.setdefault("user", "root")
    while rest and rest[0].startswith("-"):
        option = rest.popleft()
        if option in ("-u", "--user", "-g", "--group") and rest:
            start.spec["user" if option in ("-u", "--user") else "group"] = rest.popleft()
        elif option == "--":
            break
    start.words = list(rest)


def _entry(words: Sequence[str]) -> int | None:
    """Where the interpreter (or the program `sglang`) stands that starts the server."""
    for at, word in enumerate(words):
        name = PurePosixPath(word).name
        if _PYTHON.fullmatch(name) and any(
            each == MODULE or each.endswith("sglang/launch_server.py") for each in words[at + 1 : at + 8]
        ):
            return at
        if name == "sglang" and words[at + 1 : at + 2] == ["serve"]:
            return at
    return None


def in_front(words: Sequence[str]) -> int:
    """How many words stand before the server's own: the interpreter and the module, with all that is around them."""
    if not words or words[0].startswith("--"):
        return 0
    for at, word in enumerate(words):
        name = PurePosixPath(word).name
        if word == MODULE or name == "launch_server.py":
            return at + 1
        if name == "sglang" and words[at + 1 : at + 2] == ["serve"]:
            return at + 2
    return 0


def _python(start: Start) -> list[str]:
    words = start.words
    program = words[0]
    if PurePosixPath(program).name == "sglang":
        start.told.notes.append(f"`sglang serve`: started as python -m {MODULE}")
        _interpreter(start, str(PurePosixPath(program).with_name("python3")) if "/" in program else "python3")
        return words[2:]
    at = next(i for i, word in enumerate(words) if word == MODULE or word.endswith("sglang/launch_server.py"))
    if words[at] != MODULE:
        start.told.notes.append(f"the script launch_server.py: started as python -m {MODULE}")
    for option in words[1:at]:
        if option == "-u":
            start.environment["PYTHONUNBUFFERED"] = "1"
            start.told.notes.append("python -u: PYTHONUNBUFFERED=1 says it")
        elif option != "-m":
            start.told.lost.append(f"an option of the interpreter, {option.partition('=')[0]}")
    _interpreter(start, program)
    return words[at + 1 :]


def _interpreter(start: Start, program: str) -> None:
    if program.startswith("/"):
        start.spec["python"] = program
