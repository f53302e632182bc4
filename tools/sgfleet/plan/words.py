"""Values of a specification in the words of those who wrote it, without secrets."""

from __future__ import annotations

import json
from typing import Any, Final

from sgfleet.spec.secrecy import HIDDEN, hidden_in
from sgfleet.spec.secret_names import may_hold_secret

_LONGEST: Final = 60


def value_words(name: str, value: Any) -> str:
    """A value under its name: `4.0`, `true`, `30s`, `0,1,2`; cut where it is long."""
    if may_hold_secret(name) or any(hidden_in({name: value})):
        return HIDDEN
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, list | tuple):
        text = ",".join(str(each) for each in value) or "none"
    elif isinstance(value, dict):
        text = json.dumps(value, sort_keys=True)
    else:
        text = str(value)
    text = " ".join(text.split()) or '""'
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def change_words(name: str, before: str | None, after: str | None) -> str:
    """What happened to a setting; None where it is not given and has no default that is known."""
    if before is None:
        return f"{name} set to {after}"
    if after is None:
        return f"{name} taken away (was {before})"
    if before == after == HIDDEN:
        return f"{name} changed (not shown)"
    if before == after:
        return f"{name} changed"
    return f"{name} {before} → {after}"
