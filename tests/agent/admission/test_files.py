"""Model, interpreter, accounts, environment: what the start needs of the disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sgfleet.agent.admission import access, accounts, environment, model, python

# Checkpoints.


def test_a_whole_checkpoint(made):
    assert model.check(made.situation) is None


def test_a_name_of_the_hub_is_passed(made):
    made.flags["model-path"] = "Qwen/Qwen3-8B"
    assert model.check(made.situation) is None


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda at: (at / "config.json").unlink(), "has no config.json"),
        (lambda at: (at / "config.json").write_text('{"a": '), "is no JSON"),
        (lambda at: (at / "config.json").write_text("[]"), "holds no JSON object"),
        (lambda at: (at / "model-00002-of-00002.safetensors").unlink(), "1 of 2 shards"),
        (lambda at: (at / "model-00002-of-00002.safetensors").write_bytes(b""), "1 of 2 shards"),
        (lambda at: (at / "model.safetensors.index.json").write_text("{}"), "has no weight_map"),
        (lambda at: (at / "model.safetensors.index.json").write_text("{"), "is no JSON"),
        (lambda at: (at / "extra.safetensors").write_bytes(b""), "extra.safetensors is empty"),
        (lambda at: (at / "extra.safetensors").symlink_to("/nonexistent/x"), "is a link to what is not there"),
        (lambda at: at.rename(at.with_name("elsewhere")), "there is no folder"),
    ],
)
def test_a_checkpoint_that_is_not_whole(made, spoil, said):
    spoil(made.model)
    reason = model.check(made.situation)
    assert reason.code == "model"
    assert said in reason.text
    assert reason.text.startswith("--model-path: ")


def test_one_of_two_forms_is_enough(made):
    index = {"weight_map": {"a": "consolidated-00001-of-00001.safetensors"}}
    other = made.model / "consolidated.safetensors.index.json"
    other.write_text(json.dumps(index))
    assert model.check(made.situation) is None
    (made.model / "model-00001-of-00002.safetensors").unlink()
    assert "model-00001-of-00002.safetensors first" in model.check(made.situation).text


def test_the_older_form_counts_where_it_is_the_only_one(made):
    old = made.model / "pytorch_model.bin.index.json"
    old.write_text(json.dumps({"weight_map": {"a": "pytorch_model-00001-of-00001.bin"}}))
    assert model.check(made.situation) is None
    for each in made.model.glob("*.safetensors*"):
        each.unlink()
    assert "1 of 1 shards" in model.check(made.situation).text
    (made.model / "pytorch_model-00001-of-00001.bin").write_bytes(b"weights")
    assert model.check(made.situation) is None


def test_a_shard_that_leads_out_of_the_folder_is_none(made):
    index = {"weight_map": {"a": "../bin/python3"}}
    (made.model / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "1 of 1 shards" in model.check(made.situation).text


def test_the_draft_is_looked_at_too(made):
    made.flags |= {"speculative-algorithm": "EAGLE", "speculative-draft-model-path": "/nonexistent/draft"}
    assert "--speculative-draft-model-path: there is no folder /nonexistent/draft" in model.check(made.situation).text


def test_one_file_that_holds_everything(made):
    whole = made.folder / "m.gguf"
    whole.write_bytes(b"weights")
    made.flags["model-path"] = str(whole)
    assert model.check(made.situation) is None
    whole.write_bytes(b"")
    assert "m.gguf is empty" in model.check(made.situation).text


def test_a_tokenizer_of_its_own(made):
    made.flags["tokenizer-path"] = "/nonexistent/tokenizer"
    assert "/nonexistent/tokenizer" in model.check(made.situation).text


# The interpreter.


def test_an_interpreter(made):
    assert python.check(made.situation) is None


def test_an_interpreter_through_a_link(made):
    made.python.rename(made.python.with_name("python3.11"))
    made.python.symlink_to("python3.11")
    assert python.check(made.situation) is None


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda at: at.unlink(), "is not there"),
        (lambda at: at.chmod(0o644), "is not executable"),
        (lambda at: at.write_text(""), "is empty"),
        (lambda at: (at.unlink(), at.mkdir()), "is no regular file"),
        (lambda at: (at.unlink(), at.symlink_to("python3.12")), "is a link to what is not there"),
    ],
)
def test_no_interpreter(made, spoil, said):
    spoil(made.python)
    reason = python.check(made.situation)
    assert (reason.code, reason.text) == ("python", f"{made.python} {said}")


# Accounts.


def test_accounts_that_are_there(made):
    made.service |= {"user": "root", "group": "root"}
    assert accounts.check(made.situation) is None


@pytest.mark.parametrize("key", ["user", "group"])
def test_accounts_that_are_not(made, key):
    made.service[key] = "sglang-made-up"
    reason = accounts.check(made.situation)
    assert reason.code == "accounts"
    assert f"no {key} sglang-made-up" in reason.text


# What the account may read.


@pytest.fixture
def shared(made):
    """The service runs as daemon, and everything on the way is open to it."""
    made.service |= {"user": "daemon", "group": "daemon", "working-directory": str(made.folder)}
    for folder in (made.folder, *made.folder.parents):  # one more of them where several processes test
        if folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(0o755)
    return made


@pytest.fixture(autouse=True)
def _umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_an_account_that_may_read_everything(shared):
    assert access.check(shared.situation) is None


@pytest.mark.parametrize(
    ("name", "mode", "said"),
    [
        ("bin/python3", 0o700, "may not execute {path}"),
        ("bin", 0o700, "may not execute {path}/python3: {path} is shut to it"),
        ("model", 0o711, "may not read {path}"),
        ("model", 0o744, "may not read {path}/config.json: {path} is shut to it"),
        ("model/model-00002-of-00002.safetensors", 0o600, "may not read {path}"),
        ("model/config.json", 0o640, "may not read {path}"),
    ],
)
def test_an_account_that_may_not(shared, name, mode, said):
    path = shared.folder / name
    path.chmod(mode)
    reason = access.check(shared.situation)
    assert reason.code == "access"
    assert reason.text == f"daemon (User= of the unit) {said.format(path=path)}"


def test_through_a_link_its_target_counts(shared, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o755)
    shard = shared.model / "model-00001-of-00002.safetensors"
    shard.rename(kept / "blob")
    shard.symlink_to(kept / "blob")
    assert access.check(shared.situation) is None
    kept.chmod(0o700)
    assert f"{kept} is shut to it" in access.check(shared.situation).text


def test_an_entry_with_an_acl_is_taken_to_grant_it(shared, monkeypatch):
    (shared.model / "config.json").chmod(0o600)
    monkeypatch.setattr(os, "listxattr", lambda path: ["system.posix_acl_access"])
    assert access.check(shared.situation) is None


@pytest.mark.parametrize(("bits", "group", "open_"), [(0o070, 10, True), (0o007, 10, False), (0o007, 11, True)])
def test_the_class_that_matches_first_decides(tmp_path, monkeypatch, bits, group, open_):
    path = tmp_path / "f"
    path.write_text("")
    found = os.stat_result((0o100000 | bits, 1, 1, 1, 5, 10, 0, 0, 0, 0))
    folder = os.stat_result((0o040755, 1, 1, 1, 5, 10, 0, 0, 0, 0))
    monkeypatch.setattr(Path, "stat", lambda self: found if self.name == "f" else folder)
    shut = access.shut_at(path, access.READ, access.Account(6, frozenset({group})))
    assert (shut is None) == open_


def test_root_and_a_users_own_services_are_passed(shared):
    shared.python.chmod(0o700)
    shared.service |= {"user": "root"}
    assert access.check(shared.situation) is None
    shared.service |= {"user": "daemon"}
    shared.local["scope"] = "user"
    assert access.check(shared.situation) is None


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can be somebody else")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o604, 0o644, 0o044])
@pytest.mark.parametrize("owner", ["root", "daemon"])
def test_the_kernel_says_the_same(shared, mode, owner):
    path = shared.model / "config.json"
    path.chmod(mode)
    shutil.chown(path, owner, owner)
    account = access.account_of("daemon", None)
    words = ["setpriv", "--reuid=daemon", "--regid=daemon", "--init-groups", "test", "-r", str(path)]
    assert (access.shut_at(path, access.READ, account) is None) == (subprocess.run(words).returncode == 0)


# What systemd reads before it starts the process.


def test_files_and_folders_that_are_there(made):
    secrets = made.folder / "secrets.env"
    secrets.write_text("CHAT_KEY='sk-made-up'\n")
    made.service |= {
        "environment-files": [str(secrets)],
        "secrets": {"api-key": "CHAT_KEY"},
        "working-directory": str(made.folder),
    }
    assert environment.check(made.situation) is None


def test_no_file_of_variables(made):
    made.service["environment-files"] = ["/nonexistent/secrets.env"]
    assert "/nonexistent/secrets.env is not there" in environment.check(made.situation).text


def test_a_secret_that_no_file_holds(made):
    secrets = made.folder / "secrets.env"
    secrets.write_text("OTHER=sk-made-up\n")
    made.service |= {"environment-files": [str(secrets)], "secrets": {"api-key": "CHAT_KEY"}}
    reason = environment.check(made.situation)
    assert "--api-key has no value: CHAT_KEY stands in none of" in reason.text
    assert "sk-made-up" not in str(reason)


def test_no_working_directory(made):
    made.service["working-directory"] = "/nonexistent"
    assert "no folder /nonexistent" in environment.check(made.situation).text
