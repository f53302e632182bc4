"""Files below schema/ that cannot be read are errors at the files, whatever that looks like, and nobody waits for them.

A copy that sgfleet came with never takes the place of what is there.
"""

from __future__ import annotations

import os
import subprocess

import pytest

from sgfleet.cli.main import main

HOST = """\
host: a-01
services:
  chat:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags:
      model-path: /models/m
"""
MODEL = "schema/models/example--Model-7B.json"
SCHEMA = "schema/sglang/0.5.9.json"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    host = tmp_path / "hosts/a-01/host.yaml"
    host.parent.mkdir(parents=True)
    host.write_text(HOST)
    return tmp_path


def put(path, what):
    path.parent.mkdir(parents=True, exist_ok=True)
    match what:
        case "text":
            path.write_text("{")
        case "bytes":
            path.write_bytes(b"\xff")
        case "other format":
            path.write_text('{"format": 0}')
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)


WAYS = ["text", "bytes", "other format", "pipe", "folder", "loop"]


@pytest.mark.parametrize("what", WAYS)
@pytest.mark.parametrize(
    ("file", "asked"),
    [(MODEL, ["a-01"]), (SCHEMA, ["a-01"]), ("schema/sglang/endpoints.json", []), ("schema/sglang/index.json", [])],
)
def test_check_says_it_at_the_file(root, capsys, file, asked, what):
    """Tables that no rule about a host decides from are looked at where the whole repository is."""
    put(root / file, what)
    assert main(["check", *asked]) == 1
    told = capsys.readouterr().out
    assert f"error[{'SCH001' if file == SCHEMA else 'SCH002'}]" in told
    assert f"--> {file}" in told


def test_what_a_model_file_says_is_looked_at_with_the_whole_repository(root, capsys):
    (root / MODEL).parent.mkdir(parents=True)
    (root / MODEL).write_text('{"format": 1, "layers": "many"}')
    assert main(["check"]) == 1
    assert f"--> {MODEL}" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["pipe", "loop"])
def test_a_folder_of_models_that_is_none_is_said(root, capsys, what):
    put(root / "schema/models", what)
    assert main(["check"]) == 1
    assert "error[SCH002]: schema/models cannot be used" in capsys.readouterr().out
    assert main(["model", "list"]) == 1
    assert "schema/models: cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("what", WAYS)
@pytest.mark.parametrize("command", ["memory", "options"])
def test_an_answer_without_the_model_says_so(root, capsys, command, what):
    put(root / MODEL, what)
    assert main([command, "a-01"]) == 1
    assert "error[SCH002]" in capsys.readouterr().err


def test_lists_do_not_wait_for_a_pipe(root, capsys):
    put(root / MODEL, "pipe")
    assert main(["model", "list"]) == 1
    assert "a pipe or a device in the place of a file" in capsys.readouterr().err


def test_a_schema_that_is_damaged_is_not_said_to_be_missing(root, capsys):
    put(root / SCHEMA, "text")
    assert main(["options", "a-01"]) == 1
    told = capsys.readouterr().out
    assert "the flag schema of SGLang 0.5.9 cannot be used" in told
    assert "there is no flag schema" not in told


@pytest.mark.parametrize("what", ["text", "loop"])
def test_a_plan_that_damages_a_model_cannot_be_applied(root, capsys, what):

    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=root, check=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    main(["render"])
    put(root / MODEL, what)
    git("add", "-A")
    git("commit", "-qm", "two")
    capsys.readouterr()
    for span in ("HEAD~1", "HEAD~1..HEAD"):
        assert main(["plan", span]) == 1
        assert f"error[SCH002] {MODEL}" in capsys.readouterr().out


@pytest.mark.parametrize("what", WAYS)
@pytest.mark.parametrize("words", [["render"], ["render", "--check"]])
def test_render_says_that_it_is_damaged_and_not_that_it_is_missing(root, capsys, what, words):
    put(root / SCHEMA, what)
    assert main(words) == 1
    said = capsys.readouterr().out
    assert "chat cannot be rendered: the flag schema of SGLang 0.5.9 cannot be used" in said
    assert "help: sgfleet check says what is wrong with it" in said
    assert "no flag schema of" not in said
