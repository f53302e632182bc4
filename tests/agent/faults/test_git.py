"""What the remote can do while a service runs: the host stays sound, and takes what it may take."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from agent.faults.soundness import assert_sound, starts
from support.agent_host import HOST, SERVICE
from support.signing import SshSigner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.agent_host import AgentHost

OTHER = {"log-level": "error"}


def _signed(host: AgentHost, tmp_path: Path) -> tuple[SshSigner, SshSigner]:
    """The host takes commits of the first alone; what the first signed runs."""
    signer, stranger = SshSigner.make(tmp_path / "keys", "one"), SshSigner.make(tmp_path / "keys", "stranger")
    allowed = host.folder / "allowed_signers"
    allowed.write_text(signer.allowed())
    allowed.chmod(0o600)
    host.configure(trust=f'allowed-signers = "{allowed}"')
    host.push(signer=signer)
    assert host.settle().code == 0
    return signer, stranger


def _assert_untouched(host: AgentHost, before: dict[str, str], word: str) -> None:
    found = host.settle()
    assert found.code == 20, found.lines
    assert word in " ".join(found.lines)
    assert host.runs() == before
    assert_sound(host)


def _assert_untouched_by(host: AgentHost, push: Callable[[], object], state: str) -> None:
    """The branch went where it may not go; the commit in the unit tells it even where the state was lost."""
    before = host.file(), host.runs()
    push()
    if state == "lost":
        shutil.rmtree(host.state)
    found = host.settle()
    assert found.code == 20, found.lines
    assert "descend" in " ".join(found.lines)
    assert (host.file(), host.runs()) == before


def test_the_remote_is_down(running: AgentHost) -> None:
    before, away = running.runs(), running.folder / "away.git"
    running.push(OTHER)
    running.origin.path.rename(away)
    _assert_untouched(running, before, "repository")
    away.rename(running.origin.path)
    assert running.settle().code == 0
    assert_sound(running, "error")


def test_the_remote_goes_down_during_a_change(running: AgentHost) -> None:
    running.push(OTHER)
    assert running.tick(kill_at=11).code == -9
    running.origin.path.rename(running.folder / "away.git")
    assert running.settle().code == 20
    assert_sound(running, "error")


def test_the_branch_is_gone(running: AgentHost) -> None:
    before, head = running.runs(), running.origin.git("rev-parse", "refs/heads/main")
    running.origin.git("update-ref", "-d", "refs/heads/main")
    _assert_untouched(running, before, "main")
    running.origin.point(head)
    assert running.settle().code == 0


@pytest.mark.parametrize("state", ["kept", "lost"])
def test_a_forced_push(running: AgentHost, state: str) -> None:
    first = running.origin.git("rev-parse", "refs/heads/main")
    running.push(OTHER)
    assert running.settle().code == 0
    _assert_untouched_by(running, lambda: running.origin.point(first), state)


@pytest.mark.parametrize("state", ["kept", "lost"])
def test_another_history(running: AgentHost, state: str) -> None:
    _assert_untouched_by(running, lambda: running.origin.commit(running.files(OTHER), parents=[]), state)


@pytest.mark.faults
@pytest.mark.parametrize("damage", ["pack", "empty-pack", "head", "objects", "lock", "config"])
def test_a_damaged_mirror(running: AgentHost, damage: str) -> None:
    mirror = running.state / "repository.git"
    packs = list((mirror / "objects").rglob("*.pack")) + [p for p in (mirror / "objects").rglob("??/*") if p.is_file()]
    match damage:
        case "pack" | "empty-pack":
            assert packs
            for pack in packs:
                pack.chmod(0o600)
                pack.write_bytes(b"" if damage == "empty-pack" else pack.read_bytes()[:-30] + b"\0" * 30)
        case "head":
            (mirror / "HEAD").unlink()
        case "objects":
            shutil.rmtree(mirror / "objects")
        case "lock":
            (mirror / "shallow.lock").touch()
            (mirror / "HEAD.lock").touch()
        case _:
            (mirror / "config").write_text("[core\n")
    running.push(OTHER)
    found = running.settle()
    assert found.code == 0, found.lines
    assert_sound(running, "error")


@pytest.mark.parametrize("by", ["nobody", "a stranger"])
def test_not_signed_by_whom_it_must_be(host: AgentHost, tmp_path: Path, by: str) -> None:
    signer, stranger = _signed(host, tmp_path)
    before, head = host.runs(), host.origin.git("rev-parse", "refs/heads/main")
    host.push(OTHER, signer=stranger if by == "a stranger" else None)
    _assert_untouched(host, before, "sign")
    host.push({"log-level": "warning"}, signer=signer)  # a signed head does not vouch for what lies between
    _assert_untouched(host, before, "sign")
    host.origin.point(head)
    assert host.settle().code == 0
    assert host.runs() == before
    host.push(OTHER, signer=signer)
    assert host.settle().code == 0
    assert_sound(host, "error")


def test_a_bad_change_and_its_revert_restart_once_each(running: AgentHost) -> None:
    good = running.record()["verified"]
    running.push({"model-path": running.other_model(fault="exit")})
    assert running.settle().code == 30
    after = running.runs()
    assert starts(running) == 3  # the first, the bad one, the first again
    running.push()
    assert running.settle().code == 0
    assert (running.record()["verified"], running.runs(), starts(running)) == (good, after, 3)
    assert_sound(running)


def test_a_bad_change_is_tried_once(running: AgentHost) -> None:
    running.push({"model-path": running.other_model(fault="exit")})
    assert running.settle().code == 30
    for _ in range(3):
        again = running.tick()
        assert (again.code, again.touches) == (30, [])
    assert starts(running) == 3
    running.origin.commit({**running.files({"model-path": str(running.folder / "other")}), "README.md": "Other words."})
    assert running.settle().code == 30  # another commit, the same unit
    assert starts(running) == 3


def test_what_failed_is_not_taken_for_applied_when_the_memory_is_lost(running: AgentHost) -> None:
    good = running.record()["verified"]
    running.push({"model-path": running.other_model(fault="exit")})
    assert running.settle().code == 30
    shutil.rmtree(running.state)
    assert running.settle().code == 30
    assert running.record()["verified"] == good
    assert_sound(running)


def test_the_same_unit_in_another_commit_restarts_nothing(running: AgentHost) -> None:
    before = running.runs()
    files = running.files()
    path = f"hosts/{HOST}/host.yaml"
    running.origin.commit({**files, path: f"# Other words.\n{files[path]}", "README.md": "x"})
    assert running.settle().code == 0
    assert running.runs() == before


def test_a_newer_commit_does_not_wait_behind_a_load(running: AgentHost) -> None:
    running.push({"model-path": running.other_model(fault="never-bind", load_seconds=60, hold_mib=64)})
    assert running.tick(1.5).code == 10
    running.push(OTHER)
    found = running.settle()
    assert found.code == 0, found.lines
    assert running.record()["quarantine"] == []
    assert_sound(running, "error")


def test_a_commit_that_is_taken_back_before_it_was_installed(running: AgentHost) -> None:
    before = running.record()["verified"]
    running.push(OTHER)
    assert running.tick(kill_at=8).code == -9
    running.push()
    assert running.settle().code == 0
    assert running.record()["verified"] == before
    assert_sound(running)


def test_many_commits_between_two_passes(running: AgentHost) -> None:
    for number in range(20):
        running.push({"served-model-name": f"m{number}"})
    assert running.settle().code == 0
    assert starts(running) == 2
    assert_sound(running, "m19")


@pytest.mark.faults
def test_one_bad_service_among_many(host: AgentHost) -> None:
    from render.hosts import write_host
    from sgfleet.engine.store import load
    from sgfleet.render.host import render_host
    from sgfleet.source.tree import WorkTree
    from sgfleet.spec.repository import Repository
    from support.stand_in.running import free_port

    bad = host.other_model(fault="exit")
    data: dict[str, Any] = {"host": HOST, "services": {}}
    spec = json.loads(host.files()[f"hosts/{HOST}/host.yaml"])["services"][SERVICE]
    names = [f"sglang-{letter}" for letter in "abcde"]
    for name in names:
        flags = {**spec["flags"], "port": free_port(), **({"model-path": bad} if name.endswith("c") else {})}
        data["services"][name] = {**spec, "flags": flags}
    write_host(host.scratch, json.dumps(data))
    units = render_host(Repository(WorkTree(host.scratch)).host(HOST), load).units
    assert len(units) == len(names)
    files = {f"units/{HOST}/{name.removesuffix('.service')}.service": text for name, text in units.items()}
    host.origin.commit({f"hosts/{HOST}/host.yaml": json.dumps(data), **files})
    try:
        found = host.settle(patience=30)
        assert found.code == 30, found.lines
        words = {name: each["shown"]["word"] for name, each in host.remembered()["services"].items()}
        assert words == {name: "rolled-back" if name.endswith("c") else "steady" for name in names}
    finally:
        for name in names[1:]:
            host.systemd.run("systemctl", "disable", f"{name}.service", check=False)
            host.systemd.remove(f"{name}.service")
