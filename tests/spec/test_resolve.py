"""A service put together from three files, and the way back from each value to its line."""

from __future__ import annotations

import pytest

from spec.repositories import names_of, repository

FLEET = """\
defaults:
  user: sglang
  flags:
    tp-size: 1
    port: 30000
    enable-metrics: true
  environment: {A: fleet, B: fleet}
  unit: {restart-sec: 10s, nice: 5}
"""
HOST = """\
host: h
defaults:
  release: "0.5.9"
  python: /opt/python
  flags:
    tensor-parallel-size: 4
    enable-metrics: null
  environment: {B: host}
services:
  a:
    flags:
      http-port: 1
      json-model-override-args: {x: [1, 2]}
    unit: {nice: null, after: [x.target, y.target]}
    gpus: [0, 1]
    waive: [{code: FLG001, reason: known for long enough}]
  b: {}
"""


@pytest.fixture
def services(tmp_path):
    made = repository(tmp_path, {"fleet.yaml": FLEET, "hosts/h/host.yaml": HOST}, names_of)
    assert made.findings == []
    host = made.host("h")
    assert host.findings == []
    return host.services


def test_the_nearest_layer_wins_and_names_stay_as_written(services):
    service = services["a"].service
    assert service.flags == {"tensor-parallel-size": 4, "http-port": 1, "json-model-override-args": {"x": [1, 2]}}
    assert service.environment == {"A": "fleet", "B": "host"}
    assert (service.unit.restart_sec, service.unit.nice) == (10, None)
    assert (service.user, service.release, service.python) == ("sglang", "0.5.9", "/opt/python")
    assert services["b"].service.flags == {"tensor-parallel-size": 4, "port": 30000}


@pytest.mark.parametrize(
    ("service", "route", "where"),
    [
        ("a", ("flags", "http-port"), "hosts/h/host.yaml:12:18"),
        ("a", ("flags", "port"), "hosts/h/host.yaml:12:18"),
        ("b", ("flags", "port"), "fleet.yaml:5:11"),
        ("a", ("flags", "tp-size"), "hosts/h/host.yaml:6:27"),
        ("a", ("flags", "json-model-override-args", "x", 1), "hosts/h/host.yaml:13:41"),
        ("a", ("environment", "A"), "fleet.yaml:7:20"),
        ("a", ("environment", "B"), "hosts/h/host.yaml:8:20"),
        ("a", ("unit", "restart-sec"), "fleet.yaml:8:23"),
        ("a", ("unit", "after", 1), "hosts/h/host.yaml:14:42"),
        ("a", ("release",), "hosts/h/host.yaml:3:12"),
        ("a", ("gpus", 1), "hosts/h/host.yaml:15:15"),
        ("a", ("waive", 0, "code"), "hosts/h/host.yaml:16:20"),
    ],
)
def test_where_a_value_comes_from(services, service, route, where):
    place, inside = services[service].locate(route)
    assert str(place) == where
    origin = services[service].origin(route)
    assert inside == origin.route
    assert origin.document.path == place.path


@pytest.mark.parametrize(
    "route",
    [("unit", "nice"), ("flags", "enable-metrics"), ("unit", "type"), ("group",), ("flags", "nothing"), ("gpus", 7)],
)
def test_what_is_removed_or_a_default_comes_from_nowhere(services, route):
    assert services["a"].origin(route) is None


@pytest.mark.parametrize(
    ("route", "where"),
    [
        (("unit", "type"), "hosts/h/host.yaml:14:5"),  # `unit:` of the service
        (("flags", "nothing"), "hosts/h/host.yaml:11:5"),
        (("gpus", 7), "hosts/h/host.yaml:15:5"),
        (("group",), "hosts/h/host.yaml:10:3"),  # the service itself
        ((), "hosts/h/host.yaml:10:3"),
        (("start", "budget"), "hosts/h/host.yaml:10:3"),
    ],
)
def test_what_is_not_there_is_placed_at_the_nearest_thing_above(services, route, where):
    assert str(services["a"].locate(route)[0]) == where


def test_two_names_in_one_layer_both_stay(tmp_path):
    text = 'host: h\nservices:\n  a: {release: "0.5.9", python: /p, flags: {tp-size: 1, tensor-parallel-size: 2}}\n'
    host = repository(tmp_path, {"hosts/h/host.yaml": text}, names_of).host("h")
    assert host.services["a"].service.flags == {"tp-size": 1, "tensor-parallel-size": 2}


def test_names_are_those_of_the_release_that_the_service_has(tmp_path):
    text = (
        "host: h\ndefaults: {python: /p, flags: {tp-size: 1}}\n"
        'services:\n  old: {release: "9.9.9", flags: {tensor-parallel-size: 2}}\n'
        '  new: {release: "0.5.9", flags: {tensor-parallel-size: 2}}\n'
    )
    host = repository(tmp_path, {"hosts/h/host.yaml": text}, names_of).host("h")
    assert host.services["old"].service.flags == {"tp-size": 1, "tensor-parallel-size": 2}
    assert host.services["new"].service.flags == {"tensor-parallel-size": 2}


def test_a_host_places_routes_of_its_services_where_they_were_written(tmp_path):
    host = repository(tmp_path, {"fleet.yaml": FLEET, "hosts/h/host.yaml": HOST}, names_of).host("h")
    assert str(host.locate(("services", "b", "flags", "port"))[0]) == "fleet.yaml:5:11"
    assert str(host.locate(("services", "b"), "key")[0]) == "hosts/h/host.yaml:17:3"
    assert str(host.locate(("host",))[0]) == "hosts/h/host.yaml:1:7"
