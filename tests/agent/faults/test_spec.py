"""What the spec can lack, and what somebody did on the host: nothing that runs is touched without being told to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agent.faults.soundness import UNITS, assert_sound, shown
from support.agent_host import HOST, SERVICE, UNIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent.faults.tally import Tally
    from support.agent_host import AgentHost

SPEC, RENDERED = f"hosts/{HOST}/host.yaml", f"units/{HOST}/{UNIT}"


def _without(files: dict[str, Any], path: str) -> dict[str, Any]:
    return {each: text for each, text in files.items() if each != path}


UNUSABLE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "its folder is missing": lambda files: {"hosts/other/host.yaml": '{"host": "other", "services": {}}'},
    "hosts/ is empty": lambda files: {"README.md": "x"},
    "its spec is empty": lambda files: {**files, SPEC: ""},
    "its spec is no YAML": lambda files: {**files, SPEC: "{["},
    "its spec has no service any more": lambda files: {SPEC: '{"host": "box-01", "services": {}}'},
    "its spec is of another host": lambda files: {**files, SPEC: files[SPEC].replace(HOST, "box-02")},
    "its rendered unit is missing": lambda files: _without(files, RENDERED),
    "its rendered unit is empty": lambda files: {**files, RENDERED: ""},
    "its rendered unit was edited": lambda files: {**files, RENDERED: files[RENDERED] + "# by hand\n"},
    "its rendered unit is of another host": lambda files: {
        **files,
        RENDERED: files[RENDERED].replace(f"X-Sgfleet-Host={HOST}", "X-Sgfleet-Host=box-02"),
    },
    "its rendered unit is of a newer sgfleet": lambda files: {
        **files,
        RENDERED: files[RENDERED].replace("X-Sgfleet-Format=", "X-Sgfleet-Format=9"),
    },
    "facts of models are damaged": lambda files: {**files, "schema/models/example--Model-7B.json": "{"},
    "its spec names an unknown flag": lambda files: {**files, SPEC: files[SPEC].replace('"port"', '"no-such-flag"')},
}


@pytest.mark.faults
@pytest.mark.parametrize("what", UNUSABLE)
def test_a_commit_that_says_nothing_usable(running: AgentHost, tally: Tally, what: str) -> None:
    before = running.runs()
    running.origin.commit(UNUSABLE[what](running.files({"log-level": "error"})))
    found = running.settle()
    assert found.code == 20, found.lines
    assert running.runs() == before
    assert_sound(running)
    running.push({"log-level": "warning"})
    assert running.settle().code == 0
    assert_sound(running, "warning")
    tally.count(what, "blocked; what runs is not touched")


@pytest.mark.faults
@pytest.mark.parametrize("path", [SPEC, RENDERED, f"hosts/{HOST}", "hosts", "units"])
def test_a_link_out_of_the_tree(running: AgentHost, tally: Tally, path: str) -> None:
    before = running.runs()
    files = running.files({"log-level": "error"})
    outside = running.folder / "outside"
    for each, text in files.items():
        (outside / each).parent.mkdir(parents=True, exist_ok=True)
        (outside / each).write_text(text)
    kept = {each: text for each, text in files.items() if each != path and not each.startswith(f"{path}/")}
    tree = running.origin.tree({**kept, path: str(outside / path)}, {path: "120000"})
    running.origin.commit(tree)
    found = running.settle()
    assert found.code == 20, found.lines
    assert running.runs() == before
    assert_sound(running)
    tally.count("a link out of the repository", "blocked; what runs is not touched")


def test_a_unit_of_somebody_else_is_left(host: AgentHost) -> None:
    text = "[Service]\nExecStart=/bin/sleep infinity\n"
    host.systemd.install(UNIT, text)
    host.systemd.start(UNIT)
    before = host.runs()
    host.push()
    found = host.settle()
    assert found.code == 20, found.lines
    assert (host.file(), host.runs()) == (text, before)
    host.systemd.remove(UNIT)
    assert host.settle().code == 0
    assert_sound(host)


@pytest.mark.parametrize("target", ["/dev/null", "/etc/passwd"])
def test_a_link_in_the_units_place_is_left(host: AgentHost, target: str) -> None:
    path = host.systemd.path(f"{UNITS}/{UNIT}")
    path.symlink_to(target)
    host.push()
    assert host.settle().code == 20
    assert str(path.readlink()) == target
    path.unlink()
    host.systemd.run("systemctl", "daemon-reload")
    assert host.settle().code == 0
    assert_sound(host)


def test_a_drop_in_is_told_and_left(running: AgentHost) -> None:
    before = running.runs()
    drop_in = running.systemd.install(f"{UNIT}.d/more.conf", "[Service]\nLimitNOFILE=9999\n")
    running.push({"log-level": "error"})
    found = running.settle()
    assert found.code == 20, found.lines
    assert "more.conf" in " ".join(found.lines)
    assert running.runs() == before
    assert drop_in.exists()
    drop_in.unlink()
    drop_in.parent.rmdir()
    running.systemd.run("systemctl", "daemon-reload")
    assert running.settle().code == 0
    assert_sound(running, "error")


@pytest.mark.parametrize("drift", ["refuse", "report", "correct"])
def test_a_unit_that_was_edited_on_the_host(running: AgentHost, drift: str) -> None:
    running.configure(apply=f'drift = "{drift}"')
    before, edited = running.runs(), running.file().replace("RestartSec=1", "RestartSec=7")
    assert edited != running.file()
    running.systemd.install(UNIT, edited)
    found = running.settle()
    if drift == "correct":
        assert found.code == 0, found.lines
        assert_sound(running)
        assert [path.read_text() for path in (running.state / "aside").iterdir()] == [edited]
        return
    assert found.code == (20 if drift == "refuse" else 0), found.lines
    assert shown(running)["reason"]["code"] == "drift"
    assert (running.file(), running.runs()) == (edited, before)
    running.push({"log-level": "error"})
    found = running.settle()
    if drift == "report":
        assert found.code == 0, found.lines
        assert_sound(running, "error")
        assert [path.read_text() for path in (running.state / "aside").iterdir()] == [edited]
    else:
        assert found.code == 20, found.lines
        assert (running.file(), running.runs()) == (edited, before)


def test_a_unit_file_that_was_removed_on_the_host(running: AgentHost) -> None:
    running.systemd.path(f"{UNITS}/{UNIT}").unlink()
    running.systemd.run("systemctl", "daemon-reload")
    assert running.settle().code == 20
    running.configure(apply='drift = "correct"')
    assert running.settle().code == 0
    assert_sound(running)


def test_a_service_that_was_stopped_on_the_host_is_not_started(running: AgentHost) -> None:
    running.systemd.run("systemctl", "stop", UNIT)
    found = running.settle()
    assert found.code == 40, found.lines
    assert shown(running)["reason"]["code"] in {"stopped", "failed"}  # by how the engine ends itself
    assert running.runs()["ActiveState"] != "active"
    assert SERVICE in " ".join(found.lines)
