"""Whatever a file holds, reading it ends with findings, never with an exception; and what is right stays right."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from sgfleet.findings import Severity
from sgfleet.source.problems import SourceError
from sgfleet.source.read import read_text
from sgfleet.spec.explained import explain
from sgfleet.spec.fleet_spec import FleetSpec, read_fleet
from sgfleet.spec.host_spec import HostSpec, read_facts, read_host
from spec.any_data import KEYS, data, service, shaped
from spec.repositories import names_of


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
