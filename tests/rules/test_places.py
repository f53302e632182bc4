"""Where findings point, and that each thing is said once."""

from __future__ import annotations

import pytest

from rules.checking import check

HEAD = "host: h\nservices:\n"
SERVICE = '    release: "0.5.9"\n    python: /opt/sglang/bin/python3\n'


def places(found, code):
    """What is underlined on which line, for the findings of one code."""
    return [
        (each.place.line, each.place.text[each.place.column - 1 : each.place.end_column - 1])
        for each in found
        if each.code == code
    ]


def test_a_default_port_points_at_the_service(tmp_path):
    text = HEAD
    for name in ("a", "b"):
        text += f"  {name}:\n    why: Both listen where nobody said.\n{SERVICE}    flags: {{model-path: /m}}\n"
    (said,) = [each for each in check(tmp_path, {"hosts/h/host.yaml": text}) if each.code == "HST001"]
    assert places([said], "HST001") == [(8, "b")]
    assert [(place.line, place.text.strip()) for place, _ in said.related] == [(3, "a:")]


@pytest.mark.parametrize(
    ("flag", "code", "marked"),
    [
        ("cuda-graph-bs: [1, x, 3]", "FLG009", "x"),
        ("lora-target-modules: [all, nope]", "FLG008", "nope"),
        ("nope: 1", "FLG001", "nope"),
    ],
)
def test_what_is_wrong_is_marked(flag, code, marked, tmp_path):
    text = HEAD + "  a:\n" + SERVICE + f"    flags:\n      model-path: /m\n      {flag}\n"
    found = check(tmp_path, {"hosts/h/host.yaml": text}, units=True)
    assert places(found, code) == [(8, marked)]
    assert places(found, "RND005") == []


def test_a_model_path_that_is_missing_is_said_once(tmp_path):
    text = HEAD + "  a:\n" + SERVICE
    files = {"hosts/h/host.yaml": text, "fleet.yaml": "policy: {required-flags: [model-path, served-model-name]}\n"}
    found = check(tmp_path, files)
    assert [each.code for each in found if "model-path" in each.message] == ["FLG012"]
    assert [each.message for each in found if each.code == "POL001"] == ["the policy requires served-model-name"]


def test_a_damaged_schema_is_said_once(tmp_path):
    files = {"hosts/h/host.yaml": HEAD + "  a:\n" + SERVICE, "schema/sglang/0.5.9.json": "<<<<"}
    codes = [each.code for each in check(tmp_path, files)]
    assert codes.count("SCH001") == 1
    assert "SRV001" not in codes


@pytest.mark.parametrize("value", ["-1", "0", "70000", "99999999999"])
def test_a_port_out_of_range_comes_with_one_that_is_not(value, tmp_path):
    text = HEAD + "  a:\n" + SERVICE + f"    flags: {{model-path: /m, port: {value}}}\n"
    (said,) = [each for each in check(tmp_path, {"hosts/h/host.yaml": text}) if each.code == "FLG014"]
    assert said.help == "write a port from 1 to 65535, such as 30000"
