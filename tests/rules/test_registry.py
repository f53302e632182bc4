"""What every rule owes: its own code and name, a page in the manual's form, a function where it is called."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sgfleet.rules
from sgfleet.rules.manual import page
from sgfleet.rules.registry import DOCUMENTED, checks, entries, families
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from types import ModuleType


def _modules() -> list[ModuleType]:
    """Every module of every family, found by other means than the registry's."""
    return [
        importlib.import_module(f"sgfleet.rules.{family.name}.{module.name}")
        for family in pkgutil.iter_modules(sgfleet.rules.__path__)
        if family.ispkg
        for module in pkgutil.iter_modules([f"{sgfleet.rules.__path__[0]}/{family.name}"])
        if not module.name.startswith("_")
    ]


MODULES = _modules()
each = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.removeprefix("sgfleet.rules."))


def test_there_are_rules():
    assert len(MODULES) > 10
    assert {module.__name__.split(".")[2] for module in MODULES} <= set(families())


@each
def test_identity(module):
    rule = module.RULE
    family, name = module.__name__.split(".")[2:]
    assert isinstance(rule, Rule)
    assert re.fullmatch(r"[A-Z]{3}[0-9]{3}", rule.code)
    assert rule.name == name.replace("_", "-")
    assert (rule.stage in DOCUMENTED) == (family in DOCUMENTED)
    if family in DOCUMENTED:
        assert rule.stage == family
        assert not hasattr(module, "check")
    else:
        # A rule sees what its stage is given and no more: hosts share by that (shared.py).
        assert module.check.__annotations__["view"] == f"{rule.stage.capitalize()}View"


@each
def test_page(module):
    found = page(module.__doc__)
    assert len(found.summary) <= 100
    if not all(example.files for example in (*found.bad, *found.good)):
        assert module.RULE.stage in {"source", "spec", "render"}, "a Bad or Good without a ```yaml fence"
        tests = Path(__file__).parents[1].rglob("test_*.py")
        assert any(module.RULE.code in path.read_text() for path in tests), "no example, and no test names the code"


@pytest.mark.parametrize("what", ["code", "name"])
def test_nothing_twice(what):
    twice = [value for value, count in Counter(getattr(module.RULE, what) for module in MODULES).items() if count > 1]
    assert not twice


def test_codes_of_a_family_share_their_letters():
    letters: dict[str, set[str]] = {}
    for module in MODULES:
        letters.setdefault(module.RULE.code[:3], set()).add(module.__name__.split(".")[2])
    assert {code: where for code, where in letters.items() if len(where) > 1} == {}


def test_every_code_that_is_reported_has_a_page():
    package = Path(sgfleet.rules.__path__[0]).parent
    named = {
        code
        for path in package.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "Expect(" not in line  # what a code looks like, in an example
        for code in re.findall(r"""["']([A-Z]{3}[0-9]{3})["']""", line)
    }
    assert named - set(entries()) == set()


def test_registry_finds_them_all():
    assert sorted(entries()) == sorted(module.RULE.code for module in MODULES)
    called = [check.rule.code for stage in checks().values() for check in stage]
    assert sorted(called) == sorted(module.RULE.code for module in MODULES if hasattr(module, "check"))
