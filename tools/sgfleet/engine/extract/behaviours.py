"""The type functions and actions of SGLang that this project has read and implements (in `engine.argv`).

The key is the name and the digest of the source (see `digest`). A function or class that is not here, because it is new
or because its source does something else now, makes every flag that uses it opaque. To make it known: read it in the
wheel, implement what it does in `engine.argv`, and add a line here with the digest that `sgfleet schema add` prints.

`semantics` tells apart what shares a name; it becomes `Flag.semantics` (None where the name alone says it).
`effect` is what using a deprecated flag does, where the class alone decides: see `sgfleet.engine.flag.Deprecation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract.digest import digest
from sgfleet.engine.extract.lookups import lookup
from sgfleet.engine.extract.values import Class, Unknown, unknown_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.engine.extract.interpreter import Interpreter
    from sgfleet.engine.extract.values import Function


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What is known of a function or class.

    `constant` names the attribute of the action whose value is stored. `refuses_with` names the one that, when it is
    set, makes the parser refuse the flag. `reads` completes the semantics with data that the function reads.
    """

    semantics: str | None = None
    effect: str | None = None
    constant: str | None = None
    refuses_with: str | None = None
    reads: Callable[[Function, Interpreter], str | Unknown] | None = None


def _graph_keys(function: Function, interpreter: Interpreter) -> str | Unknown:
    """`phase=key,key;phase=key`: the keys that each phase of a CUDA graph configuration may have."""
    allowed = lookup("ALLOWED_KEYS_PER_PHASE", function.module.scope, interpreter)
    unknown = unknown_in(allowed)
    if unknown is not None:
        return unknown
    if not isinstance(allowed, dict):
        return Unknown("the allowed keys of a phase are no mapping", function.module.name)
    phases = lookup("Phase", function.module.scope, interpreter)
    order = phases.namespace.get("ALL") if isinstance(phases, Class) else None
    if not isinstance(order, tuple) or set(order) != set(allowed):
        return Unknown("the phases and their keys disagree", function.module.name)
    return ";".join(f"{phase}={','.join(allowed[phase])}" for phase in order)


def _graph_keys_and_retired(function: Function, interpreter: Interpreter) -> str | Unknown:
    """The same, and `!tc_piecewise`: the backend that is refused inside a phase."""
    keys = _graph_keys(function, interpreter)
    return keys if isinstance(keys, Unknown) else f"{keys}!tc_piecewise"


_KNOWN: Final[dict[tuple[str, str], Behaviour]] = {
    # --- type functions
    ("nullable_str", "358a54333972"): Behaviour(),
    ("human_readable_int", "568da2c138eb"): Behaviour(),
    ("json_list_type", "0c25223db99e"): Behaviour("json"),  # 0.5.3
    ("json_list_type", "93ed2066a539"): Behaviour("orjson"),  # from 0.5.3.post2
    ("parse_cuda_graph_config_arg", "21fd060e46d3"): Behaviour(reads=_graph_keys),  # from 0.5.14
    ("parse_cuda_graph_config_arg", "0c371e1588bd"): Behaviour(reads=_graph_keys_and_retired),  # from 0.5.22
    ("parse_cuda_graph_backend_arg", "bc44985dbc9e"): Behaviour(),  # from 0.5.22
    # --- actions
    ("LoRAPathAction", "59bb072a7a0f"): Behaviour("mapping"),  # {name: path}
    ("LoRAPathAction", "d35136f9934c"): Behaviour("list"),  # from 0.5.1: a list of paths, or of JSON objects
    ("DeprecatedAction", "f1f5fa249a76"): Behaviour("raises", "rejects"),  # ends the start with a traceback
    ("DeprecatedAction", "4767a8bdff07"): Behaviour("warns", "ignored"),  # from 0.5.8
    ("DeprecatedAction", "d8eda00f15d8"): Behaviour("warns", "ignored", refuses_with="error_message"),  # from 0.5.18
    ("DeprecatedStoreTrueAction", "1c5b4cf4c70d"): Behaviour(effect="warns"),
    ("DeprecatedAliasStoreAction", "79aa7c5323e7"): Behaviour(effect="warns"),
    ("DeprecatedStoreConstAction", "a0b69681b26d"): Behaviour(effect="warns", constant="const_value"),
}

NO_BEHAVIOUR: Final = Behaviour()


def behaviour_of(value: Function | Class, interpreter: Interpreter) -> Behaviour | Unknown:
    """What is known of a function or class of the wheel; why nothing is, when it is not in the table."""
    key = digest(value, interpreter)
    known = _KNOWN.get((value.name, key))
    if known is None:
        kind = "action" if isinstance(value, Class) else "type function"
        line = value.line if isinstance(value, Class) else value.node.lineno
        return Unknown(f"{kind} {value.name} with digest {key} is not known here", value.module.name, line)
    return known


def semantics_of(known: Behaviour, function: Function, interpreter: Interpreter) -> Any:
    """The semantics of a type function, completed with what it reads."""
    return known.reads(function, interpreter) if known.reads is not None else known.semantics
