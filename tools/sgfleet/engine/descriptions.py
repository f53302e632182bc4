"""One-line descriptions of our own for the flags that operators touch, and which text flags hold JSON.

The data is in `descriptions.json`: flag name -> sentence, and the names of flags whose text is JSON.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.flag import SUPPRESSED
from sgfleet.engine.yaml_value import value_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.flag import Flag


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(Path(__file__).with_name("descriptions.json").read_text(encoding="utf-8"))
    return data


def sentences() -> Mapping[str, str]:
    """Flag name without dashes -> one sentence."""
    found: Mapping[str, str] = _data()["sentences"]
    return found


def json_flags() -> frozenset[str]:
    """Names of flags of a text type whose text is a JSON object."""
    return frozenset(_data()["json"])


def describe(flag: Flag) -> str:
    """What an editor shows for the flag: what it does, what may be written, the default, what is deprecated.

    Editors show this text beside a key that they offer, and nothing else of its schema.
    """
    sentence = next((sentences()[name] for name in flag.names if name in sentences()), None)
    parts = [sentence] if sentence else []
    if flag.opaque:
        parts.append("Its values are not checked: sgfleet does not know how this release reads them.")
    else:
        parts.append(f"{_form(flag)}.")
    if flag.default is not None and flag.default != SUPPRESSED:
        parts.append(f"Default: {json.dumps(flag.default, ensure_ascii=False)}.")
    if flag.deprecation is not None:
        parts.append(_deprecated(flag))
    return " ".join(parts)


def _form(flag: Flag) -> str:
    """`Type: integer`, `One of auto, slow`, `List of integer`: what its JSON Schema says, in words."""
    schema = value_schema(flag)
    items = schema.get("items")
    inner = schema["anyOf"][0] if "anyOf" in schema else items or schema
    if "enum" in inner:
        choices = ", ".join(str(choice) for choice in inner["enum"] if choice is not None)
        words = f"{'List of' if items else 'One of'} {choices}"
    else:
        kinds = [inner["type"]] if isinstance(inner["type"], str) else inner["type"]
        words = f"{'List of' if items else 'Type:'} {' or '.join(kind for kind in kinds if kind != 'null')}"
    return f"{words}, or true for the flag alone" if "anyOf" in schema else words


EFFECTS: Final = {
    "help": "Deprecated.",
    "warns": "Deprecated: works, with a warning.",
    "ignored": "Deprecated: has no effect.",
    "alias": "Deprecated: sets another flag.",
    "rejects": "Deprecated: the server does not start with it.",
}
"""The effects that `Deprecation` knows, in a sentence."""


def _deprecated(flag: Flag) -> str:
    assert flag.deprecation is not None  # noqa: S101  # the caller has looked
    said = EFFECTS[flag.deprecation.effect]
    return f"{said} Use {flag.deprecation.instead}." if flag.deprecation.instead else said
