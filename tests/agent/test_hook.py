"""The host's hook: told everything in an environment of its own, and able to harm nothing."""

from __future__ import annotations

import pytest

from sgfleet.agent import hook
from support.processes import left_behind

TRANSITION = {
    "at_seconds": 5.0,
    "service": "sglang-a",
    "former": "gating",
    "state": "rolled-back",
    "code": "promise",
    "reason": "half\nthe \x1b[31mKV tokens\udcff",
    "commit": "c0" * 20,
}


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "hook"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return (str(path), "an argument")

    return write


def test_it_is_told_everything_and_nothing_else(script, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    assert hook.call(script(f'env -0 > {tmp_path}/env; echo "$1" > {tmp_path}/argument'), TRANSITION) is None
    pairs = dict(each.split("=", 1) for each in (tmp_path / "env").read_text().split("\0") if each)
    assert {name: value for name, value in pairs.items() if name.startswith("SGFLEET_")} == {
        "SGFLEET_SERVICE": "sglang-a",
        "SGFLEET_STATE": "rolled-back",
        "SGFLEET_FORMER": "gating",
        "SGFLEET_REASON": "half the  [31mKV tokens ",
        "SGFLEET_CODE": "promise",
        "SGFLEET_COMMIT": "c0" * 20,
        "SGFLEET_UNIT": "sglang-a.service",
    }
    assert "SECRET_TOKEN" not in pairs
    assert (tmp_path / "argument").read_text() == "an argument\n"


def test_what_is_not_known_is_empty():
    told = hook.environment({**TRANSITION, "former": None, "reason": None, "code": None})
    assert (told["SGFLEET_FORMER"], told["SGFLEET_REASON"], told["SGFLEET_CODE"]) == ("", "", "")


def test_a_long_reason_does_not_keep_it_from_starting(script):
    assert hook.call(script("true"), {**TRANSITION, "reason": "x" * 10**7}) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo no pager >&2; exit 3", "ended with 3: no pager"),
        ("exit 1", "ended with 1"),
        ("kill -9 $$", "was ended by signal 9"),
        ("yes", "printed more than"),
    ],
)
def test_its_failure_is_one_line(script, text, said):
    failed = hook.call(script(text), TRANSITION)
    assert said in failed
    assert "\n" not in failed


@pytest.mark.parametrize("command", [("/nowhere/hook",), ("/",), ("/etc/passwd",), ("/bin/sh\0",)])
def test_one_that_cannot_be_started_is_one_line(command):
    assert "cannot be started" in hook.call(command, TRANSITION)


def test_one_that_hangs_is_ended_with_all_that_it_started(script):
    command = script("sleep 1000.25 & wait")
    assert "did not end within 0.5 s" in hook.call(command, TRANSITION, timeout_seconds=0.5)
    assert not left_behind("sleep 1000.25")
