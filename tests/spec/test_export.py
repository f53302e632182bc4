"""The JSON Schemas: what they accept is what the models accept, and what is committed is what `export` writes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from sgfleet.source.read import read_text
from sgfleet.source.tree import WorkTree
from sgfleet.spec.export import releases_in, schema_drift, schemas, texts
from sgfleet.spec.fleet_spec import FleetSpec, read_fleet
from sgfleet.spec.host_spec import HostSpec, read_facts, read_host
from sgfleet.spec.models.base import Model
from sgfleet.spec.models.docstrings import field_docstrings
from sgfleet.spec.models.facts import Facts
from sgfleet.spec.repository import no_names

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "schema"
FLEET = ROOT / "tests" / "data" / "fleet"
RELEASES = ("0.5.9", "0.5.23")


@cache
def validator(name):
    """The reference validator for a committed schema, with the files that it refers to."""

    def retrieve(uri):
        return Resource.from_contents(json.loads((SCHEMA / uri.removeprefix("file:///")).read_text()))

    contents = {"$id": f"file:///{name}", **json.loads((SCHEMA / name).read_text())}
    return Draft202012Validator(
        contents, registry=Registry(retrieve=retrieve), format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def accepted_by_schema(name, data):
    return not any(validator(name).iter_errors(data))


def test_what_is_committed_is_what_export_writes():
    assert schema_drift(WorkTree(ROOT)) == []


@pytest.mark.parametrize("name", ["host.schema.json", "facts.schema.json", "fleet.schema.json"])
def test_each_is_a_json_schema_of_the_dialect_that_it_names(name):
    Draft202012Validator.check_schema(json.loads((SCHEMA / name).read_text()))


@pytest.mark.parametrize(
    "path", sorted(FLEET.glob("hosts/*/*.yaml")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_the_hosts_of_this_repository(path):
    data = read_text(path.read_text(), path.name).data
    assert list(validator(f"{path.stem}.schema.json").iter_errors(data)) == []


def test_the_fleet_of_this_repository():
    assert (
        list(validator("fleet.schema.json").iter_errors(read_text((FLEET / "fleet.yaml").read_text(), "f").data)) == []
    )


def test_every_release_is_in_the_schema_of_hosts():
    releases = releases_in(WorkTree(ROOT))
    assert releases[0] == "0.4.0"
    assert {f"{release}.json" for release in releases} == {
        path.name for path in (SCHEMA / "sglang").glob("[0-9]*.json")
    }
    assert releases.index("0.5.9") < releases.index("0.5.10") < releases.index("0.5.10.post1")
    text = (SCHEMA / "host.schema.json").read_text()
    assert all(text.count(f'"sglang/{release}.json"') == 3 for release in releases)


def test_drift(tmp_path):
    assert schema_drift(WorkTree(tmp_path)) == []  # no such folder: the schemas that sgfleet came with are used
    (tmp_path / "schema/sglang").mkdir(parents=True)
    (tmp_path / "schema/sglang/0.5.9.json").write_text("{}")
    assert [each.message for each in schema_drift(WorkTree(tmp_path))] == [
        f"schema/{name} is missing" for name in ("host.schema.json", "facts.schema.json", "fleet.schema.json")
    ]
    for name, text in texts(["0.5.9"]).items():
        (tmp_path / "schema" / name).write_text(text)
    assert schema_drift(WorkTree(tmp_path)) == []
    (tmp_path / "schema/sglang/0.5.10.json").write_text("{}")
    assert [each.place.path for each in schema_drift(WorkTree(tmp_path))] == [
        "schema/host.schema.json",
        "schema/fleet.schema.json",
    ]


def test_every_field_of_every_model_is_described():
    def models(above):
        for model in above.__subclasses__():
            yield model
            yield from models(model)

    for model in models(Model):
        if model.__module__.startswith("sgfleet.spec."):
            assert set(model.model_fields) == set(field_docstrings(model)), model
    assert "pydantic" not in json.dumps(schemas(RELEASES))


# What a person may write for each key: right and wrong values side by side.
scalars = st.sampled_from([None, True, 0, 7, -1, 1.5, "", "x", "a b", "/srv", "30s", "48GiB", "all", "root", "0.5.9"])
anything = st.one_of(scalars, st.lists(scalars, max_size=2), st.dictionaries(st.sampled_from(["A", "b c"]), scalars))
KEYS = {
    "unit": [
        "after",
        "restart",
        "restart-sec",
        "limit-memlock",
        "memory-max",
        "nice",
        "limit-nofile",
        "kill-mode",
        "x",
    ],
    "start": ["budget", "x"],
}
mostly_right = {
    "release": st.sampled_from(["0.5.9", "0.5.23"]),
    "python": st.just("/opt/python"),
    "gpus": st.sampled_from(["all", [0], [0, 1], [], [-1], [1024]]),
    "user": st.sampled_from(["root", "Root", "a" * 33]),
    "environment": st.dictionaries(
        st.sampled_from(["A", "B_1", "1A", "a b"]), st.sampled_from(["x", 1, 1.5, None, True])
    ),
    "environment-files": st.lists(st.sampled_from(["/etc/a", "a"]), max_size=2),
    "secrets": st.dictionaries(st.sampled_from(["api-key"]), st.sampled_from(["KEY", "a-b", None])),
    "flags": st.sampled_from([{}, None, {"tp-size": 1}, [], "x"]),
    "unit": st.dictionaries(st.sampled_from(KEYS["unit"]), anything, max_size=3),
    "start": st.dictionaries(st.sampled_from(KEYS["start"]), anything, max_size=2),
    "waive": st.lists(
        st.fixed_dictionaries(
            {"code": st.sampled_from(["FLG001", "flg1"]), "reason": st.sampled_from(["long enough, this", "short"])},
            optional={"until": st.sampled_from(["2026-12-31", "2026-13-31", "20261231", 5, None])},
        ),
        max_size=1,
    ),
    "why": anything,
    "working-directory": anything,
    "group": anything,
    "nonsense": anything,
}
wrong_form = st.one_of(scalars, st.lists(scalars, max_size=2))
"""Of flags: their names are held against the release by the schema and by rules, not by the models."""
layer = st.fixed_dictionaries(
    {},
    optional={key: st.one_of(value, wrong_form if key == "flags" else anything) for key, value in mostly_right.items()},
)
right_layer = st.fixed_dictionaries(
    {}, optional={key: mostly_right[key] for key in ("release", "gpus", "flags", "unit")}
)
services = st.dictionaries(
    st.sampled_from(["a", "sglang-b", "Bad Name", "-x"]), st.one_of(layer, right_layer), max_size=2
)
hosts = st.fixed_dictionaries(
    {"host": st.sampled_from(["h", "h", "Bad_Host"]), "services": services}, optional={"defaults": layer, "x": scalars}
)


def written(data):
    """As a file: the reader's own data, whatever the generator made."""
    return read_text(json.dumps(data), "hosts/h/host.yaml")


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=300, deadline=None)
@given(hosts)
@example({"host": "h", "services": {"a": {"release": "0.5.9", "python": "/p", "environment": {"1A": None}}}})
def test_hosts_are_accepted_by_the_schema_exactly_when_by_the_models(data):
    spec = HostSpec(data["host"])
    read_host(spec, written(data), FleetSpec(), no_names)
    # What needs more than one file, or another layer, is no matter of a schema of one file: a key that is missing
    # everywhere, and what was not checked because of it, and a null that takes nothing away.
    missing = ("release is missing", "python is missing")
    wrong = [
        each for each in spec.findings if each.code not in {"SPC007", "SPC008"} and not each.message.startswith(missing)
    ]
    assert accepted_by_schema("host.schema.json", data) == (not wrong), wrong


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "defaults": layer,
            "policy": st.one_of(
                anything,
                st.fixed_dictionaries(
                    {},
                    optional={
                        "reserve": st.dictionaries(st.sampled_from(["host-ram", "x"]), scalars, max_size=1),
                        "severity": st.dictionaries(
                            st.sampled_from(["FLG001", "x"]), st.sampled_from(["off", "note", "bad", 1]), max_size=1
                        ),
                        "required-flags": anything,
                        "allowed-users": st.lists(scalars, max_size=2),
                        "facts-max-age": scalars,
                    },
                ),
            ),
        },
    )
)
@example({"defaults": {"environment": {"A": "x", "1A": None}}})
def test_fleets_too(data):
    spec = read_fleet(written(data))
    wrong = [each for each in spec.findings if each.code != "SPC007"]
    assert accepted_by_schema("fleet.schema.json", data) == (not wrong), wrong


facts = st.fixed_dictionaries(
    {"format": st.sampled_from([1, 1, 2, "1"]), "host": st.just("h")},
    optional={
        "gpus": st.one_of(
            anything,
            st.lists(
                st.fixed_dictionaries(
                    {"index": st.sampled_from([0, -1, "0"]), "name": st.sampled_from(["L40S", ""])},
                    optional={
                        "memory-mib": scalars,
                        "compute-capability": st.sampled_from(["8.9", 8.9, "x", None]),
                        "pcie": st.sampled_from([None, {}, {"width": 16}, {"lanes": 1}]),
                    },
                ),
                max_size=1,
            ),
        ),
        "memory": st.dictionaries(st.sampled_from(["total-bytes", "available-bytes", "x"]), scalars, max_size=2),
        "read": st.dictionaries(
            st.sampled_from(["gpus", "x"]),
            st.fixed_dictionaries(
                {"how": st.just("nvidia-smi")},
                optional={
                    "when": st.sampled_from([None, "2026-12-31T08:30:00Z", "2026-12-31", "2026-12-31T08:30:00", 1])
                },
            ),
            max_size=1,
        ),
        "observed": st.dictionaries(
            st.sampled_from(["a", "B"]),
            st.fixed_dictionaries({"release": st.sampled_from(["0.5.9", "0.5"])}, optional={"kv-pool-gib": scalars}),
            max_size=1,
        ),
        "nonsense": scalars,
    },
)


@settings(max_examples=200, deadline=None)
@given(facts)
def test_facts_too(data):
    spec = HostSpec("h")
    read_facts(spec, written(data))
    assert accepted_by_schema("facts.schema.json", data) == (not spec.findings), spec.findings
    assert (spec.facts is not None) == (not spec.findings)
    if spec.facts is not None:
        dumped = Facts.model_validate(data).model_dump(mode="json", exclude_none=True)
        assert Facts.model_validate(dumped) == Facts.model_validate(data)


@pytest.mark.parametrize(
    ("data", "accepted"),
    [
        ({"a": {"release": "0.5.9", "flags": {"hicache-ratio": 4.0}}}, True),
        ({"a": {"release": "0.5.9", "flags": {"hicache-ratio": "four"}}}, False),
        ({"a": {"release": "0.5.9", "flags": {"attn-dp-size": 2}}}, False),
        ({"a": {"release": "0.5.23", "flags": {"attn-dp-size": 2}}}, True),
        ({"a": {"flags": {"attn-dp-size": 2}}}, True),  # nothing is known of its release
        ({"a": {"release": "0.5.9", "flags": {"hicache-ratio": None}}}, True),
        ({"a": {"release": "9.9.9"}}, False),
    ],
)
def test_flags_are_held_against_the_release_that_the_service_names(data, accepted):
    assert accepted_by_schema("host.schema.json", {"host": "h", "services": data}) is accepted


@pytest.mark.parametrize(("flag", "accepted"), [("attn-dp-size", False), ("hicache-size", True)])
@pytest.mark.parametrize("place", ["defaults", "service"])
def test_flags_are_held_against_the_release_of_the_defaults(flag, accepted, place):
    data = {"host": "h", "defaults": {"release": "0.5.9"}, "services": {"a": {}}}
    (data["defaults"] if place == "defaults" else data["services"]["a"])["flags"] = {flag: 1}
    assert accepted_by_schema("host.schema.json", data) is accepted
    data["services"]["a"] = {"release": "0.5.23", "flags": {"attn-dp-size": 1}}
    data["defaults"].pop("flags", None)
    assert accepted_by_schema("host.schema.json", data)  # its own release goes before that of the defaults
