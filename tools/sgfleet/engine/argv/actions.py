"""The argparse actions of SGLang's parsers, by name and behaviour, as code of our own.

Each action is a function from the use of a flag to the value that its destination then holds; it may also refuse the
use. Classes that share a name and differ between releases are told apart by `Flag.semantics`. A name that is not here
is an action that this project does not know: a command line that uses it is neither right nor wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from sgfleet.engine.argv.outcome import Rejected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.engine.flag import Flag


class Use(NamedTuple):
    """One use of a flag: the converted words, the option string as declared, and what the destination held before."""

    flag: Flag
    values: Any
    option: str
    before: Any


Effect = Callable[[Use], Any]
"""Returns what the destination then holds; raises RefusalError."""


class RefusalError(Exception):
    """Carries a rejection out of argparse, past its own error handling."""

    def __init__(self, rejected: Rejected) -> None:
        super().__init__(rejected.message)
        self.rejected = rejected


def refuse(kind: str, message: str, token: str | None = None, option: str | None = None) -> NoReturn:
    """Give the command line up.

    Raises:
        RefusalError: always.
    """
    raise RefusalError(Rejected(kind, message, token, option))


def _store(use: Use) -> Any:
    return use.values


def _constant(use: Use) -> Any:
    return use.flag.const


def _append(use: Use) -> list[Any]:
    return [*(use.before or ()), use.values]


def _boolean_optional(use: Use) -> bool:
    return not use.option.startswith("--no-")


def _ignored(use: Use) -> Any:
    return use.before


def _rejected(use: Use) -> NoReturn:
    message = f"{use.option} is deprecated, and this release refuses to start with it"
    refuse("deprecated-rejected", message, use.option, use.option)


def _help(use: Use) -> NoReturn:
    message = "the release prints its help and ends: no server starts"
    refuse("help-requested", message, use.option, use.option)


def _lora_mapping(use: Use) -> dict[str, str]:
    return lora_mapping(use.values)


def _lora_list(use: Use) -> list[Any]:
    return [lora_adapter(word.strip(), use.option) for word in use.values]


def lora_mapping(words: Iterable[str]) -> dict[str, str]:
    """Adapter name -> path, as `--lora-paths` reads `name=path` and `path` before 0.5.1."""
    return {word.partition("=")[0]: word.partition("=")[2] if "=" in word else word for word in words}


def lora_adapter(word: str, option: str) -> Any:
    """One adapter of `--lora-paths` from 0.5.1 on: text, or a JSON object that names adapter and path.

    Raises:
        RefusalError: braces around what is no JSON object with both keys.
    """
    if not (word.startswith("{") and word.endswith("}")):
        return word
    try:
        adapter = json.loads(word)
    except RecursionError:
        refuse("crash", f"{option}: the value is nested too deeply for the release's parser", word, option)
    except ValueError:
        refuse("invalid-value", f"{option}: a word in braces must be a JSON object", word, option)
    if not ("lora_path" in adapter and "lora_name" in adapter):
        refuse("invalid-value", f"{option}: a JSON object needs the keys lora_name and lora_path", word, option)
    return adapter


_ACTIONS: Final[dict[tuple[str, str | None], Effect]] = {
    ("store", None): _store,
    ("store_const", None): _constant,
    ("store_true", None): _constant,
    ("store_false", None): _constant,
    ("append", None): _append,
    ("help", None): _help,
    ("BooleanOptionalAction", None): _boolean_optional,
    ("LoRAPathAction", "mapping"): _lora_mapping,
    ("LoRAPathAction", "list"): _lora_list,
    ("DeprecatedAction", "raises"): _rejected,
    ("DeprecatedAction", "warns"): _ignored,
    ("DeprecatedStoreTrueAction", None): _constant,
    ("DeprecatedStoreConstAction", None): _constant,
    ("DeprecatedAliasStoreAction", None): _store,
}

_VARIANTS: Final = {"LoRAPathAction", "DeprecatedAction"}
"""Actions whose behaviour differs between releases; `Flag.semantics` of other flags speaks of the type."""

WORDLESS: Final = {"store_true", "store_false", "store_const", "help", "BooleanOptionalAction"}
"""Actions that never take a value, whatever `Flag.nargs` says."""


def effect_of(flag: Flag) -> Effect | None:
    """What a use of the flag does; None where this project does not know its action."""
    if flag.action == "DeprecatedAction" and flag.deprecation is not None and flag.deprecation.effect == "rejects":
        return _rejected
    return _ACTIONS.get((flag.action, flag.semantics if flag.action in _VARIANTS else None))
