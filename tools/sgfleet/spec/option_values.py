"""Single values from outside of YAML, held against the model before they are written into a specification."""

from __future__ import annotations

from typing import Any, Final, get_args

from pydantic import TypeAdapter

from sgfleet.spec import valid
from sgfleet.spec.models.base import Expect
from sgfleet.spec.models.service import Interpreter, ServiceName
from sgfleet.spec.text_faults import text_fault
from sgfleet.spec.words import such_as

_KINDS: Final[dict[str, Any]] = {"python": Interpreter, "service": ServiceName}


def not_as_wanted(kind: str, value: str) -> str | None:
    """What a `python` or the name of a `service` should be, after "not"; None where the value is right."""
    try:
        TypeAdapter(_KINDS[kind]).validate_python(value)
    except valid.ValidationError:
        metadata = get_args(_KINDS[kind])[1:]
        wanted = [each for each in metadata if isinstance(each, Expect)][-1]
        if (fault := text_fault(value, metadata, wanted.what)) is not None:
            return f"{wanted.what}: it {fault[0]}"
        return f"{wanted.what}, {such_as(wanted)}"
    return None


def fits(key: str, value: Any) -> bool:
    """Whether a service may have this value under a key, both as YAML has them."""
    try:
        valid.service({**valid.LEAST, key: value})
    except valid.ValidationError:
        return False
    return True
