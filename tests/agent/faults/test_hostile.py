"""What a repository that somebody took over may ask for: nothing gets past the host's own limits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agent.faults.soundness import UNITS, assert_sound
from render.hosts import render_text
from sgfleet.agent.store import Store
from support.agent_host import HOST, SERVICE, UNIT

if TYPE_CHECKING:
    from agent.faults.tally import Tally
    from support.agent_host import AgentHost

LINES = "x\nExecStartPre=/usr/bin/touch /var/lib/owned\n[Service]\nUser=root"
BEYOND: dict[str, dict[str, Any]] = {
    "another interpreter": {"python": "/usr/bin/env"},
    "an interpreter on a way out": {"python": "{folder}/env/../../../../usr/bin/python3"},
    "an interpreter that is a command": {"python": "/bin/sh -c 'touch /var/lib/owned'"},
    "root": {"user": "root"},
    "a user by number": {"user": "0"},
    "a user with a second line": {"user": LINES},
    "a model elsewhere": {"flags": {"model-path": "/etc"}},
    "a model on a way out": {"flags": {"model-path": "{folder}/model/../../.."}},
    "a draft model elsewhere": {"flags": {"speculative-draft-model-path": "/etc"}},
    "a tokenizer elsewhere": {"flags": {"tokenizer-path": "/root"}},
    "a port of somebody else": {"flags": {"port": 22}},
    "an environment file elsewhere": {"environment-files": ["/etc/shadow"]},
    "a second line in a flag": {"flags": {"served-model-name": LINES}},
    "a second line in the environment": {"environment": {"A": LINES}},
    "a second line in the name of a variable": {"environment": {"A\nExecStartPre": "x"}},
    "a library to load first": {"environment": {"LD_PRELOAD": "/var/lib/evil.so"}},
    "modules of its own": {"environment": {"PYTHONPATH": "/var/lib/evil"}},
    "code of its own": {"flags": {"trust-remote-code": True}},
    "a second line in why": {"why": LINES},
    "a second line in a dependency": {"unit": {"after": [LINES]}},
}
LIMITS = """
services = ["sglang-*"]
executables = ["{folder}/env/bin/python3"]
models = ["{folder}/model", "{folder}/other"]
environment-files = []
ports = [1024, 65535]
"""
TAME = {"code of its own", "a second line in why", "a second line in a flag", "a second line in the environment"}
"""They are values of an allowed program, run by an allowed user: they may pass, and never as lines of the unit."""


def _filled(value: Any, host: AgentHost) -> Any:
    if isinstance(value, str):
        return value.replace("{folder}", str(host.folder))
    if isinstance(value, dict):
        return {key: _filled(each, host) for key, each in value.items()}
    return [_filled(each, host) for each in value] if isinstance(value, list) else value


def _limit(host: AgentHost) -> None:
    host.configure(limits=LIMITS.format(folder=host.folder))
    text = host.config.read_text().replace("users = ['root']", 'users = ["nobody"]')
    host.config.write_text(text)


def _taken(host: AgentHost) -> str:
    """The unit that the repository asks for, as far as it may ask."""
    services = host.remembered()["services"]
    return str(services[SERVICE]["wanted"]["unit"]) if SERVICE in services else ""


def test_within_the_limits(host: AgentHost) -> None:
    """What the others differ from is taken: so it is their difference that is refused."""
    _limit(host)
    spec = _spec(host, {})
    host.origin.commit({f"hosts/{HOST}/host.yaml": spec, f"units/{HOST}/{UNIT}": render_text(host.scratch, spec)})
    found = host.tick()
    assert _taken(host), found.lines


def _assert_nothing_happened(host: AgentHost, what: str) -> None:
    found = host.settle()
    assert found.code == 20, found.lines
    assert not _taken(host)
    assert host.file() == ""
    assert not list(host.systemd.path(UNITS).glob(f"*{SERVICE}*")), what
    assert not host.systemd.path("/var/lib/owned").exists()


def _spec(host: AgentHost, service: dict[str, Any]) -> str:
    spec = json.loads(host.files()[f"hosts/{HOST}/host.yaml"])
    mine = spec["services"][SERVICE]
    flags = {**mine["flags"], **service.get("flags", {})}
    spec["services"] = {SERVICE: {**mine, "user": "nobody", **service, "flags": flags}}
    return json.dumps(spec)


@pytest.mark.faults
@pytest.mark.parametrize("what", BEYOND)
def test_beyond_the_limits(host: AgentHost, tally: Tally, what: str) -> None:
    _limit(host)
    spec = _spec(host, _filled(BEYOND[what], host))
    try:
        unit = render_text(host.scratch, spec)
    except Exception:  # the spec itself is refused; then whoever took it over commits any unit
        unit = f"[Unit]\nX-Sgfleet-Host={HOST}\nX-Sgfleet-Service={SERVICE}\n[Service]\nExecStart=/bin/true\n"
    host.origin.commit({f"hosts/{HOST}/host.yaml": spec, f"units/{HOST}/{UNIT}": unit})
    if what not in TAME:
        _assert_nothing_happened(host, what)
        tally.count(what, "refused, nothing is installed")
        return
    host.tick()
    lines = (Store(host.state).unit(_taken(host)) or "").splitlines()
    assert "User=nobody" in lines
    assert not {"ExecStartPre=/usr/bin/touch /var/lib/owned", "User=root"} & set(lines)
    assert not host.systemd.path("/var/lib/owned").exists()
    tally.count(what, "a value at most, never a line of the unit")


@pytest.mark.faults
@pytest.mark.parametrize(
    "name", ["sshd", "../../etc/cron.d/x", "sglang-a/../../x", "-x", "sglang-a@b", ".x", "sglang-a\nx", "a" * 300, ""]
)
def test_names_of_services(host: AgentHost, tally: Tally, name: str) -> None:
    _limit(host)
    spec = json.loads(_spec(host, {}))
    spec["services"] = {name: spec["services"][SERVICE]}
    before = sorted(path.name for path in host.systemd.path(UNITS).iterdir())
    host.origin.commit({f"hosts/{HOST}/host.yaml": json.dumps(spec), f"units/{HOST}/x.service": "[Service]\n"})
    found = host.settle()
    assert found.code == 20, found.lines
    assert sorted(path.name for path in host.systemd.path(UNITS).iterdir()) == before
    tally.count("a service with a name that is not allowed", "refused, nothing is installed")


@pytest.mark.faults
@pytest.mark.parametrize("path", [f"hosts/{HOST}/host.yaml", "fleet.yaml", f"units/{HOST}/{UNIT}"])
@pytest.mark.parametrize("content", ["huge", "aliases", "deep", "bytes"])
def test_files_that_are_too_much(host: AgentHost, tally: Tally, path: str, content: str) -> None:
    text = {
        "huge": b"x" * (64 * 2**20),
        "aliases": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 9)) for n in range(98, 115)),
        "deep": b"[" * 100_000,
        "bytes": bytes(range(256)) * 4,
    }[content]
    host.origin.commit({**host.files(), path: text})
    found = host.settle()
    assert found.code == 20, found.lines
    assert host.file() == ""
    tally.count("a file that is too large, too deep, or no text", "refused, nothing is installed")


@pytest.mark.parametrize("update", ["!touch /var/lib/owned", "checkout"])
def test_submodules_attributes_and_hooks_are_not_followed(host: AgentHost, update: str) -> None:
    """They do nothing, and the service beside them is applied; what Git itself takes for an attack is refused."""
    files = {
        **host.files(),
        ".gitattributes": "* filter=evil text eol=crlf ident export-subst\n",
        ".gitmodules": f'[submodule "x"]\n\tpath = x\n\turl = ext::touch /var/lib/owned\n\tupdate = {update}\n',
        ".githooks/post-checkout": "#!/bin/sh\ntouch /var/lib/owned\n",
        ".git-blame-ignore-revs": "$Id$",
        "hooks/post-merge": "#!/bin/sh\ntouch /var/lib/owned\n",
    }
    tree = host.origin.git("ls-tree", host.origin.tree(files))
    link = "160000 commit 1234567890123456789012345678901234567890\tx"
    host.origin.commit(host.origin.git("mktree", "--missing", stdin=f"{tree}\n{link}\n".encode()))
    found = host.settle()
    assert not host.systemd.path("/var/lib/owned").exists()
    if update.startswith("!"):
        assert (found.code, host.file()) == (20, ""), found.lines
        return
    assert found.code == 0, found.lines
    assert_sound(host)


@pytest.mark.parametrize("path", ["/etc/passwd", "../../../../etc/passwd", ".git/hooks/x"])
def test_a_host_s_files_by_links(host: AgentHost, tally: Tally, path: str) -> None:
    files = {**host.files(), f"hosts/{HOST}/facts.json": path}
    tree = host.origin.tree(files, {f"hosts/{HOST}/facts.json": "120000"})
    host.origin.commit(tree)
    found = host.settle()
    assert found.code == 20, found.lines
    assert "root:x" not in " ".join(found.lines)
    assert host.file() == ""
    tally.count("a link to a file of the host", "refused, and nothing of it is shown")


def test_a_unit_beside_the_spec_is_nobodys(host: AgentHost) -> None:
    evil = "[Service]\nExecStart=/usr/bin/touch /var/lib/owned\n[Install]\nWantedBy=multi-user.target\n"
    drop_in = {f"units/{HOST}/{UNIT}.d/x.conf": "[Service]\nExecStartPre=/usr/bin/touch /var/lib/owned\n"}
    host.origin.commit({**host.files(), f"units/{HOST}/sshd.service": evil, **drop_in})
    found = host.settle()
    assert found.code in {0, 20}, found.lines
    assert not host.systemd.path(f"{UNITS}/sshd.service").exists()
    assert not host.systemd.path(f"{UNITS}/{UNIT}.d").exists()
    assert not host.systemd.path("/var/lib/owned").exists()
