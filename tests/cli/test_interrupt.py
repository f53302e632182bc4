"""A Ctrl-C at any moment from sgfleet's first line on: no traceback, and an end by the signal or with its number."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FLEET = Path(__file__).parents[1] / "data/fleet"
ENDS = {-signal.SIGINT, 130}

SIGNALLED = """
import os, signal, sys

def hook(event, arguments, own=[False], seen=[0]):
    own[0] = own[0] or (event == "import" and arguments[0] == "sgfleet.cli")  # the first thing that sgfleet itself does
    if own[0] and event in ("import", "open", "compile", "exec", "marshal.loads"):
        seen[0] += 1
        if seen[0] == AT:
            os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(hook)
sys.argv = ["sgfleet", *sys.argv[1:]]
from sgfleet.__main__ import run
run()
"""
"""The whole of a call, with a Ctrl-C as the interpreter is about to do the AT-th thing that it tells of."""

TELLING = """
from sgfleet.__main__ import run
from sgfleet.cli import interrupt

first = interrupt.ends

def told():
    first()
    interrupt.ends = first
    print(flush=True)

interrupt.ends = told
run()
"""

CALLS = [["--help"], ["--version"], ["nope"], ["check", "--root", str(FLEET)], ["argv", "0.5.9", "--", "--tp", "8"]]


def usual():
    """A Ctrl-C is not ignored, as it is in what runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def call(at: int, words: list[str]) -> subprocess.CompletedProcess[str]:
    code = SIGNALLED.replace("AT", str(at), 1)
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, preexec_fn=usual
    )


@pytest.mark.parametrize("words", CALLS, ids=lambda words: words[0])
def test_at_any_step_of_the_start(words):
    at, whole = 1, call(0, words)
    assert whole.returncode not in ENDS
    while True:
        done = call(at, words)
        if (done.returncode, done.stdout) == (whole.returncode, whole.stdout):
            break  # the signal came behind everything that is told of, or not at all
        assert done.returncode in ENDS, (at, done.returncode, done.stderr)
        assert "Traceback" not in done.stderr, (at, done.stderr)
        assert "KeyboardInterrupt" not in done.stderr, (at, done.stderr)
        at += 1 + at // 4
    assert at > 20


@pytest.mark.parametrize("after", range(0, 120, 6))
def test_at_any_time_of_the_start(after):
    """The same by the clock: the process says that it has taken its first step, and the signal comes from outside."""
    words = [sys.executable, "-c", TELLING, "check", "--root", FLEET]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, preexec_fn=usual, **pipes) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after / 1000)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert "Traceback" not in said
    assert process.returncode in {*ENDS, 0, 1}  # these: it was through before


def test_where_it_is_ignored_it_stays_so():
    def ignored():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    code = SIGNALLED.replace("AT", "5", 1)
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False, preexec_fn=ignored
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_it_is_the_first_thing_that_both_ways_of_calling_do():
    """The console script is that of the package's metadata, and `python -m sgfleet` the module itself."""
    first = "sgfleet.cli.interrupt"
    code = "import sys; sys.argv = ['sgfleet', '--version']; from sgfleet.__main__ import run; run()"
    for words in (["-c", code], ["-m", "sgfleet", "--version"]):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *words], capture_output=True, text=True, check=True, env=os.environ
        )
        order = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
        assert order.index(first) < order.index("sgfleet.cli.main")
        before = order[order.index("sgfleet") : order.index(first)]
        assert set(before) <= {"sgfleet", "sgfleet.cli", "sgfleet.__main__", "__future__"}
    script = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'sgfleet = "sgfleet.__main__:run"' in script
