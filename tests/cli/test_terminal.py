"""On a real terminal, of whatever kind and width: what is written to it is what it can show."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

FLEET = Path(__file__).parents[1] / "data/fleet"
COMMANDS = [
    ["check"],
    ["memory", "kimi-01"],
    ["options", "kimi-01"],
    ["show", "kimi-01"],
    ["render", "--check"],
    ["plan", "HEAD~1"],
    ["explain", "FLG001"],
    ["schema", "list"],
    ["--help"],
]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CLEARED = "\r\x1b[K"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    import shutil

    from support.repository import git

    root = tmp_path_factory.mktemp("fleet")
    shutil.copytree(FLEET, root, dirs_exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    for message, text in (("a", "kimi"), ("b", "k")):
        host = root / "hosts/kimi-01/host.yaml"
        host.write_text(host.read_text().replace("served-model-name: kimi", f"served-model-name: {text}"))
        git(root, "add", "-A")
        git(root, "commit", "-q", "--allow-empty", "-m", message)
    return root


def shown(root: Path, words: list[str], columns: int = 80, **environment: str) -> str:
    """What a call writes to a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST  # a line break is one: every \r is ours
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    process = subprocess.Popen(
        [sys.executable, "-m", "sgfleet", *words],
        cwd=root, stdout=theirs, stderr=theirs, env={**kept, "TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 65536):
            said += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait() in (0, 1, 2)
    return said.decode()


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_terminal_that_can_do_nothing_gets_plain_lines(fleet, words):
    said = shown(fleet, words, TERM="dumb")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said), said


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_without_colour_nothing_is_coloured(fleet, words):
    assert not COLOUR.search(shown(fleet, words, NO_COLOR="1"))


@pytest.mark.parametrize("columns", [0, 1, 5, 12])
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_width_that_is_none_or_small(fleet, words, columns):
    """Progress never takes more than a line; the answer is the same as ever."""
    said, usual = shown(fleet, words, columns), shown(fleet, words)
    parts = said.split(CLEARED)
    for line in parts[1:-1]:
        assert len(line) < columns or columns == 0
    if words != ["--help"]:  # broken into lines by width
        assert parts[-1] == usual.split(CLEARED)[-1]
