"""One-line descriptions of our own for the flags that operators touch, and which text flags hold JSON.

The data is in `descriptions.json`: flag name -> sentence, and the names of flags whose text is JSON.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.flag import SUPPRESSED

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


def describe(flag: Flag) -> str | None:
    """What an editor shows for the flag: a sentence, the default, what is deprecated. None: nothing of our own."""
    sentence = next((sentences()[name] for name in flag.names if name in sentences()), None)
    parts = [sentence] if sentence else []
    if sentence and flag.default is not None and flag.default != SUPPRESSED:
        parts.append(f"Default: {json.dumps(flag.default, ensure_ascii=False)}.")
    if flag.deprecation is not None:
        parts.append(_deprecated(flag))
    if flag.opaque:
        parts.append("Its values are not checked: sgfleet does not know how this release reads them.")
    return " ".join(parts) or None


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
