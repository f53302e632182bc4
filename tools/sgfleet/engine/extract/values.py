"""What an expression of a release's source can be worth.

Plain data (None, booleans, numbers, strings, tuples, lists, dicts, sets) is itself. Everything else is one of the
classes below. None of them runs anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import ast

    from sgfleet.engine.extract.program import Module, Scope

PLAIN: Final = (type(None), bool, int, float, complex, str, bytes)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that reading alone does not tell, and the first reason why."""

    reason: str
    module: str = ""
    line: int = 0

    def __str__(self) -> str:
        """`reason (module:line)`."""
        return f"{self.reason} ({self.module}:{self.line})" if self.module else self.reason


@dataclass(frozen=True, slots=True)
class External:
    """A thing outside the wheel, by its dotted name; builtins go by their bare name."""

    name: str


@dataclass(frozen=True, slots=True)
class Lazy:
    """An import that nobody has looked at yet: a module, or a name of it."""

    module: str
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Generic:
    """A subscripted type: `Annotated[str, ...]`, `list[str]`. Unions are `Union`, whatever their spelling."""

    origin: External
    args: tuple[Any, ...]


@dataclass(eq=False, slots=True)
class Function:
    """A function or lambda of the wheel, with the scope that it was defined in."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    defaults: list[Any]
    keyword_defaults: dict[str, Any]
    owner: Class | None = None
    kind: str = "function"
    yields: bool | None = None
    """Whether calling it gives a generator; None until somebody has looked."""

    @property
    def module(self) -> Module:
        """The module whose globals the function reads."""
        return self.scope.module


@dataclass(eq=False, slots=True)
class Annotation:
    """A field's annotation: evaluated when somebody asks, in the scope where it was written."""

    node: ast.expr | None
    scope: Scope | None
    value: Any = None


@dataclass(eq=False, slots=True)
class Class:
    """A class of the wheel. `record` says whether its fields make its constructor: "dataclass", "struct" or neither."""

    name: str
    module: Module
    line: int
    bases: tuple[Any, ...]
    namespace: dict[str, Any]
    annotations: dict[str, Annotation]
    record: str | None = None
    unknown_base: Unknown | None = None


@dataclass(eq=False, slots=True)
class Instance:
    """An object: of a class of the wheel, or a bag of attributes that a library function returned."""

    cls: Class | External
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class EnumMember:
    """A member of an enumeration."""

    cls: Class
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Bound:
    """A function with its first argument."""

    function: Function
    receiver: Any


@dataclass(eq=False, slots=True)
class Native:
    """A method of a plain value, or of an object that this package provides."""

    receiver: Any
    name: str


@dataclass(frozen=True, slots=True)
class Super:
    """`super()`: attributes are looked up behind `after` in the order of the receiver's classes."""

    receiver: Any
    after: Class


def unknown_in(value: object) -> Unknown | None:
    """The first unknown in a value or in the containers that it is made of."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        items: Any = value
    elif isinstance(value, dict):
        items = [*value.keys(), *value.values()]
    elif isinstance(value, Generic):
        items = value.args
    else:
        return None
    for item in items:
        found = unknown_in(item)
        if found is not None:
            return found
    return None


def is_plain(value: object) -> bool:
    """Whether a value is data through and through: what JSON or a Python literal could hold."""
    if isinstance(value, PLAIN):
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(is_plain(item) for item in value)
    if isinstance(value, dict):
        return all(is_plain(key) and is_plain(item) for key, item in value.items())
    return False


def in_order(items: set[Any] | frozenset[Any]) -> list[Any]:
    """A set's elements in an order that does not hang on the hash seed."""
    return sorted(items, key=lambda item: (type(item).__name__, str(item)))
