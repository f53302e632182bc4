"""One YAML value against one flag: may it stand there, which word does it become, what does the server then hold.

The hot path of `check`: no parser is built. A value is never quietly taken for another type: text where a number is
due, a number where text is due, one value where a list is due are errors that say what to write. `null` means that the
flag is not given.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.engine.argv.actions import RefusalError, lora_adapter, lora_mapping
from sgfleet.engine.argv.near import nearest
from sgfleet.engine.argv.types import RefusedError, Type, type_of
from sgfleet.engine.flag import SUPPRESSED

if TYPE_CHECKING:
    from sgfleet.engine.flag import Flag

SEVERAL: Final = ("+", "*")
"""`nargs` of flags that are lists in YAML, also for one value."""


class Problem(NamedTuple):
    """Why a value cannot stand for a flag.

    `kind` is "bad-type", "bad-choice", "opaque" (the flag's type or action is not known to this tool), or "no-word"
    (the value cannot be said on a command line). `help` is what to write instead. `at` is the item of a list that is
    at fault, where it is one.
    """

    kind: str
    message: str
    help: str | None = None
    at: int | None = None


class BadValueError(ValueError):
    """A value that cannot stand for a flag; `problem` says why."""

    def __init__(self, kind: str, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(kind, message, help_)

    def inside(self, index: int) -> BadValueError:
        """The same, about an item of a list."""
        self.problem = self.problem._replace(at=index)
        return self


def check_value(flag: Flag, value: Any, name: str | None = None) -> Problem | None:
    """What is wrong with a YAML value for this flag, or None. `name` is what the spec calls it, without dashes."""
    try:
        value_of(flag, value, name)
    except BadValueError as bad:
        return bad.problem
    return None


def value_of(flag: Flag, value: Any, name: str | None = None) -> Any:
    """What the server holds for the flag when its YAML value is `value`: "8k" becomes 8000, a mapping stays one.

    A flag that is not given (null, or false where that leaves it out) has its default, which may be SUPPRESSED. What is
    wrong is said of `name`, the flag as whoever gives it has written it.

    Raises:
        BadValueError: `check_value` has a problem with the value.
    """
    try:
        return _held(flag, value, name)
    except BadValueError:
        if name in (None, flag.name):
            raise
    # Said once more of the flag by the name that its spec has: nobody finds "tensor-parallel-size" who wrote "tp-size".
    own = f"--{name}"
    return _held(flag._replace(options=(own, *(each for each in flag.options if each != own))), value, name)


def _held(flag: Flag, value: Any, name: str | None) -> Any:
    if value is None:
        return flag.default
    if flag.opaque:
        raise _unknown(flag)
    if flag.nargs == 0:
        if value is not True and value is not False:
            raise BadValueError("bad-type", f"{flag.name} is true or false, not {kind_of(value)}", _bare_help(value))
        return _switched(flag, value, name)
    reader = type_of(flag)
    if reader is None:
        raise _unknown(flag)
    if flag.action == "append":
        return _each(flag, reader, _list_of(flag, reader, value))
    if flag.nargs in SEVERAL or isinstance(flag.nargs, int):
        return _several(flag, reader, _list_of(flag, reader, value))
    if flag.nargs == "?" and value is True:
        return flag.const
    result = _one(flag, reader, value)
    return flag.const if flag.action == "DeprecatedStoreConstAction" else result


def word_of(flag: Flag, value: Any, text: str | None = None) -> str:
    """The word of the command line for one checked value (an item of a list, or the value itself).

    `text` is the value as the YAML source writes it: a number keeps its spelling where the release reads it the same.
    """
    if isinstance(value, str):
        return value
    reader = type_of(flag)
    if reader is None:
        raise _unknown(flag)
    if reader.shape == "truth":
        return "True" if value else ""
    if reader.shape == "json" or isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    if text is not None and _reads_as(reader, text, value):
        return text
    return repr(value)


def kind_of(value: Any) -> str:
    """The kind of a YAML value, for messages."""
    kinds = {
        bool: "true or false",
        int: "an integer",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
    }
    return kinds.get(type(value), type(value).__name__)


_KINDS: Final[dict[type, str]] = {
    bool: "true or false", int: "an integer", float: "a number", str: "text", list: "a list", dict: "a mapping",
}  # fmt: skip


def _unknown(flag: Flag) -> BadValueError:
    why = f": {flag.why_opaque}" if flag.why_opaque else ""
    return BadValueError("opaque", f"this tool does not know what {flag.name} takes in this release{why}")


def _switched(flag: Flag, value: bool, name: str | None) -> Any:
    """The value of a flag that takes no word."""
    if flag.action == "BooleanOptionalAction":
        return value != (name is not None and f"--{name}" in flag.options and name.startswith("no-"))
    if not value or flag.action == "DeprecatedAction":
        return flag.default
    return {"store_false": False, "store_true": True, "DeprecatedStoreTrueAction": True}.get(flag.action, flag.const)


def _bare_help(value: Any) -> str | None:
    return f"write {str(value).lower()}" if str(value).lower() in ("true", "false") else "write true to give the flag"


def _list_of(flag: Flag, reader: Type, value: Any) -> list[Any]:
    if not isinstance(value, list):
        message = f"{flag.name} takes a list, not {kind_of(value)}"
        raise BadValueError("bad-type", message, f"write {_as_list(flag, reader, value)}")
    if flag.nargs == "+" and not value:
        message = f"{flag.name} needs at least one value"
        raise BadValueError("bad-type", message, f"write [{_example(flag, reader)}], or leave it out")
    if isinstance(flag.nargs, int) and len(value) != flag.nargs:
        raise BadValueError("bad-type", f"{flag.name} takes {flag.nargs} values, not {len(value)}")
    return value


def _as_list(flag: Flag, reader: Type, value: Any) -> str:
    """The list that somebody means with one value, or with several in one text."""
    words = re.split(r"[\s,]+", value.strip(" ,")) if isinstance(value, str) else [value]
    items = []
    for word in words:
        try:
            item = reader.read(word) if isinstance(word, str) and reader.shape in _NUMBERS else word
            _one(flag, reader, item)
        except ValueError:
            return f"[{_example(flag, reader)}]"
        items.append(item)
    return json.dumps(items, ensure_ascii=False)


_NUMBERS: Final = ("integer", "number", "readable-integer")


def _each(flag: Flag, reader: Type, items: list[Any]) -> list[Any]:
    read = []
    for index, item in enumerate(items):
        try:
            read.append(_one(flag, reader, item))
        except BadValueError as bad:
            raise bad.inside(index) from None
    return read


def _several(flag: Flag, reader: Type, items: list[Any]) -> Any:
    if flag.action != "LoRAPathAction":
        return _each(flag, reader, items)
    if flag.semantics == "mapping":
        return lora_mapping(str(_one(flag, reader, item)) for item in items)
    return [_adapter(flag, reader, item) for item in items]


def _adapter(flag: Flag, reader: Type, item: Any) -> Any:
    word = json.dumps(item, ensure_ascii=False) if isinstance(item, dict) else _one(flag, reader, item)
    try:
        return lora_adapter(word.strip(), flag.name)
    except RefusalError as refusal:
        raise BadValueError("bad-type", refusal.rejected.message, "write {lora_name: NAME, lora_path: PATH}") from None


def _one(flag: Flag, reader: Type, value: Any) -> Any:
    result = _SHAPES[reader.shape](flag, reader, value)
    if flag.choices is not None and (result not in flag.choices or isinstance(result, bool)):
        raise BadValueError("bad-choice", f"{flag.name} has no choice {_shown(value)}", choice_help(flag, value))
    return result


def choice_help(flag: Flag, value: Any) -> str:
    """The choices that come near a value that is none, or all of them."""
    choices = [str(choice) for choice in flag.choices or ()]
    found = nearest(str(value), choices)
    if found:
        return f"did you mean {' or '.join(found)}?"
    return f"write one of {', '.join(choices)}"


def _integer(flag: Flag, reader: Type, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _wanted(flag, reader, value)


def _number(flag: Flag, reader: Type, value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise BadValueError("bad-type", f"{flag.name} takes a number, and this one is too large") from None
    raise _wanted(flag, reader, value)


def _text(flag: Flag, reader: Type, value: Any) -> Any:
    if flag.takes_json and isinstance(value, dict):
        return _json_text(flag, value)
    if isinstance(value, str):
        return _read(flag, reader, value)
    raise _wanted(flag, reader, value)


def _truth(flag: Flag, reader: Type, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise _wanted(flag, reader, value)


def _readable(flag: Flag, reader: Type, value: Any) -> Any:
    if isinstance(value, str) and value[-1:].isdigit():
        raise _wanted(flag, reader, value)  # a number in quotes
    return _read(flag, reader, value) if isinstance(value, str) else _integer(flag, reader, value)


def _json(flag: Flag, reader: Type, value: Any) -> Any:
    if isinstance(value, str):
        return _read(flag, reader, value)
    if isinstance(value, dict) or (isinstance(value, list) and flag.type != "parse_cuda_graph_config_arg"):
        if isinstance(value, dict) and flag.type == "json_list_type":
            raise _wanted(flag, reader, value)
        return _read(flag, reader, _json_text(flag, value))
    raise _wanted(flag, reader, value)


_SHAPES: Final = {
    "text": _text,
    "nullable-text": _text,
    "integer": _integer,
    "number": _number,
    "truth": _truth,
    "readable-integer": _readable,
    "json": _json,
}


def _json_text(flag: Flag, value: Any) -> str:
    try:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        raise BadValueError("bad-type", f"{flag.name} takes JSON, and this value cannot be written as JSON") from None


def _read(flag: Flag, reader: Type, word: str) -> Any:
    try:
        return reader.read(word)
    except RefusedError as error:
        raise BadValueError("bad-type", f"{flag.name}: {error}", f"for example {reader.example}") from None
    except (ValueError, RecursionError):
        raise _wanted(flag, reader, word) from None


def _wanted(flag: Flag, reader: Type, value: Any) -> BadValueError:
    """The value is of the wrong kind: say what is due, and how this very value would be written if it can be."""
    message = f"{flag.name} takes {'JSON' if flag.takes_json else reader.expects}, not {_shown(value)}"
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict | list):
        try:
            _one(flag, reader, value[0])
        except BadValueError:
            pass
        else:
            return BadValueError("bad-type", message, f"write {json.dumps(value[0])}, without the brackets")
    if isinstance(value, str) and reader.shape in _NUMBERS:
        with_number = _number_in(reader, value)
        if with_number is not None:
            return BadValueError("bad-type", message, f"write {with_number}, without quotes")
        if (plain := _plain_number(flag, reader, value)) is not None:
            return BadValueError("bad-type", message, f"write {plain}")
        if reader.shape == "number" and (percent := re.fullmatch(r"\s*(\d{1,2}(?:\.\d{1,3})?)\s*%\s*", value)):
            return BadValueError("bad-type", message, f"write {float(percent[1]) / 100:g}")
    if isinstance(value, float) and reader.shape in ("integer", "readable-integer") and value.is_integer():
        if abs(value) < _EXACT:
            return BadValueError("bad-type", message, f"write {int(value)}")
    elif isinstance(value, (int, float)) and reader.shape in ("text", "nullable-text") and not flag.takes_json:
        return BadValueError("bad-type", message, f'write it in quotes: "{json.dumps(value)}"')
    return BadValueError("bad-type", message, f"for example {_example(flag, reader)}")


_EXACT: Final = 2**53
"""Beyond this a float has no exact integers, and nobody means one."""


def _plain_number(flag: Flag, reader: Type, text: str) -> str | None:
    """The number that people write with a mark between thousands, a decimal comma, or the unit that the flag has."""
    text = text.strip()
    if reader.shape != "number" and re.fullmatch(r"[1-9]\d{0,2}(?:([ ,.'_])\d{3})(?:\1\d{3})*", text):
        return re.sub(r"\D", "", text)
    if reader.shape == "number" and re.fullmatch(r"\d+,\d+", text):
        return text.replace(",", ".")
    if not _IN_GB.isdisjoint(flag.names) and (size := re.fullmatch(r"(\d+) ?(?:GB?|gb?)", text)):
        return size[1]
    return None


_IN_GB: Final = frozenset({"hicache-size", "cpu-offload-gb"})
"""Flags that count gigabytes, and take the number alone."""


def _example(flag: Flag, reader: Type) -> str:
    """A value that is right for this very flag: its default where that is one, else one of its kind."""
    if flag.takes_json:
        return "{key: value}"
    for candidate in (flag.default, *(flag.choices or ())):
        if isinstance(candidate, int | float) and candidate <= 0:
            continue  # off, or as many as there are: nobody who gives the flag means it
        if isinstance(candidate, str | int | float) and not isinstance(candidate, bool) and candidate != SUPPRESSED:
            try:
                _one(flag, reader, candidate)
            except BadValueError:
                continue
            if candidate != "":
                return json.dumps(candidate) if isinstance(candidate, int | float) else candidate
    return f"{flag.name.upper().replace('-', '_')}" if reader.shape == "text" else reader.example


def _number_in(reader: Type, text: str) -> str | None:
    """The number that a text in quotes stands for, if YAML would read it as that without them."""
    stripped = text.strip()
    try:
        value = reader.read(stripped)
    except ValueError:
        return None
    if isinstance(value, float):
        return stripped if math.isfinite(value) else None
    return str(value)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _reads_as(reader: Type, text: str, value: Any) -> bool:
    try:
        return bool(reader.read(text) == value)
    except ValueError:
        return False
