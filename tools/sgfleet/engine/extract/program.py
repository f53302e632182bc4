"""The modules of a wheel, and the names in them.

A module is never run from top to bottom. When somebody asks for a name, only the top-level statements that bind or may
change that name are run, in their order, each once. A statement sees the module as it was before it.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sgfleet.engine.extract import builtin_names
from sgfleet.engine.extract.errors import ExtractionError, Leave
from sgfleet.engine.extract.names import star_imports, touched
from sgfleet.engine.extract.values import Lazy, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.engine.extract.interpreter import Interpreter
    from sgfleet.engine.extract.values import Class
    from sgfleet.engine.extract.wheel import Sources


@dataclass(eq=False, slots=True)
class Scope:
    """Where names are bound: a module, a class body, or one call of a function."""

    module: Module
    kind: str
    names: dict[str, Any]
    parent: Scope | None = None
    owner: Class | None = None
    receiver: Any = None
    line: int = 0

    def unknown(self, reason: str, node: ast.AST | None = None) -> Unknown:
        """An unknown that arises here."""
        return Unknown(reason, self.module.name, getattr(node, "lineno", self.line))


@dataclass(eq=False)
class Module:
    """One module: its statements, an index from names to them, and the names bound so far."""

    name: str
    package: str
    statements: list[ast.stmt]
    index: dict[str, list[int]]
    stars: list[str]
    scope: Scope = field(init=False)
    done: set[int] = field(default_factory=set)
    limit: float = math.inf

    def __post_init__(self) -> None:
        """Give the module its scope."""
        self.scope = Scope(self, "module", {})

    def binds(self, name: str) -> bool:
        """Whether a top-level statement of this module itself binds the name."""
        return name in self.index

    def run_for(self, name: str, interpreter: Interpreter) -> None:
        """Run what binds or changes the name, as far as the statement that is being run now may see it."""
        for position in self.index.get(name, ()):
            if position in self.done or position >= self.limit:
                continue
            self.done.add(position)
            outer, self.limit = self.limit, position
            try:
                interpreter.run([self.statements[position]], self.scope)
            except Leave as leave:  # importing this module fails here
                self.scope.names[name] = leave.place or self.scope.unknown("leaves the module")
            finally:
                self.limit = outer

    def changed_later(self, name: str) -> bool:
        """Whether a statement behind the one being run has changed the name: what is here is then not its value yet."""
        return any(position in self.done and position > self.limit for position in self.index.get(name, ()))


def _split(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Import statements name by name, so that looking at one name does not resolve its neighbours."""
    for statement in statements:
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and len(statement.names) > 1:
            for alias in statement.names:
                part: ast.stmt = (
                    ast.Import(names=[alias])
                    if isinstance(statement, ast.Import)
                    else ast.ImportFrom(module=statement.module, names=[alias], level=statement.level)
                )
                yield ast.copy_location(part, statement)
        else:
            yield statement


def _index(statements: list[ast.stmt]) -> dict[str, list[int]]:
    """Name -> positions of the statements that bind or may change it, under any other name that it goes by."""
    index: dict[str, list[int]] = {}
    others: dict[str, set[str]] = {}
    for position, statement in enumerate(statements):
        for name in touched(statement):
            index.setdefault(name, []).append(position)
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
                group = others.get(name, {name}) | others.get(other, {other})
                others.update(dict.fromkeys(group, group))
    for group in {id(group): group for group in others.values()}.values():
        together = sorted({position for name in group for position in index.get(name, ())})
        index.update({name: together for name in group if name in index})
    return index


class Program:
    """All modules of a wheel, parsed when they are first asked for. `restart` forgets the names and keeps the trees."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._trees: dict[str, list[ast.stmt]] = {}
        self._modules: dict[str, Module] = {}

    @property
    def read(self) -> list[str]:
        """The names of the modules that have been read, sorted; packages without a source text left out."""
        return sorted(name for name, tree in self._trees.items() if tree)

    def restart(self) -> None:
        """Forget every name that has been bound."""
        self._modules.clear()

    def has(self, name: str) -> bool:
        """Whether the wheel has such a module."""
        return self.sources.has(name)

    def module(self, name: str) -> Module:
        """The module.

        Raises:
            ExtractionError: its text is no Python that this version of Python can parse.
        """
        known = self._modules.get(name)
        if known is not None:
            return known
        package = name if self.sources.is_package(name) else name.rpartition(".")[0]
        statements = self._tree(name)
        index = _index(statements)
        stars = [absolute(star.module, star.level, package) for star in star_imports(statements)]
        module = Module(name, package, statements, index, stars)
        self._modules[name] = module
        return module

    def _tree(self, name: str) -> list[ast.stmt]:
        if name not in self._trees:
            try:
                tree = ast.parse(self.sources.text(name))
            except (SyntaxError, ValueError, RecursionError) as error:
                line = getattr(error, "lineno", None)
                raise ExtractionError(f"not Python as this interpreter knows it: {error}", name, line) from None
            self._trees[name] = list(_split(tree.body))
        return self._trees[name]

    def lookup(self, module: Module, name: str, interpreter: Interpreter) -> Any:
        """The value of a module's global, None-safe: a name that is not there is an `Unknown`."""
        found = self.find(module, name, interpreter)
        if found is _ABSENT:
            return Unknown(f"there is no name {name!r} in {module.name}", module.name, module.scope.line)
        return found

    def find(self, module: Module, name: str, interpreter: Interpreter) -> Any:
        """The value of a module's global, or `ABSENT`."""
        if module.binds(name):
            module.run_for(name, interpreter)
            if module.changed_later(name):
                return Unknown(f"{name!r} is read while {module.name} is still changing it", module.name)
            if name in module.scope.names:
                value = module.scope.names[name]
                if isinstance(value, Lazy):
                    value = module.scope.names[name] = self.resolve(value, interpreter)
                return value
        for star in reversed(module.stars):
            if not self.has(star) or star == module.name:
                continue
            value = self.find(self.module(star), name, interpreter) if not name.startswith("_") else _ABSENT
            if value is not _ABSENT:
                return value
        return _ABSENT

    def resolve(self, lazy: Lazy, interpreter: Interpreter) -> Any:
        """What an import brings: a module of the wheel, a name of it, or something outside."""
        if not self.has(lazy.module):
            return builtin_names.outside(lazy.module if lazy.attribute is None else f"{lazy.module}.{lazy.attribute}")
        if lazy.attribute is None:
            return self.module(lazy.module)
        return self.member(self.module(lazy.module), lazy.attribute, interpreter)

    def member(self, module: Module, name: str, interpreter: Interpreter) -> Any:
        """An attribute of a module: one of its names, or a module below it."""
        value = self.find(module, name, interpreter)
        if value is not _ABSENT:
            return value
        below = f"{module.name}.{name}"
        if self.has(below):
            return self.module(below)
        return Unknown(f"{module.name} has no {name!r} that can be read", module.name)


_ABSENT = object()
ABSENT = _ABSENT
"""What `Program.find` returns for a name that the module does not have."""


def absolute(module: str | None, level: int, package: str) -> str:
    """The dotted name that a (relative) import in `package` means."""
    if level == 0:
        return module or ""
    parts = package.split(".")
    base = parts[: len(parts) - level + 1]
    return ".".join([*base, module] if module else base)
