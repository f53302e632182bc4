"""One program to its end: what it says, how long it may take, and that nothing of it stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sgfleet.source.process import TooMuchError, TooSlowError, run

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def shell(script: str, *, timeout_seconds: float = 20, **more):
    return run(("sh", "-c", script), folder=Path("/"), environment=ENVIRONMENT, timeout_seconds=timeout_seconds, **more)


def runs(pid: int) -> bool:
    """Whether there is such a process, and it is not dead already."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_it_says_and_how_it_ends() -> None:
    assert shell("echo out; echo err >&2; exit 7") == (7, b"out\n", b"err\n")
    assert shell("kill -9 $$").code == -9


@pytest.mark.parametrize("size", [0, 1, 65_536, 5_000_000])
def test_large_input_comes_back(size: int) -> None:
    data = os.urandom(size)
    assert shell("cat", stdin=data).output == data


def test_a_program_that_does_not_listen() -> None:
    assert shell("exec 0<&-; echo done", stdin=b"x" * 1_000_000).output == b"done\n"


def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    """Also a child that ignores the polite signal and holds the pipe."""
    script = (
        f"trap '' TERM; (trap '' TERM; echo $$ > {tmp_path}/child; sleep 300) & echo $! > {tmp_path}/pid; sleep 300"
    )
    with pytest.raises(TooSlowError):
        shell(script, timeout_seconds=0.5)
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 20
    while runs(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_child_that_lets_go_of_nothing() -> None:
    with pytest.raises(TooSlowError):
        shell("sleep 300 & exit 0", timeout_seconds=0.3)


def test_the_program_that_closed_its_outputs_and_stays() -> None:
    with pytest.raises(TooSlowError):
        shell("exec 1>&- 2>&-; sleep 300", timeout_seconds=0.3)


def test_output_is_bounded() -> None:
    with pytest.raises(TooMuchError):
        shell("yes", most_bytes=100_000)
    with pytest.raises(TooMuchError):
        shell("yes >&2", most_bytes=100_000)


def test_files_are_bounded(tmp_path: Path) -> None:
    done = shell(f"head -c 3000000 /dev/zero > {tmp_path}/big", most_file_bytes=1_000_000)
    assert done.code
    assert (tmp_path / "big").stat().st_size <= 1_000_000


def test_the_environment_is_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    assert b"SECRET" not in shell("env").output


def test_no_such_program_and_no_such_folder() -> None:
    with pytest.raises(FileNotFoundError):
        run(("no-such-program",), folder=Path("/"), environment=ENVIRONMENT, timeout_seconds=1)
    with pytest.raises(FileNotFoundError):
        run(("true",), folder=Path("/no/such/folder"), environment=ENVIRONMENT, timeout_seconds=1)
