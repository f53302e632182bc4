"""The type functions of SGLang's parsers, by name and behaviour, as code of our own.

A type function gets one word of the command line and returns the value or refuses it. Functions that share a name and
differ between releases are told apart by `Flag.semantics`. A name that is not here is a type that this project does not
know: a flag that has it is never said to be right.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from sgfleet.engine.argv import orjson_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.engine.flag import Flag

Shape = Literal["text", "integer", "number", "truth", "readable-integer", "nullable-text", "json", "unknown"]
"""What a spec's YAML holds for a flag of this type (see `values`)."""


class Type(NamedTuple):
    """A type function, and how to tell a person what it wants.

    `read` raises ValueError (with a sentence of our own, or Python's) for a word that the release refuses.
    """

    read: Callable[[str], Any]
    expects: str
    example: str
    shape: Shape


class RefusedError(ValueError):
    """A word is refused for a reason that is worth telling: the message completes "…: "."""


def readable_integer(word: str) -> int:
    """An integer with an optional SI (k M G T, decimals allowed) or IEC (Ki Mi Gi Ti) suffix, case-sensitive.

    Raises:
        ValueError: it is none.
    """
    word = word.strip()
    match = _READABLE.fullmatch(word)
    if match is None:
        return int(word)
    number, suffix = match.groups()
    factor = _FACTORS[suffix]
    if not suffix.endswith("i"):
        return int(Decimal(number) * factor)
    if "." in number:
        raise RefusedError(f"{suffix} takes no decimals (it counts in powers of 1,024)")
    return int(number) * factor


_READABLE: Final = re.compile(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)")
_FACTORS: Final = {
    "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40,
}  # fmt: skip


def _nullable_text(word: str) -> str | None:
    return None if word in ("", "None") else word


def _graph_backend(word: Any) -> Any:
    """The retired backend is refused before the choices are looked at; anything else passes."""
    if word == _RETIRED_BACKEND:
        raise RefusedError(f"the backend {_RETIRED_BACKEND} was removed in this release")
    return word


_RETIRED_BACKEND: Final = "tc_piecewise"


def _graph_config(keys: dict[str, tuple[str, ...]], retired: bool, word: str) -> dict[str, dict[str, Any]]:
    """A JSON object phase -> settings; `keys` are the settings that each phase has."""
    config = json.loads(word)
    if not isinstance(config, dict):
        raise RefusedError(f"a JSON object is wanted, with the keys {' and '.join(keys)}")
    for phase, settings in config.items():
        if phase not in keys:
            raise RefusedError(f"there is no phase {phase!r}, only {' and '.join(keys)}")
        if not isinstance(settings, dict):
            raise RefusedError(f"the settings of {phase} must be a JSON object")
        if retired and "backend" in settings:
            _graph_backend(settings["backend"])
        for key in settings:
            if key not in keys[phase]:
                raise RefusedError(f"{phase} has no setting {key!r}, only {', '.join(keys[phase])}")
    return config


_INTEGER = Type(int, "an integer", "8", "integer")
_TEXT = Type(str, "text", "auto", "text")
_JSON = partial(Type, expects="JSON", example='{"key": 1}', shape="json")
_JSON_LIST = partial(Type, expects="a JSON list", example='["a", "b"]', shape="json")

_TYPES: Final[dict[tuple[str | None, str | None], Type]] = {
    (None, None): _TEXT,
    ("str", None): _TEXT,
    ("int", None): _INTEGER,
    ("float", None): Type(float, "a number", "0.85", "number"),
    # Python's bool(): every word is true, only the empty one is false.
    ("bool", None): Type(bool, "True, or nothing for false", "True", "truth"),
    ("json.loads", None): _JSON(json.loads),
    ("nullable_str", None): Type(_nullable_text, "text, None for nothing", "auto", "nullable-text"),
    ("human_readable_int", None): Type(
        readable_integer, "an integer, with k M G T or Ki Mi Gi Ti if wanted", "8Ki", "readable-integer"
    ),
    ("json_list_type", "json"): _JSON_LIST(json.loads),
    ("json_list_type", "orjson"): _JSON_LIST(orjson_text.loads),
    ("parse_cuda_graph_backend_arg", None): Type(_graph_backend, "the name of a backend", "full", "text"),
}


@cache
def _known(name: str | None, semantics: str | None) -> Type | None:
    found = _TYPES.get((name, semantics))
    if found is None and name == "parse_cuda_graph_config_arg" and semantics:
        phases, _, retired = semantics.partition("!")
        keys = {phase: tuple(names.split(",")) for phase, names in (part.split("=") for part in phases.split(";"))}
        read = partial(_graph_config, keys, bool(retired))
        return Type(read, "a JSON object of settings by phase", '{"decode": {"max_bs": 64}}', "json")
    return found


def type_of(flag: Flag) -> Type | None:
    """The type function of a flag; None where this project does not know it."""
    return _known(flag.type, flag.semantics if flag.type in _VARIANTS else None)


_VARIANTS: Final = {"json_list_type", "parse_cuda_graph_config_arg"}
"""Types whose behaviour differs between releases; `Flag.semantics` of other flags speaks of the action."""
