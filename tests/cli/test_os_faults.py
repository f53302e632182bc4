"""What the operating system refuses is one line with the file, a help and exit code 2, whatever command met it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from cli.test_upgrade import HOST
from sgfleet.cli import main as boundary
from sgfleet.cli.commands import check
from sgfleet.source import replace

NOBODY = 65534


@pytest.fixture(autouse=True)
def no_report_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    yield
    assert not list(tmp_path.glob("sgfleet-report-*"))


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "hosts/h").mkdir(parents=True)
    (tmp_path / "hosts/h/host.yaml").write_text(HOST)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "/srv/a"), "/srv/a: permission denied"),
        (OSError(errno.EROFS, "Read-only file system", "b"), "b: read-only file system"),
        (OSError(errno.EIO, "Input/output error", b"c"), "c: input/output error"),
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on device"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "gone"), "gone: no such file or directory"),
        (
            OSError(errno.ELOOP, "Too many links", "a\nb"),
            "'a\\nb': too many links",
        ),
    ],
)
@pytest.mark.parametrize(("command", "code"), [("check", 2), ("plan", 1)])
def test_an_error_that_nobody_foresaw(monkeypatch, capsys, error, line, command, code):
    def fails(_):
        raise error

    monkeypatch.setattr(boundary.module_of(command), "run", fails)
    assert boundary._guarded([command]) == code
    told = capsys.readouterr().err.splitlines()
    assert told[0] == f"error: {line}"
    assert told[1].startswith("help: ")
    assert len(told) == 2


@pytest.mark.parametrize(
    "error",
    [OSError("made up"), OSError(errno.EBADF, "Bad file descriptor", "x"), FileNotFoundError(), ConnectionError()],
)
def test_what_may_be_a_bug_of_ours_stays_one(monkeypatch, capsys, tmp_path, error):
    def fails(_):
        raise error

    monkeypatch.setattr(check, "run", fails)
    assert boundary._guarded(["check"]) == 4
    for report in tmp_path.glob("sgfleet-report-*"):
        report.unlink()


@pytest.mark.parametrize("words", ["init q", "check", "facts --stdout --python x --host q", "import x"])
def test_the_present_folder_is_gone(tmp_path, monkeypatch, capsys, words):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert boundary._guarded(words.split()) == 2
    assert "error: the present folder is gone\nhelp: change into another one" in capsys.readouterr().err


def test_upgrade_says_first_that_it_cannot_write(here, monkeypatch, capsys):
    monkeypatch.setattr(replace.os, "access", lambda *_, **__: False)
    assert boundary._guarded(["upgrade", "h", "--to", "0.5.23"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert f"error: {here / 'hosts/h/host.yaml'}: permission denied" in told.err
    assert boundary._guarded(["upgrade", "h", "--to", "0.5.23", "--check"]) == 0, "which writes nothing"


def test_the_file_that_was_to_be_written_is_named(tmp_path, monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / ".abc.tmp"))

    monkeypatch.setattr(replace.tempfile, "mkstemp", full)
    with pytest.raises(OSError, match="No space left") as raised:
        replace.replace_file(tmp_path / "a.yaml", "x")
    assert raised.value.filename == str(tmp_path / "a.yaml")


AS_NOBODY = """
import os, sys
from sgfleet.cli.main import _guarded
from sgfleet.cli import os_faults
words = sys.argv[1:]
_guarded(words)  # as root: what it imports may lie where others cannot look
os.setegid(%d), os.seteuid(%d)
print("---", file=sys.stderr)
sys.exit(_guarded(words))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("check --root {}/x", "error: {}/x: permission denied"),
        ("check", "error: no repository can be looked for in {}: permission denied"),
        ("export --root {}/x", "error: {}/x: permission denied"),
        ("facts --stdout --root {}/x --host h", "error: {}/x: permission denied"),
    ],
)
def test_a_folder_of_another_user(tmp_path, words, line):
    shut = tmp_path / "shut"
    (shut / "x/hosts/h").mkdir(parents=True)
    shut.chmod(0o700)
    code = AS_NOBODY % (NOBODY, NOBODY)
    done = subprocess.run(
        [sys.executable, "-c", code, *words.format(shut).split()],
        cwd=shut, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = done.stderr.partition("---\n")[2].splitlines()
    assert (done.returncode, said[0]) == (2, line.format(shut)), done.stderr
    assert said[1].startswith("help: ")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_an_interpreter_that_cannot_be_looked_at_is_unknown(tmp_path):
    from sgfleet.facts import machine

    shut = tmp_path / "shut"
    shut.mkdir(mode=0o700)
    code = (
        "import os, sys, sgfleet.facts.machine as m; machine = m.LiveMachine(); os.seteuid(65534)\n"
        "print(machine.shut(sys.argv[1]), machine.shut('/no/such'), machine.shut('/'))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(shut / "python3")], capture_output=True, text=True)
    assert done.stdout == "permission denied None None\n", done.stderr
    assert machine.LiveMachine().shut(str(shut / "python3")) is None, "root may look"
