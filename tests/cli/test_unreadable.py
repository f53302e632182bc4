"""What the system does not let sgfleet read is said as that: never as something that is missing, gone or a bug."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

AS_ROOT = os.geteuid() == 0
WITHOUT_PRIVILEGE = [
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
]
HOST = """\
host: a-01
services:
  chat:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags:
      model-path: /models/m
"""

pytestmark = pytest.mark.skipif(AS_ROOT and shutil.which("setpriv") is None, reason="root reads everything")


def git(root, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=root, check=True)


@pytest.fixture
def root(tmp_path):
    host = tmp_path / "hosts/a-01/host.yaml"
    host.parent.mkdir(parents=True)
    host.write_text(HOST)
    model = tmp_path / "schema/models/example--Model-7B.json"
    model.parent.mkdir(parents=True)
    model.write_text("{}")
    model.unlink()
    assert sgfleet(tmp_path, "render").returncode == 0
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def sgfleet(root, *words, **variables):
    start = WITHOUT_PRIVILEGE if AS_ROOT else []
    return subprocess.run(
        [*start, sys.executable, "-m", "sgfleet", *words],
        cwd=root, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def without_access(path, root, *words):
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        return sgfleet(root, *words)
    finally:
        path.chmod(mode)


@pytest.mark.parametrize(
    "words", ["check", "check a-01", "render", "render a-01", "memory a-01", "options", "show a-01", "plan HEAD"]
)
def test_hosts_that_cannot_be_listed_are_not_gone(root, words):
    done = without_access(root / "hosts", root, *words.split())
    assert done.returncode == 1, done
    assert "error[SRC015]: cannot be read: permission denied\n --> hosts\n" in done.stdout
    said = done.stdout + done.stderr
    for wrong in ("gone", "git rm", "there is no host", "stop", "remove"):
        assert wrong not in said
    assert (root / "units/a-01/chat.service").is_file()


@pytest.mark.parametrize("command", ["memory", "options"])
def test_a_host_that_cannot_be_read_is_not_without_services(root, command):
    done = without_access(root / "hosts/a-01/host.yaml", root, command, "a-01")
    assert done.returncode == 1
    assert "error[SRC015]: cannot be read: permission denied\n --> hosts/a-01/host.yaml\n" in done.stderr
    assert "there is no service" not in done.stderr


@pytest.mark.parametrize("command", ["memory", "options"])
@pytest.mark.parametrize("name", ["fleet.yaml", "hosts/a-01/facts.yaml"])
def test_what_an_answer_lacks_is_said(root, command, name):
    path = root / name
    path.write_text("{}\n" if name == "fleet.yaml" else "format: 1\nhost: a-01\n")
    done = without_access(path, root, command, "a-01")
    assert done.returncode == 1
    assert f"error[SRC015]: cannot be read: permission denied\n --> {name}\n" in done.stderr


@pytest.mark.parametrize("command", ["check", "memory", "options", "render"])
def test_a_service_of_a_host_that_cannot_be_read_is_not_unknown(root, command):
    done = without_access(root / "hosts/a-01/host.yaml", root, command, "a-01/chat")
    assert done.returncode == 1
    assert "error[SRC015]" in done.stdout + done.stderr
    assert "has no service" not in done.stderr


def test_units_of_a_removed_host_that_cannot_be_listed(root):
    shutil.copytree(root / "units/a-01", root / "units/b-01")
    done = without_access(root / "units/b-01", root, "render")
    assert "cannot be read: permission denied" in done.stdout
    assert "move away" not in done.stdout


@pytest.mark.parametrize("command", ["check a-01", "memory", "options", "model list"])
def test_a_folder_of_models_that_cannot_be_listed(root, command):
    done = without_access(root / "schema/models", root, *command.split())
    assert done.returncode == 1, done
    said = done.stdout + done.stderr
    assert "schema/models" in said
    assert "permission denied" in said
    assert "give the user that runs sgfleet access to it" in said
    assert "failed" not in said


@pytest.mark.parametrize("name", ["", "HEAD", "config", "index", "objects", "refs/heads", "refs/heads/main"])
def test_a_plan_says_what_git_cannot_read(root, name):
    done = without_access(root / ".git" / name, root, "plan", "HEAD")
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first == f"error: Git cannot read {Path('.git', name)}: permission denied"
    assert second.startswith("help: give the user")


@pytest.mark.parametrize("name", ["", "HEAD", "config", "index", "objects"])
def test_a_hook_says_what_git_cannot_read(root, name):
    done = without_access(root / ".git" / name, root, "render", "--staged")
    assert done.returncode == 2
    assert f"error: Git cannot read {Path('.git', name)}: permission denied\nhelp: give the user" in done.stderr


def test_variables_that_lead_git_astray_are_named(root):
    done = sgfleet(root, "plan", "HEAD", GIT_DIR="/nonexistent")
    assert (done.returncode, done.stderr.count("\n")) == (1, 2)
    assert done.stderr.startswith("error: GIT_DIR=/nonexistent says where the repository is")
    assert "help: unset GIT_DIR" in done.stderr
    done = sgfleet(root, "plan", "HEAD", GIT_WORK_TREE=str(root / "hosts/a-01"))
    assert done.returncode == 1
    assert "outside of the working tree" in done.stderr
    assert "help: unset GIT_WORK_TREE" in done.stderr
    done = sgfleet(root, "render", "--staged", GIT_WORK_TREE=str(root / "hosts/a-01"))
    assert done.returncode == 2


def test_a_schema_that_cannot_be_read_is_named_below_the_root(root):
    schema = root / "schema/sglang/0.5.9.json"
    schema.parent.mkdir(parents=True)
    schema.write_text("{}")
    done = without_access(schema, root, "check")
    assert "SGLang 0.5.9 cannot be used: permission denied\n --> schema/sglang/0.5.9.json\n" in done.stdout
    assert "help: give the user" in done.stdout


@pytest.mark.skipif(not AS_ROOT, reason="only root can be somebody else")
def test_a_bare_repository_of_somebody_else_is_named(root, tmp_path_factory):
    bare = tmp_path_factory.mktemp("bare") / "r.git"
    git(root, "clone", "-q", "--bare", str(root), str(bare))
    for path in (bare, *bare.rglob("*")):
        os.chown(path, 65534, 65534)
    done = sgfleet(bare, "plan", "HEAD..HEAD", HOME="/nonexistent", GIT_CONFIG_GLOBAL="/dev/null")
    assert done.returncode == 1
    assert "the repository belongs to another user" in done.stderr
