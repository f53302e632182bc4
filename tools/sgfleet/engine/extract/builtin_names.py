"""Names outside the wheel that this package knows: builtins, constants of the standard library, and their spellings."""

from __future__ import annotations

import builtins
import sys
from typing import Any, Final

from sgfleet.engine.extract.values import External

CONSTANTS: Final[dict[str, Any]] = {
    "sys.maxsize": sys.maxsize,
    "argparse.SUPPRESS": "==SUPPRESS==",
    "argparse.REMAINDER": "...",
    "argparse.PARSER": "A...",
    "argparse.OPTIONAL": "?",
    "argparse.ZERO_OR_MORE": "*",
    "argparse.ONE_OR_MORE": "+",
    "typing.TYPE_CHECKING": False,
    "__name__": "",
    "__debug__": True,
}
"""Values that are the same on every machine that serves (64 bits)."""

_SPELLINGS: Final = {
    "typing_extensions": "typing",
    "builtins": "",
}

_TYPING_ALIASES: Final = {
    "typing.List": "list",
    "typing.Dict": "dict",
    "typing.Tuple": "tuple",
    "typing.Set": "set",
    "typing.FrozenSet": "frozenset",
    "typing.Type": "type",
}
"""What `typing.get_origin` says of the old spellings."""

_KNOWN_MODULES: Final = {
    "typing",
    "collections",
    "abc",
    "enum",
    "argparse",
    "dataclasses",
    "functools",
    "json",
    "re",
    "os",
}
"""Modules of the standard library of which a name is never None, False or empty; the constants above come first."""

_KNOWN: Final = {
    "msgspec.Struct",
    "msgspec.NODEFAULT",
    "msgspec.UNSET",
    "orjson.loads",
    "types.UnionType",
    "types.NoneType",
    "NoneType",
    "sys.modules",
    "logging.Logger",
}


def outside(name: str) -> Any:
    """What a dotted name outside the wheel is worth: one of the constants, or the name."""
    spelt = canonical(name)
    return CONSTANTS[spelt] if spelt in CONSTANTS else External(spelt)


def canonical(name: str) -> str:
    """One spelling for things that have several."""
    head, dot, tail = name.partition(".")
    if head in _SPELLINGS:
        name = f"{_SPELLINGS[head]}.{tail}".removeprefix(".") if dot else name
    return _TYPING_ALIASES.get(name, name)


def is_builtin(name: str) -> bool:
    """Whether Python itself has the name."""
    return hasattr(builtins, name)


def is_known(name: str) -> bool:
    """Whether the name stands for a type, function or object that is certainly there: true, and no constant."""
    return name in _KNOWN or is_builtin(name.partition(".")[0]) or name.partition(".")[0] in _KNOWN_MODULES


def exists(name: str) -> bool:
    """Whether a module outside the wheel certainly has this very name."""
    return name in _KNOWN or name in CONSTANTS


def exception(name: str) -> type[BaseException] | None:
    """A builtin exception by its name."""
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None
