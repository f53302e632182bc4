"""Finds the rules: every module of every family, with no list anywhere.

A family is a package beside this file. The families in `DOCUMENTED` hold rules that others report (the reader, the
models, the renderer, the runner): their modules are pages of the manual, and a check does not import them.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sgfleet.rules.manual import Page
    from sgfleet.rules.rule import Problem, Rule, Stage

DOCUMENTED: Final = frozenset({"source", "spec", "schema", "render", "waivers"})
"""Families that are named after the stage that reports their rules."""

_HERE: Final = Path(__file__).parent
_PACKAGE: Final = __name__.rpartition(".")[0]


class Check(NamedTuple):
    """A rule that is called: with the view that its stage says."""

    rule: Rule
    check: Callable[[Any], Iterable[Problem]]


class Entry(NamedTuple):
    """A rule and where it is written down."""

    rule: Rule
    family: str
    docstring: str | None

    @property
    def page(self) -> Page:
        """Its page in the manual.

        Raises:
            ManualError: the docstring is not in the manual's form.
        """
        from sgfleet.rules.manual import page

        return page(self.docstring)


def families() -> tuple[str, ...]:
    """The packages beside this file, sorted."""
    return tuple(sorted(folder.name for folder in _HERE.iterdir() if (folder / "__init__.py").is_file()))


def _modules(family: str) -> list[Any]:
    names = sorted(path.stem for path in (_HERE / family).glob("*.py") if not path.stem.startswith("_"))
    return [importlib.import_module(f"{_PACKAGE}.{family}.{name}") for name in names]


@cache
def checks() -> Mapping[Stage, tuple[Check, ...]]:
    """Stage -> the rules to call there, by code."""
    found = [
        Check(module.RULE, module.check)
        for family in families()
        if family not in DOCUMENTED
        for module in _modules(family)
    ]
    found.sort(key=lambda each: each.rule.code)
    stages: tuple[Stage, ...] = ("service", "machine", "host", "fleet")
    return {stage: tuple(each for each in found if each.rule.stage == stage) for stage in stages}


@cache
def called() -> Mapping[str, Rule]:
    """Code -> rule, for the rules that a check calls; all others report what cannot be waived."""
    return {each.rule.code: each.rule for stage in checks().values() for each in stage}


@cache
def entries() -> Mapping[str, Entry]:
    """Code -> rule, for every rule that there is, by code."""
    found = [Entry(module.RULE, family, module.__doc__) for family in families() for module in _modules(family)]
    return {entry.rule.code: entry for entry in sorted(found, key=lambda entry: entry.rule.code)}
