"""What a model expects at a place, found by following a route through its types. Only asked when something is wrong."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import annotated_types
from pydantic import StringConstraints, WithJsonSchema

from sgfleet.spec.models.base import Expect, Model

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic.fields import FieldInfo

_KINDS: Final = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a mapping",
    tuple: "a list",
}
_JSON_KINDS: Final = {"string": "text", "integer": "a whole number", "number": "a number"}
_CONTAINERS: Final[dict[type, tuple[type, ...]]] = {dict: (dict, Model), list: (tuple,)}


class Hint(NamedTuple):
    """An annotation taken apart: a type without its metadata and without `None`."""

    type: Any
    metadata: tuple[Any, ...] = ()

    @classmethod
    def of(cls, annotation: Any, metadata: Sequence[Any] = ()) -> Hint:
        """Take `Annotated[T, ...]` and `T | None` apart, in whatever order they are nested."""
        found = tuple(metadata)
        while True:
            origin = get_origin(annotation)
            if origin is Annotated:
                annotation, *more = get_args(annotation)
                found = (*more, *found)
            elif origin in (Union, types.UnionType):
                rest = [each for each in get_args(annotation) if each is not type(None)]
                if len(rest) > 1:
                    return cls(annotation, found)
                (annotation,) = rest
            else:
                return cls(annotation, found)

    @property
    def origin(self) -> Any:
        """The type itself, or what it is made from: `dict` for `dict[str, int]`."""
        return get_origin(self.type) or self.type

    @property
    def branches(self) -> list[Hint]:
        """The alternatives of a union; empty for any other type."""
        if self.origin not in (Union, types.UnionType):
            return []
        return [Hint.of(each) for each in get_args(self.type) if each is not type(None)]

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values of a Literal."""
        return get_args(self.type) if self.origin is Literal else ()

    def branch_for(self, data: Any) -> Hint | None:
        """The alternative that has the data's form; None when no alternative has."""
        wanted: tuple[type, ...] = _CONTAINERS.get(type(data), ())
        for branch in self.branches:
            if branch.origin in wanted or (isinstance(branch.origin, type) and issubclass(branch.origin, wanted)):
                return branch
        return None

    def fields(self) -> dict[str, FieldInfo]:
        """Key in YAML -> field, when this is a model."""
        if not (isinstance(self.type, type) and issubclass(self.type, Model)):
            return {}
        return {field.alias or name: field for name, field in self.type.model_fields.items()}


class Target(NamedTuple):
    """Where an error of pydantic's points: a route in the data, and what was expected there.

    `hint` is None for a key that no field has. `owner` is the mapping's own type. `key` says that the key itself is
    meant, not its value; `undecided` that the data fits no alternative of a union, or is the union as a whole.
    """

    route: tuple[str | int, ...]
    hint: Hint | None
    owner: Hint | None = None
    key: bool = False
    undecided: bool = False


def target(model: type[Model], location: Sequence[str | int], data: Any) -> Target:
    """Follow the location of an error, which names alternatives of unions too, through the types and the data."""
    hint: Hint = Hint(model)
    owner: Hint | None = None
    route: list[str | int] = []
    steps = list(location)
    while steps:
        step = steps.pop(0)
        if hint.branches:
            branch = hint.branch_for(data)
            if branch is None or not steps:
                return Target(tuple(route), hint, owner, undecided=True)
            hint = branch
            continue
        owner = hint
        if fields := hint.fields():
            route.append(step)
            if step not in fields:
                return Target(tuple(route), None, owner, key=True)
            field = fields[str(step)]
            hint = Hint.of(field.annotation, field.metadata)
        elif hint.origin is dict:
            key, value = (Hint.of(each) for each in get_args(hint.type))
            route.append(step)
            if steps == ["[key]"]:
                return Target(tuple(route), key, owner, key=True)
            hint = value
        elif hint.origin is tuple:
            route.append(step)
            hint = Hint.of(get_args(hint.type)[0])
        else:
            break
        data = _inside(data, step)
    return Target(tuple(route), hint, owner)


def _inside(data: Any, step: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(step)
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step]
    return None


def models_in(hint: Hint) -> Iterator[type[Model]]:
    """The model itself and every model that it is made from; one that several use comes several times."""
    if fields := hint.fields():
        yield hint.type
        inner = [Hint.of(field.annotation) for field in fields.values()]
    else:
        inner = [Hint.of(each) for each in get_args(hint.type) if hint.origin is not Literal and each is not Ellipsis]
    for each in inner:
        yield from models_in(each)


def kinds(hint: Hint) -> set[str]:
    """The forms that YAML may have there: "text", "a list", ..."""
    for each in hint.metadata:
        if isinstance(each, WithJsonSchema) and each.json_schema:
            return {_JSON_KINDS[each.json_schema["type"]]}
    if hint.branches:
        return set().union(*map(kinds, hint.branches))
    if hint.choices:
        return {_KINDS[type(choice)] for choice in hint.choices}
    if hint.fields():
        return {"a mapping"}
    return {_KINDS.get(hint.origin, "any value")}


def takes_any_text(hint: Hint) -> bool:
    """Whether any words do, within a length: no name, path or duration is asked for."""
    if hint.branches:
        return any(map(takes_any_text, hint.branches))
    formed = (isinstance(each, WithJsonSchema) or getattr(each, "pattern", None) for each in hint.metadata)
    return hint.origin is str and not any(formed)


def kind_of(data: Any) -> str:
    """The form that the data has."""
    return "nothing" if data is None else _KINDS.get(tuple if isinstance(data, list) else type(data), "a value")


def expectation(hint: Hint) -> Expect:
    """What should stand there, in words."""
    for each in reversed(hint.metadata):  # the outermost says most about this very place
        if isinstance(each, Expect):
            return each
    if hint.choices:
        words = ", ".join(map(str, hint.choices))
        return Expect(f"one of {words}" if len(hint.choices) > 1 else words, hint.choices)
    if hint.branches:
        inner = [expectation(branch) for branch in hint.branches]
        return Expect(" or ".join(each.what for each in inner), tuple(each for one in inner for each in one.examples))
    if hint.origin is tuple:
        inner_expect = expectation(Hint.of(get_args(hint.type)[0]))
        return Expect("a list", (list(inner_expect.examples[:1]),) if inner_expect.examples else ())
    (kind,) = kinds(hint)
    return Expect(" ".join(filter(None, (kind, _range(hint)))), tuple(_example(hint)))


def _example(hint: Hint) -> Iterator[Any]:
    """One value that fits, made from those of what it consists of; nothing where there is none."""
    if fields := hint.fields():
        known = {key: expectation(Hint.of(field.annotation, field.metadata)).examples for key, field in fields.items()}
        needed = [key for key, field in fields.items() if field.is_required()]
        if all(known[key] for key in needed) and (some := needed or [key for key in known if known[key]][:1]):
            yield {key: known[key][0] for key in some}
    elif hint.origin is dict:
        key, value = (expectation(Hint.of(each)).examples for each in get_args(hint.type))
        if key and value:
            yield {key[0]: value[0]}
    elif hint.origin in (int, float):
        low, high = limits(hint)
        if low is not None and high is not None:  # an open range says nothing of what is usual
            yield low


def limits(hint: Hint) -> tuple[int | None, int | None]:
    """The least and the greatest number that may stand there; None for no such bound."""
    bounds = list(_bounds(hint.metadata))
    low = next((each.ge for each in bounds if isinstance(each, annotated_types.Ge)), None)
    high = next((each.le for each in bounds if isinstance(each, annotated_types.Le)), None)
    return low, high  # type: ignore[return-value]  # annotated_types allows anything that can be compared


def _range(hint: Hint) -> str:
    low, high = limits(hint)
    if low is not None and high is not None:
        return f"from {low} to {high}"
    if low is not None:
        return f"of at least {low}"
    return "" if high is None else f"of at most {high}"


def _bounds(metadata: Sequence[Any]) -> Iterator[Any]:
    for each in metadata:
        if isinstance(each, annotated_types.GroupedMetadata) and not isinstance(each, StringConstraints):
            yield from each
        elif inner := getattr(each, "metadata", None):  # a FieldInfo, as Field(ge=0) is inside Annotated
            yield from _bounds(inner)
        else:
            yield each
