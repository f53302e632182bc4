"""A wheel -> everything that its schema file says."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import flags, switches
from sgfleet.engine.extract.errors import ExtractionError, Leave
from sgfleet.engine.extract.interpreter import Interpreter
from sgfleet.engine.extract.notes import Notes
from sgfleet.engine.extract.program import ABSENT, Module, Program
from sgfleet.engine.extract.values import Bound, Class, Function, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.extract.flags import ReadFlag
    from sgfleet.engine.extract.wheel import Sources

SERVER_ARGS: Final = "sglang.srt.server_args"
_CLASS: Final = "ServerArgs"
_DECLARES: Final = "add_cli_args"
_PARSES: Final = "prepare_server_args"


@dataclass(frozen=True)
class Extraction:
    """What the sources of one release say about its command line.

    `environment`: variable -> {flag: choices that it adds}. `renamed`: dest -> the field of ServerArgs that gets its
    value, where the two differ. `config_parser`: the module that reads `--config FILE`, None where the release has no
    such flag. `modules`: which modules had to be read.
    """

    flags: tuple[ReadFlag, ...]
    environment: Mapping[str, Mapping[str, tuple[Any, ...]]]
    renamed: Mapping[str, str]
    config_parser: str | None
    modules: tuple[str, ...]


def extract(sources: Sources) -> Extraction:
    """Read the flags of a release.

    Raises:
        ExtractionError: how the release declares its flags is not understood; the error names module and line.
    """
    if not sources.has(SERVER_ARGS):
        raise ExtractionError(f"there is no module {SERVER_ARGS}")
    try:
        return _extract(Program(sources))
    except RecursionError:
        raise ExtractionError("the sources nest too deeply", SERVER_ARGS) from None


def _extract(program: Program) -> Extraction:
    interpreter = Interpreter(program)
    found = _declared(interpreter)
    server_args = program.module(SERVER_ARGS)
    _check_parser(server_args)
    renamed = _renamed(program.lookup(server_args, _CLASS, interpreter))
    switched = {}
    for variable in sorted(interpreter.variables_read):
        program.restart()
        switched[variable] = _declared(Interpreter(program, {variable: "1"}))
    found, environment = switches.compare(found, switched)
    return Extraction(tuple(found), environment, renamed, _config_parser(server_args), tuple(program.read))


def _declared(interpreter: Interpreter) -> list[ReadFlag]:
    module = interpreter.program.module(SERVER_ARGS)
    server_args = interpreter.program.lookup(module, _CLASS, interpreter)
    if not isinstance(server_args, Class):
        reason = server_args if isinstance(server_args, Unknown) else f"{_CLASS} is no class"
        raise ExtractionError(f"{_CLASS} cannot be read: {reason}", SERVER_ARGS, _line_of(module, _CLASS))
    declares = server_args.namespace.get(_DECLARES)
    if not isinstance(declares, Function):
        raise ExtractionError(f"{_CLASS} has no function {_DECLARES} that can be read", SERVER_ARGS, server_args.line)
    notes = Notes()
    callee: Any = Bound(declares, server_args) if declares.kind == "classmethod" else declares
    try:
        interpreter.call(callee, [notes], {}, module.scope, declares.node)
    except Leave as leave:
        place = leave.place
        raise ExtractionError(
            "declaring the flags ends in an exception",
            place.module if place else SERVER_ARGS,
            place.line if place else 0,
        ) from None
    if not notes.notes:
        raise ExtractionError(f"{_DECLARES} declares no flag", SERVER_ARGS, declares.node.lineno)
    return flags.read(notes.notes, interpreter)


def _line_of(module: Module, name: str) -> int | None:
    positions = module.index.get(name)
    return module.statements[positions[0]].lineno if positions else None


def _function(module: Module, name: str) -> ast.FunctionDef | None:
    positions = module.index.get(name, [])
    found = [module.statements[position] for position in positions]
    return next((one for one in found if isinstance(one, ast.FunctionDef)), None)


def _check_parser(module: Module) -> None:
    """The parser must be argparse's with its own ways (abbreviations, `-` in front, `--help`), and parse everything."""
    function = _function(module, _PARSES)
    if function is None:
        raise ExtractionError(f"there is no function {_PARSES}", SERVER_ARGS)
    made = 0
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("ArgumentParser"):
            made += 1
            unusual = [k.arg or "**" for k in node.keywords if k.arg not in ("prog", "description", "usage", "epilog")]
            if ast.unparse(node.func) != "argparse.ArgumentParser" or unusual or len(node.args) > 1:
                raise ExtractionError(
                    f"the parser is made in a way that is not read: {', '.join(unusual) or ast.unparse(node.func)}",
                    SERVER_ARGS,
                    node.lineno,
                )
    parsed = {
        node.func.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("parse_")
    }
    if made == 0 or parsed != {"parse_args"}:
        ways = ", ".join(sorted(parsed)) or "nothing"
        raise ExtractionError(f"{_PARSES} makes {made} parsers and calls {ways}", SERVER_ARGS, function.lineno)


def _config_parser(module: Module) -> str | None:
    function = _function(module, _PARSES)
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.ImportFrom) and any("Config" in alias.name for alias in node.names):
            return node.module
    return None


def _renamed(server_args: Any) -> dict[str, str]:
    """The assignments `args.field = args.dest` of `from_cli_args`."""
    function = server_args.namespace.get("from_cli_args", ABSENT) if isinstance(server_args, Class) else ABSENT
    renamed: dict[str, str] = {}
    for node in ast.walk(function.node) if isinstance(function, Function) else ():
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="args"), attr=field)],
                value=ast.Attribute(value=ast.Name(id="args"), attr=dest),
            ):
                renamed[dest] = field
    return renamed
