"""Model, interpreter, accounts, environment: what the start needs of the disk."""

from __future__ import annotations

import os

import pytest

from sgfleet.agent.admission import access, accounts, environment, model, python
from sgfleet.facts.machine import Answer, LiveMachine

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

WORDS = ("setpriv", "--reuid=daemon", "--regid=daemon", "--init-groups", "--", "test")


def of_daemon(made):
    """The service runs under another account, which may do everything."""
    made.service |= {"user": "daemon", "group": "daemon", "working-directory": str(made.folder)}
    shard = made.model / "model-00001-of-00002.safetensors"
    for test, path in [
        ("-x", made.python),
        ("-r", made.model),
        ("-r", made.model / "config.json"),
        ("-r", shard),
        ("-x", made.folder),
    ]:
        made.machine.answers[(*WORDS, test, str(path))] = Answer()
    return made


def test_an_account_that_may_read_everything(made):
    assert access.check(of_daemon(made).situation) is None


@pytest.mark.parametrize(
    ("test", "name", "doing"),
    [
        ("-x", "bin/python3", "execute"),
        ("-r", "model", "read"),
        ("-r", "model/config.json", "read"),
        ("-r", "model/model-00001-of-00002.safetensors", "read"),
        ("-x", "", "enter"),
    ],
)
def test_an_account_that_may_not(made, test, name, doing):
    path = str(of_daemon(made).folder / name)
    made.machine.answers[(*WORDS, test, path)] = Answer(code=1)
    reason = access.check(made.situation)
    assert (reason.code, reason.text) == ("access", f"daemon may not {doing} {path} (User= of the unit)")


@pytest.mark.parametrize(
    "answer", [Answer(code=None, reason="setpriv is not installed"), Answer("", "no such user", 1)]
)
def test_an_account_that_cannot_be_tried(made, answer):
    made.machine.answers[(*WORDS, "-x", str(of_daemon(made).python))] = answer
    with pytest.raises(OSError, match="what daemon may read cannot be tried"):
        access.check(made.situation)


def test_root_and_a_users_own_services_are_not_tried(made):
    assert access.check(made.situation) is None
    made.service["user"] = "daemon"
    made.local["scope"] = "user"
    assert access.check(made.situation) is None
    assert not [each for each in made.machine.asked if each[0] == "setpriv"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_the_real_accounts(made, tmp_path):
    made.machine = LiveMachine()
    made.service["user"] = "daemon"
    made.flags["model-path"] = "Qwen/Qwen3-8B"
    made.service["python"] = "/bin/sh"
    assert access.check(made.situation) is None
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o700)
    made.service["python"] = str(shut / "python3")
    (shut / "python3").write_text("#!/bin/sh\n")
    (shut / "python3").chmod(0o755)
    assert "daemon may not execute" in access.check(made.situation).text


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
