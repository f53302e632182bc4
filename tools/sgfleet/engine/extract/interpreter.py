"""The interpreter: a budget, the doubts, and the parts in one object.

A doubt is a condition that could not be decided. What is written while one is held (a branch that may or may not be
taken) becomes unknown; a flag that is declared while one is held is opaque.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract import calls, expressions, statements
from sgfleet.engine.extract.errors import ExtractionError

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Mapping, Sequence

    from sgfleet.engine.extract.program import Program, Scope
    from sgfleet.engine.extract.values import Unknown

_STEPS: Final = 3_000_000
"""Expressions evaluated for one release at most; the largest release so far takes about 200,000."""

_DEPTH: Final = 40
"""Calls inside calls at most."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why it is not certain that the statements now being run are run.

    `ends` says how long it is held: "branch" for a branch that may not be taken, where plain names that are written
    become unknown too; "round", "loop" or "call" behind a continue, break or return that may have been taken.
    """

    unknown: Unknown
    ends: str


_UNTIL: Final = {"continue": "round", "break": "loop", "return": "call"}


class Interpreter:
    """Evaluates the sources of one program in one environment (variables that the server would be started with)."""

    def __init__(self, program: Program, environment: Mapping[str, str] | None = None) -> None:
        self.program = program
        self.environment: Mapping[str, str] = environment or {}
        self.variables_read: set[str] = set()
        self.doubts: list[Doubt] = []
        self._steps = 0
        self._depth = 0

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression."""
        self._steps += 1
        if self._steps > _STEPS:
            raise ExtractionError(f"more than {_STEPS} steps: not a declaration", scope.module.name, node.lineno)
        return expressions.evaluate(node, scope, self)

    def run(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        """Run statements one after the other."""
        statements.run(body, scope, self)

    def call(self, callee: Any, args: list[Any], keywords: dict[str, Any], scope: Scope, node: ast.AST) -> Any:
        """Call a value."""
        if self._depth > _DEPTH:
            raise ExtractionError(
                f"calls nest deeper than {_DEPTH}", scope.module.name, getattr(node, "lineno", scope.line)
            )
        self._depth += 1
        try:
            return calls.call(calls.Call(callee, args, keywords, scope, node, self))
        finally:
            self._depth -= 1

    def variable(self, name: str) -> str | None:
        """An environment variable of the server, and a note that it was asked for."""
        self.variables_read.add(name)
        return self.environment.get(name)

    @property
    def doubt(self) -> Unknown | None:
        """The innermost doubt that is held."""
        return self.doubts[-1].unknown if self.doubts else None

    @property
    def name_doubt(self) -> Unknown | None:
        """The innermost doubt under which even plain names become unknown when they are written."""
        return next((doubt.unknown for doubt in reversed(self.doubts) if doubt.ends == "branch"), None)

    @contextmanager
    def in_doubt(self, unknown: Unknown) -> Iterator[None]:
        """Whether the statements inside are run is not known."""
        self.doubts.append(Doubt(unknown, "branch"))
        try:
            yield
        finally:
            self.doubts.pop()

    def may_have_left(self, unknown: Unknown, jump: str) -> None:
        """A continue, break or return may have been taken: until where it leads, nothing declared is certain."""
        self.doubts.append(Doubt(unknown, _UNTIL[jump]))

    def settle(self, before: int, *ends: str) -> Unknown | None:
        """Let go of the doubts behind the first `before` that end here; the first of them."""
        ending = [doubt for doubt in self.doubts[before:] if doubt.ends in ends]
        self.doubts[before:] = [doubt for doubt in self.doubts[before:] if doubt.ends not in ends]
        return ending[0].unknown if ending else None
