"""The layout of a repository: what is there, what is missing, and what nobody may have meant."""

from __future__ import annotations

import os

import pytest

from spec.repositories import repository, said

HOST = 'host: {}\nservices:\n  a: {{release: "0.5.9", python: /opt/python}}\n'


def host(name):
    return {f"hosts/{name}/host.yaml": HOST.format(name)}


def test_a_repository_without_fleet_yaml_has_no_defaults_and_the_usual_policy(tmp_path):
    made = repository(tmp_path, host("h"))
    assert made.findings == []
    assert made.fleet.document is None
    assert made.fleet.policy.reserve.host_ram == 32 * 1024**3
    assert made.host_names == ("h",)
    assert list(made.host("h").services) == ["a"]


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        ({}, ["hosts SPC010 hosts/ is missing or empty | write hosts/<host>/host.yaml"]),
        (
            {"hosts/README.md": "", "hosts/.gitkeep": ""},
            ["hosts SPC010 hosts/ holds no folder of a host | write hosts/<host>/host.yaml"],
        ),
        (
            {**host("h"), "hosts/h.yaml": ""},
            ["hosts/h.yaml SPC014 hosts/h.yaml is not read by anything | a host is a folder with a host.yaml in it"],
        ),
        (
            {**host("h"), "fleet.yml": ""},
            ["fleet.yml SPC014 fleet.yml is not read by anything | rename it to fleet.yaml"],
        ),
        (
            {**host("h"), **host("Big_Host..")},
            [
                (
                    "hosts/Big_Host.. SPC012 'Big_Host..' is not a host name of lower-case letters, digits and dashes"
                    " | rename the folder to hosts/big-host"
                )
            ],
        ),
        (
            {**host("h"), **host("H")},
            [
                (
                    "hosts/H SPC015 hosts/H and hosts/h differ only by case"
                    " | remove one: many file systems take them for the same folder"
                )
            ],
        ),
        ({**host("h"), "fleet.yaml": "a: [\n"}, None),
    ],
)
def test_layout(tmp_path, files, lines):
    made = repository(tmp_path, files)
    if lines is None:
        assert [each.place.path for each in made.findings] == ["fleet.yaml"]
    else:
        assert said(made.findings) == lines


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        (
            {"hosts/h/facts.yaml": "format: 1\nhost: h\n"},
            ["hosts/h/host.yaml SPC011 hosts/h/ has no host.yaml | write hosts/h/host.yaml, or remove the folder"],
        ),
        ({"hosts/h/host.yml": ""}, ["hosts/h/host.yaml SPC011 hosts/h/ has no host.yaml | rename host.yml"]),
        (
            {**host("h"), "hosts/h/facts.yml": ""},
            ["hosts/h/facts.yml SPC014 hosts/h/facts.yml is not read by anything | rename it to facts.yaml"],
        ),
        (
            {**host("h"), "hosts/h/units/a": ""},
            [
                (
                    "hosts/h/units SPC014 hosts/h/units is not read by anything"
                    " | a host has host.yaml and facts.yaml; notes end in .md"
                )
            ],
        ),
        ({**host("h"), "hosts/h/NOTES.md": "", "hosts/h/.cache": ""}, []),
    ],
)
def test_a_hosts_folder(tmp_path, files, lines):
    assert said(repository(tmp_path, files).host("h").findings) == lines


def test_nothing_is_read_through_a_symbolic_link(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "host.yaml").write_text(HOST.format("h"))
    root = tmp_path / "root"
    made = repository(root, host("real"))
    (root / "hosts/linked").symlink_to(outside)
    (root / "hosts/half").mkdir()
    (root / "hosts/half/host.yaml").symlink_to(outside / "host.yaml")
    (root / "hosts/half/notes").symlink_to(outside)
    assert made.host_names == ("half", "real")
    assert [(each.code, each.place.path) for each in made.findings] == [("SRC016", "hosts/linked")]
    half = made.host("half")
    assert [(each.code, each.place.path) for each in half.findings] == [
        ("SRC016", "hosts/half/notes"),
        ("SRC016", "hosts/half/host.yaml"),
    ]
    assert half.document is None
    assert not half.services


@pytest.mark.parametrize("target", ["hosts", "fleet.yaml"])
def test_the_top_may_be_no_link_either(tmp_path, target):
    outside = tmp_path / "outside"
    repository(outside, {**host("h"), "fleet.yaml": "policy: {}\n"})
    root = tmp_path / "root"
    root.mkdir()
    for name in ("hosts", "fleet.yaml"):
        if name == target:
            (root / name).symlink_to(outside / name)
    made = repository(root, {} if target == "hosts" else host("h"))
    assert ("SRC016", target) in [(each.code, each.place.path) for each in made.findings]


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path):
    made = repository(tmp_path, {**host("h"), "hosts/h/facts.yaml": "format: 1\nhost: h\n"})
    (tmp_path / "hosts/h/host.yaml").unlink()
    os.mkfifo(tmp_path / "hosts/h/host.yaml")
    spec = made.host("h")
    assert [(each.code[:3], each.place.path) for each in spec.findings] == [("SRC", "hosts/h/host.yaml")]
    assert not spec.services
    assert spec.facts is not None


def test_a_mistake_in_fleet_yaml_is_said_once_and_services_are_still_looked_at(tmp_path):
    files = {f"hosts/h{number}/host.yaml": HOST.format(f"h{number}") for number in range(3)}
    files["hosts/h1/host.yaml"] = files["hosts/h1/host.yaml"].replace("/opt/python}", "/opt/python, gpu: [0]}")
    made = repository(tmp_path, {"fleet.yaml": "defaults: {usr: sglang}\n", **files})
    assert [each.code for each in made.findings] == ["SPC001"]
    specs = list(made.hosts())
    assert [spec.unresolved for spec in specs] == [("a",)] * 3
    assert [[each.code for each in spec.findings] for spec in specs] == [[], ["SPC001"], []]


def test_a_mistake_in_the_policy_stops_no_service(tmp_path):
    made = repository(tmp_path, {"fleet.yaml": "policy: {reserve: {host-ram: 1}}\n", **host("h")})
    assert [each.code for each in made.findings] == ["SPC003"]
    assert list(made.host("h").services) == ["a"]


def test_an_unreadable_fleet_yaml_leaves_services_unresolved(tmp_path):
    made = repository(tmp_path, {"fleet.yaml": "defaults: [\n", **host("h")})
    assert not made.fleet.sound
    assert made.host("h").unresolved == ("a",)


def test_one_wrong_service_does_not_hide_the_others(tmp_path):
    text = HOST.format("h") + '  b: {release: 0.5, python: /p}\n  c:\n  d: {release: "0.5.9", python: /p}\n'
    spec = repository(tmp_path, {"hosts/h/host.yaml": text}).host("h")
    assert list(spec.services) == ["a", "d"]
    assert spec.unresolved == ("b", "c")


def test_facts_of_another_host_are_none_of_this_one(tmp_path):
    files = {**host("h"), "hosts/h/facts.yaml": "format: 1\nhost: g\n"}
    spec = repository(tmp_path, files).host("h")
    assert [each.code for each in spec.findings] == ["SPC013"]
    assert spec.facts is None
    assert spec.facts_document is not None


def test_a_hidden_folder_is_said(tmp_path):
    files = {**host("h"), "hosts/.old/host.yaml": "host: old\n", "hosts/h/.cache/x": "", "hosts/.gitkeep": ""}
    made = repository(tmp_path, files)
    found = [*made.findings, *made.host("h").findings]
    assert [(each.code, each.severity, each.place.path) for each in found] == [
        ("SPC014", "note", "hosts/.old"),
        ("SPC014", "note", "hosts/h/.cache"),
    ]
