"""Whether something would be right in a place, and the entry of a list that one word of it stands for.

A help is followed to the letter: what it says to write is held against the model first.
"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import TypeAdapter, ValidationError

from sgfleet.spec.models.expectation import Hint, expectation, takes_any_text


def item_of(hint: Hint) -> Hint | None:
    """What a list consists of; None for what is no list."""
    if hint.branches:
        return next(filter(None, map(item_of, hint.branches)), None)
    return Hint.of(get_args(hint.type)[0]) if hint.origin is tuple else None


def fits(value: Any, hint: Hint) -> bool:
    """Whether a value is right there."""
    whole: Any = Annotated[hint.type, *hint.metadata] if hint.metadata else hint.type
    try:
        TypeAdapter(whole).validate_python(value)
    except ValidationError:
        return False
    return True


def entry_with(word: str, hint: Hint) -> dict[str, Any] | None:
    """The example of a mapping with a word in the required key that has its form; None where no such key has.

    A key that takes any text says nothing of what was meant.
    """
    (example,) = expectation(hint).examples[:1] or (None,)
    if not isinstance(example, dict):
        return None
    for key, field in hint.fields().items():
        inner = Hint.of(field.annotation, field.metadata)
        if field.is_required() and not takes_any_text(inner) and fits(word, inner):
            return {**example, key: word}
    return None
