"""Small releases, written here, that declare flags in the three ways in which SGLang has declared them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from sgfleet.engine.extract.interpreter import Interpreter
from sgfleet.engine.extract.lookups import lookup
from sgfleet.engine.extract.program import Program
from sgfleet.engine.extract.release import Extraction, extract
from sgfleet.engine.extract.wheel import Texts

if TYPE_CHECKING:
    from sgfleet.engine.flag import Flag

SERVER_ARGS = "sglang.srt.server_args"

PREPARE = """
def prepare_server_args(argv):
    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return ServerArgs.from_cli_args(parser.parse_args(argv))
"""

DERIVE = '''
"""Flags from annotated fields: the ways of 0.5.14 and later, written anew."""
import dataclasses
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

A = Annotated

class NS(msgspec.Struct, frozen=True):
    path: str

class Arg(msgspec.Struct, frozen=True):
    help: str = ""
    choices: list | None = None
    aliases: list | None = None
    cli_name: str | None = None
    type_parser: Any = None
    nargs: str | None = None
    action: Any = None
    action_kwargs: dict | None = None
    const: Any = None
    no_cli: bool = False

def record_fields(cls):
    if isinstance(cls, type) and issubclass(cls, msgspec.Struct):
        return msgspec.structs.fields(cls)
    return dataclasses.fields(cls)

def plain_type(kind):
    return kind if kind in (str, int, float) else str

def default_of(field):
    nothing = (dataclasses.MISSING, msgspec.NODEFAULT)
    if field.default not in nothing:
        return {"default": field.default}
    return {"default": field.default_factory()} if field.default_factory not in nothing else {}

def declare(parser, cls):
    hints = get_type_hints(cls, include_extras=True)
    for field in record_fields(cls):
        hint = hints[field.name]
        if get_origin(hint) is not Annotated:
            continue
        kind, *extras = get_args(hint)
        arg = next((Arg(help=e) if isinstance(e, str) else e for e in extras if isinstance(e, (str, Arg))), None)
        if arg is None or arg.no_cli:
            continue
        name = arg.cli_name or f"--{field.name.replace('_', '-')}"
        given = {"help": arg.help, **default_of(field)}
        if field.name != name[2:].replace("-", "_"):
            given["dest"] = field.name
        if arg.action is not None:
            parser.add_argument(name, *(arg.aliases or []), action=arg.action, **given, **(arg.action_kwargs or {}))
            continue
        origin = get_origin(kind)
        if origin is Union or (hasattr(types, "UnionType") and origin is types.UnionType):
            members = [member for member in get_args(kind) if member is not type(None)]
            kind = members[0] if len(members) == 1 else kind
        if kind is bool:
            parser.add_argument(name, *(arg.aliases or []), action="store_true", **given)
            continue
        if get_origin(kind) is Literal:
            values = list(get_args(kind))
            given.update(choices=arg.choices or values, type=arg.type_parser or plain_type(type(values[0])))
        elif get_origin(kind) is list and arg.type_parser is None:
            given.update(type=plain_type((get_args(kind) or (str,))[0]), nargs=arg.nargs or "+")
        else:
            given["type"] = arg.type_parser or plain_type(kind)
            if arg.nargs:
                given["nargs"] = arg.nargs
        if arg.choices:
            given["choices"] = arg.choices
        if arg.const is not None:
            given["const"] = arg.const
        if "default" not in given:
            given["required"] = True
        parser.add_argument(name, *(arg.aliases or []), **given)
'''


def release(server_args: str, **modules: str) -> Extraction:
    """The extraction of a release whose server_args has this text; other modules by their name below sglang.srt."""
    texts = {SERVER_ARGS: textwrap.dedent(server_args) + PREPARE}
    texts |= {f"sglang.srt.{name.replace('__', '.')}": textwrap.dedent(text) for name, text in modules.items()}
    return extract(Texts(texts))


def calls(body: str, above: str = "", **modules: str) -> Extraction:
    """A release that declares its flags with the statements `body` of `add_cli_args`, in the old way."""
    text = "import argparse, dataclasses, json, sys\n" + textwrap.dedent(above)
    if "class ServerArgs" not in text:
        text += "\nclass ServerArgs:\n    pass\n"
    text += "\n@staticmethod\ndef _declare(parser):\n" + textwrap.indent(
        textwrap.dedent(body).strip() or "pass", "    "
    )
    text += "\nServerArgs.add_cli_args = _declare\n"
    return release(text, **modules)


def fields(declared: str, above: str = "", manual: str = "", **modules: str) -> Extraction:
    """A release that declares its flags as annotated fields of a dataclass."""
    text = (
        "import argparse, dataclasses, json\nfrom typing import ClassVar, List, Literal, Optional\n"
        "from sglang.srt.arg_utils import A, Arg, NS, declare\n"
        + textwrap.dedent(above)
        + "\n@dataclasses.dataclass\nclass ServerArgs:\n"
        + textwrap.indent(textwrap.dedent(declared), "    ")
        + "\n    @staticmethod\n    def add_cli_args(parser):\n        declare(parser, ServerArgs)\n"
        + textwrap.indent(textwrap.dedent(manual), "        ")
    )
    return release(text, arg_utils=DERIVE, **modules)


def flag(found: Extraction, name: str) -> Flag:
    """The flag that has this name."""
    return next(one.flag for one in found.flags if f"--{name}" in one.flag.options)


def why(found: Extraction, name: str) -> str:
    """Why a flag is opaque, "" when it is not."""
    one = next(one for one in found.flags if f"--{name}" in one.flag.options)
    assert one.flag.opaque == bool(one.doubts)
    return "; ".join(map(str, one.doubts))


def value(expression: str, above: str = "", **modules: str) -> object:
    """What an expression is worth at the end of a module that begins with `above`."""
    texts = {"m": f"{textwrap.dedent(above)}\nresult = {expression}\n"}
    texts |= {name.replace("__", "."): textwrap.dedent(text) for name, text in modules.items()}
    program = Program(Texts(texts))
    return lookup("result", program.module("m").scope, Interpreter(program))
