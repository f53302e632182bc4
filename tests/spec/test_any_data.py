"""Whatever a file holds, reading it ends with findings, never with an exception; and what is right stays right."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from sgfleet.findings import Severity
from sgfleet.source.problems import SourceError
from sgfleet.source.read import read_text
from sgfleet.spec.expectation import Hint
from sgfleet.spec.explained import explain
from sgfleet.spec.facts import Facts
from sgfleet.spec.fleet import Fleet
from sgfleet.spec.fleet_spec import FleetSpec, read_fleet
from sgfleet.spec.host import Host
from sgfleet.spec.host_spec import HostSpec, read_facts, read_host
from sgfleet.spec.json_schema import models_in
from sgfleet.spec.service import Service
from spec.repositories import names_of

KEYS = sorted(
    {
        key
        for model in (Service, Facts, Fleet, Host)
        for part in models_in(Hint(model))
        for key in (field.alias or name for name, field in part.model_fields.items())
    }
    | {"tp-size", "tensor-parallel-size", "A", "a b", "FLG001", "", "\x1b[0m", "[key]", "str", "int", "x" * 300}
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**290), 10**290),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["all", "0.5.9", "/opt/python", "30s", "1GiB", "on-failure", "h", "9" * 41 + "s", "a\n"]),
)
data = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=4)), inner, max_size=4),
    ),
    max_leaves=12,
)
service = st.dictionaries(st.sampled_from(KEYS), data, max_size=6)
shaped = st.fixed_dictionaries(
    {
        "host": st.one_of(st.just("h"), data),
        "services": st.one_of(st.dictionaries(st.sampled_from(KEYS), service, max_size=2), data),
    },
    optional={"defaults": st.one_of(service, data)},
)


def document(value, path):
    """The value as a file, or None when it is none that the reader takes."""
    try:
        return read_text(json.dumps(value, ensure_ascii=True), path)
    except SourceError:
        return None


def fit(findings):
    for each in findings:
        assert each.message
        assert "\n" not in each.message
        assert each.place.line >= 1
        assert each.severity in Severity
        each.message.encode()
        (each.help or "").encode()
    places = [(each.place, each.route, each.code, each.message) for each in findings]
    assert len(places) == len(set(places))


@settings(max_examples=300, deadline=None)
@given(st.one_of(shaped, data), st.one_of(st.none(), st.fixed_dictionaries({"defaults": service}), data))
def test_hosts(host, fleet):
    fleet_document = None if fleet is None else document(fleet, "fleet.yaml")
    fleet_spec = FleetSpec() if fleet_document is None else read_fleet(fleet_document)
    fit(fleet_spec.findings)
    host_document = document(host, "hosts/h/host.yaml")
    if host_document is None:
        return
    spec = HostSpec("h")
    read_host(spec, host_document, fleet_spec, names_of)
    fit(spec.findings)
    written = host_document.data.get("services")
    if isinstance(written, dict):
        assert {*spec.services, *spec.unresolved} == set(written)
        if spec.unresolved:
            assert spec.findings or not fleet_spec.sound
    for resolved in spec.services.values():
        for key, value in explain(resolved, {}).items():
            for each in value.values() if isinstance(value, dict) else [value]:
                assert each.place is None or each.place.line >= 1, key


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.dictionaries(st.sampled_from(KEYS), data, max_size=6), data))
def test_facts(value):
    found = document(value, "hosts/h/facts.yaml")
    if found is not None:
        spec = HostSpec("h")
        read_facts(spec, found)
        fit(spec.findings)
        assert (spec.facts is None) == bool(spec.findings)
