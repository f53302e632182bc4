"""Names of flags in the code hold in every release: a flag that was renamed is looked for under both of its names."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import sgfleet
from sgfleet.engine import store
from sgfleet.rules.combinations import idle_flag
from sgfleet.rules.combinations._rows import Row
from sgfleet.rules.flags import empty_text, late_json
from sgfleet.rules.registry import checks

PACKAGE = Path(sgfleet.__file__).parent
RELEASES = store.available()

LEFT = {
    ("memory/eras.py", "swa_full_tokens_ratio"): "words that are looked for in a wheel of the time",
    ("options/moves/limits.py", "swa-full-tokens-ratio"): "hybrid-kvcache-ratio of 0.4.9 says something else",
    ("rules/combinations/excluded_together.py", "enable-nsa-prefill-context-parallel"): "one flag from 0.5.20 on",
    ("rules/combinations/excluded_together.py", "enable-prefill-context-parallel"): "one flag from 0.5.20 on",
    ("rules/memory/backend_of_another_model.py", "disable-mla"): "later releases always use latent attention",
    ("rules/combinations/needs_another_flag.py", "speculative-draft-window-size"): "what needs it came later",
    ("rules/combinations/needs_another_flag.py", "multi-item-scoring-delimiter"): "enable-mis sets what it needs",
    ("rules/combinations/disaggregation.py", "disaggregation-decode-tp"): "no flag says it from 0.5.10 on",
    ("rules/combinations/disaggregation.py", "disaggregation-decode-dp"): "no flag says it from 0.5.10 on",
    ("rules/combinations/expert_parallelism.py", "enable-ep-moe"): "ep-size took its place",
    ("rules/combinations/expert_parallelism.py", "enable-deepep-moe"): "moe-a2a-backend took its place",
    ("rules/combinations/idle_flag.py", "enable-deepep-moe"): "moe-a2a-backend took its place",
}
"""(module, name) -> why the module does without the flag's later or earlier names."""

ASKED_OF_TODAY = ("rules/combinations", "rules/memory", "rules/service", "rules/host", "rules/unit", "options", "agent")
"""Where a flag that has ended must have an heir, or be left. Bounds are held against all flags by their own test."""

KEYED_BY_FIRST_NAME = {
    "idle_flag": {name for feature in idle_flag.FEATURES for name in (*feature.also, *feature.but)},
    "late_json, off when empty": late_json._OFF_WHEN_EMPTY,
    "late_json, not always JSON": late_json._NOT_ALWAYS_JSON.keys(),
    "late_json, file": {late_json._FILE[0]},
    "empty_text": empty_text._NAMES,
}


def spans():
    """Name -> the places of the releases that have it."""
    found = defaultdict(set)
    for place, version in enumerate(RELEASES):
        for name in store.load(version).by_name:
            found[name].add(place)
    return found


def settings():
    """Name -> all names that its setting has had: those of one flag, and of flags with one destination, chained."""
    groups = {}
    for version in RELEASES:
        by_dest = defaultdict(set)
        for flag in store.load(version).flags:
            by_dest[flag.dest].update(flag.names)
        for names in by_dest.values():
            joined = names.union(*(groups.get(name, ()) for name in names))
            groups.update(dict.fromkeys(joined, joined))
    return groups


SPANS, SETTINGS = spans(), settings()


def names_in(text):
    """The names of flags that a module's code has as text, with the spelling that it has there; prose aside."""
    tree = ast.parse(text)
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    }
    named = {text.removeprefix("--").replace("_", "-"): text for text in texts}
    return {name: text for name, text in named.items() if name in SPANS and "-" in name}


MODULES = {
    path.relative_to(PACKAGE).as_posix(): names_in(path.read_text())
    for path in sorted(PACKAGE.rglob("*.py"))
    if "extract" not in path.parts
}


@pytest.mark.parametrize("module", [module for module, names in MODULES.items() if names])
def test_a_flag_is_named_as_every_release_names_it(module):
    names = MODULES[module]
    missing = {}
    for name, text in names.items():
        group = SETTINGS[name]
        asked = set().union(*(SPANS[other] for other in group if other in names))
        there = set().union(*(SPANS[other] for other in group))
        ended = len(RELEASES) - 1 not in there  # nothing has its name today: what took its place, a person knows
        if (there - asked or (ended and module.startswith(ASKED_OF_TODAY))) and (module, text) not in LEFT:
            missing[text] = sorted(group - names.keys())
    assert missing == {}


def test_what_is_left_is_named_where_it_says():
    assert {(module, text) for module, text in LEFT if text not in MODULES[module].values()} == set()


@pytest.mark.parametrize("table", KEYED_BY_FIRST_NAME)
def test_tables_by_first_name_know_every_first_name(table):
    names = set(KEYED_BY_FIRST_NAME[table])
    assert names - SPANS.keys() == set()
    unseen = {
        (name, flags[name].name)
        for flags in (store.load(version).by_name for version in RELEASES)
        for name in names & flags.keys()
        if flags[name].name not in names
    }
    assert unseen == set()


def test_rows_are_of_flags_that_there_are():
    modules = {each.check.__globals__["__name__"]: each.check.__globals__ for each in checks()["service"]}
    rows = [row for space in modules.values() for row in space.get("ROWS", ()) if isinstance(row, Row)]
    assert len(rows) > 50
    assert {name for row in rows for name in (row.flag, *row.others)} - SPANS.keys() == set()
