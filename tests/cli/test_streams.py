"""Streams that are closed, full, gone or of a small character set: an exit code and one line, never a bug report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SGFLEET = Path(sys.executable).parent / "sgfleet"
LOST = "error: the answer cannot be written to standard output: "

ANSWERS = [
    "--help",
    "--version",
    "check --help",
    "check h",
    "show h",
    "argv 0.5.9 -- --model-path m",
    "argv 0.5.9 --format json -- --model-path m",
    "schema list",
    "schema diff 0.5.9 0.5.23 --format json",
    "explain FLG001",
    "memory h --format json",
]
HOST = """\
host: h
services:
  chat:
    why: über 模型
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    flags:
      model-path: /models/ü😀
      served-model-nam: 模
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "hosts/h").mkdir(parents=True)
    (tmp_path / "hosts/h/host.yaml").write_text(HOST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash; its last command's exit code. No bug report may be left behind."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("sgfleet", str(SGFLEET), 1)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert not list(Path.cwd().glob("sgfleet-report-*")), done.stderr
    return done


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize(
    ("where", "why"), [(">&-", "it is closed"), (">/dev/full", "no space left on device")], ids=["closed", "full"]
)
def test_an_answer_that_cannot_be_written(here, answer, where, why):
    done = shell(f"sgfleet {answer} {where}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == LOST + why
    assert done.stdout == ""


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"], ids=["closed", "full"])
def test_messages_that_cannot_be_written_do_not_matter(here, answer, where):
    usual, quiet = shell(f"sgfleet {answer}"), shell(f"sgfleet {answer} {where}")
    assert (quiet.returncode, quiet.stdout) == (usual.returncode, usual.stdout)


def test_what_says_nothing_has_nothing_to_lose(here):
    assert shell("sgfleet check nope >&-").returncode == 2
    assert shell("sgfleet check nope >/dev/full 2>&-").returncode == 2
    (here / "fleet.yaml").write_text("policy: {}\n")
    assert shell("sgfleet render 2>&1 >&- | cat").returncode == 1  # its findings are lost


def test_a_file_that_is_opened_does_not_get_the_number_of_a_closed_stream(here):
    spec = here / "hosts/h/host.yaml"
    before = spec.read_text()
    assert shell("sgfleet check h >&- 2>&- <&-").returncode == 1
    assert spec.read_text() == before


@pytest.mark.parametrize("command", ["explain --all", "schema diff 0.4.0 0.5.23", "--help"])
def test_a_reader_that_leaves(here, command):
    done = shell(f"sgfleet {command} | true")
    assert done.returncode in (0, 141)  # 0: it was through before the reader left
    assert done.stderr == ""


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_small_character_set(here, answer):
    plain = shell(f"sgfleet {answer}")
    small = shell(f"LC_ALL=C PYTHONIOENCODING=ascii sgfleet {answer}")
    assert small.returncode == plain.returncode
    assert small.stdout.isascii()
    assert small.stderr.isascii()
    if "json" in answer:
        assert json.loads(small.stdout) == json.loads(plain.stdout)


def test_words_that_are_no_text(here):
    done = shell(r"sgfleet argv 0.5.9 -- --model-path $'\xff'")
    assert done.returncode == 0
    assert r'"\\xff"' in done.stdout


def test_standard_input_that_cannot_be_read(here):
    done = shell("sgfleet argv 0.5.9 --batch <&-")
    assert done.returncode == 2
    assert done.stderr == "error: standard input cannot be read: bad file descriptor\n"


@pytest.mark.parametrize("where", ["docs/reference/exit-codes.md", "docs/man/sgfleet.1"])
def test_how_a_lost_answer_ends_is_documented(where):
    text = " ".join((Path(__file__).parents[2] / where).read_text(encoding="utf-8").split())
    assert "with 1 when its answer is lost because standard output is closed or cannot be written" in text
    assert "with 141 when the reader of its output has left" in text
