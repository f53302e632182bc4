"""What a valid document becomes on the short way: the values of a model, and what code asks of one, without pydantic.

The models are what it stands for, and type checkers see them in its place.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn

from sgfleet.spec.names import kebab

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


class Record:
    """The base of one class a model, named as the model; pydantic's core fills in the slots.

    `writers` are of the fields that are written otherwise than they are held: 30 as `30s`.
    """

    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")
    writers: ClassVar[Mapping[str, Callable[[Any], Any]]] = MappingProxyType({})
    __pydantic_fields_set__: set[str]

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that the document gave, by name."""
        return self.__pydantic_fields_set__

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Record:
        """The same with other values for some fields, which nobody validates."""
        changed = update or {}
        made = object.__new__(type(self))
        for slot, value in (
            ("__dict__", {**vars(self), **changed}),
            ("__pydantic_fields_set__", self.model_fields_set | changed.keys()),
            ("__pydantic_extra__", None),
            ("__pydantic_private__", None),
        ):
            object.__setattr__(made, slot, value)
        return made

    def model_dump(
        self,
        *,
        mode: Literal["json"],  # noqa: ARG002 - what a model would be asked; no other mode is
        exclude: Collection[str] = (),
    ) -> dict[str, Any]:
        """Key in YAML -> value, of the types that JSON has."""
        return {
            kebab(name): _plain(self.writers[name](value) if name in self.writers and value is not None else value)
            for name, value in vars(self).items()
            if name not in exclude
        }

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        """Refused, as a frozen model refuses it."""
        raise AttributeError(f"{type(self).__name__} is frozen: {name} stays as it is")

    def __delattr__(self, name: str) -> NoReturn:
        """Refused likewise."""
        raise AttributeError(f"{type(self).__name__} is frozen: {name} stays as it is")

    def __eq__(self, other: object) -> bool:
        """Of the same model, with the same values."""
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        """Raises TypeError where a value is a mapping."""
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        """All values by name."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value
