"""`sgfleet observe` from outside."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from observe.eras import ERAS, log
from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main

HOST = """\
host: a
services:
  chat:
    release: "0.5.9"
    python: /opt/e/bin/python3
    flags: {model-path: /m/x}
"""
FACTS = """\
format: 1
host: a
# by hand
observed:
  other: {release: "0.4.9", kv-tokens: 5}   # kept
  chat:
    release: "0.5.9"
    kv-tokens: 90000
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    folder = tmp_path / "hosts" / "a"
    folder.mkdir(parents=True)
    (folder / "host.yaml").write_text(HOST)
    (folder / "facts.yaml").write_text(FACTS)
    (tmp_path / "start.log").write_text("\n".join(log(ERAS[-1])))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def facts(repository):
    from sgfleet.source.read import read_text

    return read_text((repository / "hosts/a/facts.yaml").read_text(), "f").data


def test_beside_the_facts(repository, capsys):
    assert main(["observe", "a/chat", "--log", "start.log"]) == 0
    told = capsys.readouterr()
    rows = {line.split("  ")[1]: line.split() for line in told.out.splitlines()[2:]}
    assert rows["kv (tokens)"][-2:] == ["100,000", "90,000"]
    assert rows["weights (GiB)"][-2:] == ["64.00", "-"]
    assert "0.5.9 is what the specification says" in told.err
    assert facts(repository)["observed"]["chat"]["kv-tokens"] == 90000, "nothing is written without --write"


def test_writes(repository, capsys):
    assert main(["observe", "a/chat", "--log", "start.log", "--write"]) == 0
    text = (repository / "hosts/a/facts.yaml").read_text()
    assert "# by hand" in text
    observed = facts(repository)["observed"]
    assert observed["other"] == {"release": "0.4.9", "kv-tokens": 5}
    assert observed["chat"]["kv-tokens"] == 100_000
    assert observed["chat"]["settings"]["tp_size"] == 2
    assert observed["chat"]["read"]["how"] == "start-up log start.log"
    assert "sk-made-up" not in text + "".join(capsys.readouterr())
    assert main(["check", "a"]) in (0, 1)
    assert "SPC" not in capsys.readouterr().out, "what was written is what the model takes"


def test_what_goes_with_an_older_start_is_said(repository, capsys):
    assert main(["observe", "a/chat", "--log", "start.log", "--write"]) == 0
    assert "these figures go" not in capsys.readouterr().err, "it has more, and nothing less"
    (repository / "info.json").write_text(json.dumps({"version": "0.5.9", "tp_size": 2, "max_total_num_tokens": 7}))
    assert main(["observe", "a/chat", "--log", "info.json"]) == 0
    assert "these figures go" not in capsys.readouterr().err, "nothing is written"
    assert main(["observe", "a/chat", "--log", "info.json", "--write"]) == 0
    assert "note: of the start that the facts had these figures go: ranks, kv-pool-gib, " in capsys.readouterr().err
    assert "weights-gib" not in facts(repository)["observed"]["chat"]


def test_json(repository, capsys):
    assert main(["observe", "a/chat", "--log", "start.log", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["figures"]["kv-tokens"] == {"found": 100_000, "facts": 90_000, "predicted": None}
    assert (answer["release"], answer["ready"], answer["written"]) == ("0.5.9", True, None)


def test_a_failed_start_is_told_and_not_kept(repository, capsys):
    bad = [*log(ERAS[-1])[:5], "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."]
    (repository / "bad.log").write_text("\n".join(bad))
    assert main(["observe", "a/chat", "--log", "bad.log", "--write"]) == 1
    told = capsys.readouterr()
    assert "the start failed: a GPU ran out of memory: 2.00 GiB" in told.err
    assert "weights (GiB)" in told.out
    assert facts(repository)["observed"]["chat"]["kv-tokens"] == 90000


def test_nothing_in_it(repository, capsys):
    (repository / "empty.log").write_text("hello\n")
    assert main(["observe", "a/chat", "--log", "empty.log"]) == 1
    (repository / "empty.json").write_text('{"status": "ok"}')
    assert main(["observe", "a/chat", "--log", "empty.json"]) == 1
    assert capsys.readouterr().out == ""


def test_standard_input(repository, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("\n".join(log(ERAS[0])).encode())))
    assert main(["observe", "a/chat", "--log", "-", "--release", "0.4.0"]) == 0
    assert "0.4.0 ran, and the specification says 0.5.9" in capsys.readouterr().err


def test_a_saved_answer_of_the_server(repository, capsys):
    answer = {"version": "0.5.10", "tp_size": 2, "max_total_num_tokens": 7, "api_key": "sk-made-up"}
    (repository / "info.json").write_text(json.dumps(answer))
    assert main(["observe", "a/chat", "--log", "info.json", "--write"]) == 0
    told = "".join(capsys.readouterr())
    assert "sk-made-up" not in told + (repository / "hosts/a/facts.yaml").read_text()
    assert facts(repository)["observed"]["chat"]["release"] == "0.5.10"
    with pytest.raises(UsageError, match=r"it is 0\.5\.10, and --release says 0\.5\.9"):
        main(["observe", "a/chat", "--log", "info.json", "--release", "0.5.9"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a"], "names no service"),
        (["b/chat"], "no host 'b'"),
        (["a/chap"], "no service 'chap'"),
        (["a/chat", "--release", "main"], "is no release"),
        (["a/chat", "--log", "missing.log"], "cannot be read"),
    ],
)
def test_usage(repository, arguments, said):
    given = arguments if "--log" in arguments else [*arguments, "--log", "start.log"]
    with pytest.raises(UsageError, match=said):
        main(["observe", *given])


def test_urls(repository, monkeypatch):
    with pytest.raises(UsageError, match="only a server on this machine"):
        main(["observe", "a/chat", "--url", "http://example.org"])
    with pytest.raises(UsageError, match="no answer"):
        main(["observe", "a/chat", "--url", "http://127.0.0.1:9"])
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(UsageError, match="NO_SUCH_KEY is not set"):
        main(["observe", "a/chat", "--url", "http://127.0.0.1:9", "--api-key-variable", "NO_SUCH_KEY"])


def journalctl(folder, monkeypatch, body):
    program = folder / "bin" / "journalctl"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


def test_the_journal(repository, monkeypatch, capsys):
    journalctl(repository, monkeypatch, f'echo "$*" > {repository}/asked; cat {repository}/start.log')
    assert main(["observe", "a/chat", "--journal"]) == 0
    assert "--unit=chat.service" in (repository / "asked").read_text()
    assert "100,000" in capsys.readouterr().out


def test_a_journal_that_is_closed(repository, monkeypatch):
    journalctl(repository, monkeypatch, "echo 'No files: insufficient permissions.' >&2; exit 1")
    with pytest.raises(UsageError, match="insufficient permissions"):
        main(["observe", "a/chat", "--journal"])


def test_no_journal(repository, monkeypatch):
    monkeypatch.setenv("PATH", str(repository))
    with pytest.raises(UsageError, match="journalctl cannot be started"):
        main(["observe", "a/chat", "--journal"])


def test_beside_what_was_predicted(repository, capsys):
    """What an earlier start measured is no part of the prediction."""
    root = Path(__file__).parents[2]
    log_file = str(repository / "start.log")
    assert main(["observe", "kimi-01/sglang-kimi", "--log", log_file, "--format", "json", "--root", str(root)]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    for name in ("kv-tokens", "kv-pool-gib", "weights-gib", "free-before-gib-min"):
        assert figures[name]["predicted"] > 0
    assert figures["kv-tokens"]["predicted"] != figures["kv-tokens"]["facts"]


def test_why_nothing_is_predicted(repository, capsys):
    assert main(["observe", "a/chat", "--log", "start.log"]) == 0
    told = capsys.readouterr()
    assert "note: nothing is predicted: " in told.err
    assert "predicted" not in told.out
