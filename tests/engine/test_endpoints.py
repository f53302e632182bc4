"""The committed endpoints: each release has them, and they say what the gate goes by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sgfleet.engine import endpoints, store

ROOT = Path(__file__).parents[2]
ALL = {version: endpoints.load(version) for version in store.available()}


def test_every_release_with_flags_has_endpoints():
    text = (ROOT / store.FOLDER / endpoints.FILE).read_text()
    assert list(endpoints.decode(text)) == store.available(ROOT)
    assert endpoints.encode(endpoints.decode(text).values()) == text


def first(condition):
    return next(version for version, each in ALL.items() if condition(each))


@pytest.mark.parametrize(
    ("version", "condition"),
    [
        ("0.4.10.post2", lambda each: each.health["/health"].generates),
        ("0.4.10.post2", lambda each: each.health["/health"].loading == 503),
        ("0.4.3.post3", lambda each: each.health["/health_generate"].timeout_seconds == 20),
        ("0.5.6", lambda each: each.switches),
        ("0.5.6", lambda each: each.has("/server_info")),
        ("0.5.20", lambda each: each.has("/ready")),
        ("0.4.3.post3", lambda each: each.info.states == "flat"),
        ("0.4.6.post4", lambda each: each.info.states == "list"),
        ("0.4.9", lambda each: "token_capacity" in each.info.memory),
        ("0.5.8", lambda each: "effective_max_running_requests_per_dp" in each.info.state_fields),
    ],
)
def test_what_came_when(version, condition):
    assert first(condition) == version
    later = list(ALL)[list(ALL).index(version) :]
    if condition(ALL["0.5.23"]):
        assert all(condition(ALL[each]) for each in later)


def test_every_release_can_be_asked_for_a_generation_and_for_its_capacity():
    for each in ALL.values():
        assert "POST" in each.methods["/generate"]
        assert "POST" in each.methods["/encode"]
        assert each.health[each.health_path].generates
        assert "GET" in each.methods[each.info_path]
        assert "GET" in each.methods[each.model_path]
        assert {"version", "max_total_num_tokens"} <= set(each.info.fields)


@pytest.mark.parametrize(
    ("version", "path", "environment", "static"),
    [
        ("0.4.9", "/health", {}, True),
        ("0.4.9", "/health_generate", {}, False),
        ("0.5.9", "/health", {}, False),
        ("0.5.9", "/health", {"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION": "0"}, True),
        ("0.5.9", "/health", {"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION": "False"}, True),
        ("0.5.9", "/health", {"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION": "1"}, False),
        ("0.5.9", "/health", {"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION": "perhaps"}, False),
        ("0.5.9", "/health_generate", {"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION": "0"}, False),
        ("0.5.5.post3", "/health", {"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION": "0"}, False),
        ("0.5.23", "/health_generate", {"SGLANG_DIAG_BYPASS_HEALTH_GENERATE": "1"}, True),
    ],
)
def test_static_health(version, path, environment, static):
    assert ALL[version].is_static(path, environment) is static


def test_a_release_of_the_future_is_not_known():
    with pytest.raises(endpoints.UnknownEndpointsError, match=r"sgfleet schema add 9\.9\.9"):
        endpoints.load("9.9.9")


def test_the_repository_comes_before_the_installation(tmp_path):
    folder = tmp_path / store.FOLDER
    folder.mkdir(parents=True)
    assert endpoints.write(folder, [ALL["0.5.9"]])
    assert not endpoints.write(folder, [ALL["0.5.9"]])
    assert endpoints.write(folder, [ALL["0.4.9"]])
    assert list(endpoints.decode((folder / endpoints.FILE).read_text())) == ["0.4.9", "0.5.9"]
    assert endpoints.load("0.5.9", tmp_path) == ALL["0.5.9"]
    assert endpoints.load("0.5.23", tmp_path) == ALL["0.5.23"], "the rest is the installation's"


HEALTHLESS = {
    "format": 1,
    "servers": [
        {
            "releases": ["0.5.9"],
            "methods": {},
            "health": {},
            "switches": [],
            "info": {"fields": [], "states": "none", "state_fields": [], "memory": []},
        }
    ],
}
DAMAGED = [
    "",
    "[]",
    "{}",
    '{"format": 2}',
    '{"format": 1}',
    '{"format": 1, "servers": 3}',
    '{"format": 1, "servers": [0]}',
    '{"format": 1, "servers": [{}]}',
    json.dumps(HEALTHLESS),
    "[" * 100_000,
]


@pytest.mark.parametrize("text", DAMAGED)
def test_damaged_files_are_said(tmp_path, text):
    with pytest.raises(endpoints.EndpointsFormatError):
        endpoints.decode(text)
    folder = tmp_path / store.FOLDER
    folder.mkdir(parents=True)
    (folder / endpoints.FILE).write_text(text)
    with pytest.raises(endpoints.EndpointsFormatError):
        endpoints.write(folder, [ALL["0.5.9"]])
    with pytest.raises(endpoints.UnknownEndpointsError, match=r"endpoints\.json: "):
        endpoints.load("9.9.9", tmp_path)


def test_a_file_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / endpoints.FILE).mkdir()
    with pytest.raises(endpoints.EndpointsFormatError, match="a folder in the place of a file"):
        endpoints.write(tmp_path, [])
    (tmp_path / endpoints.FILE).rmdir()
    (tmp_path / endpoints.FILE).write_bytes(b"\xff")
    with pytest.raises(endpoints.EndpointsFormatError, match="cannot be read"):
        endpoints.write(tmp_path, [])
