"""The short way gives what the models give: the same verdict, the same errors, the same values."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from sgfleet.source.read import read_text
from sgfleet.spec import json_schema, valid
from sgfleet.spec.models import core_schemas, json_schemas
from sgfleet.spec.models.base import Model
from sgfleet.spec.models.kinds import MODELS
from sgfleet.spec.record import Record
from spec.any_data import KEYS, data, service, shaped

ROOT = Path(__file__).parents[2]
CHECKS = {"facts": valid.facts, "fleet": valid.fleet, "host": valid.host, "service": valid.service}
SERVICE = {
    "release": "0.5.9",
    "python": "/opt/python3",
    "flags": {"model-path": "/m", "tp-size": 2, "x": [1.5, None, {"a": True}]},
    "gpus": [0, 1],
    "unit": {"restart-sec": "1m", "limit-memlock": "64GiB", "memory-max": "infinity", "type": "simple"},
    "environment": {"A": 1},
    "start": {"budget": "15m"},
    "waive": [{"code": "MEM001", "reason": "because it is so", "until": "2026-12-31"}],
}
FACTS = {
    "format": 1,
    "host": "h",
    "read": {"gpus": {"when": "2026-12-31T08:30:00.5+01:00", "how": "nvidia-smi"}},
    "gpus": [{"index": 0, "name": "H200", "pcie": {"width": 16}, "mig-instances": [{"profile": "3g.40gb"}]}],
    "memory": {"total-bytes": 1},
    "limits": {"memlock-bytes": "infinity"},
    "observed": {"a": {"release": "0.5.9", "kv-pool-gib": 1.25, "settings": {"page_size": 64, "x": 0.5}}},
}


def answer(check, value):
    """What a way says about a value, in a form that both ways have."""
    try:
        return values(check(value))
    except valid.ValidationError as error:
        return [{**each, "ctx": str(each.get("ctx"))} for each in error.errors(include_url=False)]


def values(made):
    """All that a model or record holds, with the types of it, and which fields were given."""
    if isinstance(made, Model | Record):
        given = made.model_fields_set
        return type(made).__name__, given, {name: values(value) for name, value in vars(made).items()}
    if isinstance(made, dict):
        return {key: values(value) for key, value in made.items()}
    if isinstance(made, tuple | list):
        return type(made), [values(each) for each in made]
    return type(made), made


def same(kind, value):
    model = MODELS[kind]
    assert answer(CHECKS[kind], value) == answer(model.model_validate, value)
    try:
        made, record = model.model_validate(value), CHECKS[kind](value)
    except valid.ValidationError:
        return
    assert isinstance(record, Record)
    for left_out in (set(), {"waive"}):
        dumped, wanted = (each.model_dump(mode="json", exclude=left_out) for each in (record, made))
        assert json.dumps(dumped) == json.dumps(wanted)
        assert values(dumped) == values(wanted)


@pytest.mark.parametrize(("read", "written"), [(valid, core_schemas), (json_schema, json_schemas)])
def test_what_is_kept_is_what_the_models_are(read, written):
    """A model that was changed, or another pydantic in the lock, makes it stale."""
    assert read.STORED == ROOT / written.PATH
    assert read.STORED.read_text() == written.text(), "stale: make docs"


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(MODELS)), st.one_of(service, shaped, data))
def test_any_data(kind, value):
    same(kind, value)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["facts", "service"]), service)
def test_nearly_right_data(kind, changes):
    """One right document with some keys in whose place anything may stand, on each level."""
    base = SERVICE if kind == "service" else FACTS
    same(kind, base)
    for key, value in changes.items():
        same(kind, {**base, key: value})
        for part in (name for name, inner in base.items() if isinstance(inner, dict)):
            same(kind, {**base, part: {**base[part], key: value}})
        for part in (name for name, inner in base.items() if isinstance(inner, list) and isinstance(inner[0], dict)):
            same(kind, {**base, part: [{**base[part][0], key: value}]})


@pytest.mark.parametrize("kind", sorted(MODELS))
@pytest.mark.parametrize("key", KEYS)
def test_every_key_with_a_value_of_every_form(kind, key):
    for value in (None, True, 0, 1.5, "x", "30s", "1GiB", "2026-12-31", [], ["a"], [{}], {}, {"a": {}}, {"a": "b"}):
        same(kind, {key: value})
        same(kind, {**SERVICE, key: value})
        same(kind, {"policy": {key: value}})


@pytest.mark.parametrize("name", ["facts", "fleet", "host"])
def test_the_examples_with_every_key(name):
    text = (ROOT / f"docs/reference/examples/{name}.yaml").read_text()
    document = read_text(text, name).data
    same(name, document)
    for each in document.get("services", {}).values():
        same("service", each)


def test_a_model_that_is_not_given_is_one_with_its_defaults():
    assert values(valid.default_policy()) == values(MODELS["fleet"]().policy)
    assert valid.default_policy() == valid.default_policy()
    assert valid.default_policy().reserve.model_fields_set == set()


def test_another_core_asks_the_models(monkeypatch):
    """Its schemas may have another form."""
    monkeypatch.setitem(valid._stored(), "core", "2.0.0")
    valid._checker.cache_clear()
    try:
        assert isinstance(valid.service(SERVICE), MODELS["service"])
    finally:
        valid._checker.cache_clear()


def test_records_are_frozen_and_copied_as_models_are():
    record, model = valid.service(SERVICE), MODELS["service"].model_validate(SERVICE)
    for change in (lambda: setattr(record, "user", "x"), lambda: delattr(record, "user")):
        with pytest.raises(AttributeError, match="Service is frozen"):
            change()
    copy, other = (each.model_copy(update={"user": "x", "flags": {}}) for each in (record, model))
    assert values(copy) == values(other)
    assert record.user == "root"
    assert copy != record
    assert record.model_copy() == record == valid.service(SERVICE)
    assert record != model
    assert hash(record.start) == hash(valid.service(SERVICE).start)
    assert repr(record.start) == "Start(budget=900, health_url=None)"
    with pytest.raises(TypeError):
        hash(record)


def test_what_the_code_asks_of_models_records_have():
    """Type checkers see models where records stand; mypy cannot know what a record lacks."""
    asked = set()
    for path in (ROOT / "tools/sgfleet").rglob("*.py"):
        if path.parent.name != "models":
            tree = ast.parse(path.read_text())
            asked |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    of_values = {name for name, each in vars(BaseModel).items() if isinstance(each, types.FunctionType | property)}
    asked &= {name for name in of_values if name.startswith("model_")}
    assert {"model_dump", "model_copy"} <= asked
    assert {name for name in asked if not hasattr(Record, name)} == set()


NOT_ON_DISK = """
import types
from sgfleet.spec import core
core.PathFinder = types.SimpleNamespace(find_spec=lambda *_: None)  # as whoever ships packages in a form of their own
"""


@pytest.mark.parametrize("first", ["import pydantic", "pass", NOT_ON_DISK])
def test_others_have_pydantic_whole_and_with_the_same_core(first):
    code = (
        f"{first}\n"
        "from sgfleet.spec import valid\n"
        "from sgfleet.spec.core import compiled_core\n"
        "valid.default_policy()\n"
        "import pydantic, pydantic_core._pydantic_core as core\n"
        "assert compiled_core() is core\n"
        "assert pydantic.ValidationError is valid.ValidationError\n"
        "assert pydantic.TypeAdapter(list[int]).validate_python(['1']) == [1]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
