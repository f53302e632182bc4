"""`sgfleet import` from outside: what is printed, written, refused."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main

UNIT = Path(__file__).parents[1] / "corpus/units/kimi-k25-production.service"
LINE = "python -m sglang.launch_server --model-path /m"


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "hosts").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_unit_on_standard_output(here, capsys):
    assert main(["import", str(UNIT), "--release", "0.5.9"]) == 0
    assert "hicache-ratio: 2.0" in capsys.readouterr().out


def test_written_it_is_checked_and_rendered(here, capsys):
    assert main(["import", str(UNIT), "--release", "0.5.9", "--write", "kimi-01"]) == 0
    assert main(["render"]) == 0
    words = ["/e/bin/python3", "-m", "sglang.launch_server", "--model-path", "/m", "--port", "31000"]
    before = (here / "hosts/kimi-01/host.yaml").read_text()
    assert main(["import", "--release", "0.5.9", "--write", "kimi-01", "--name", "chat", "--", *words]) == 0
    assert (here / "hosts/kimi-01/host.yaml").read_text().startswith(before)
    assert main(["render"]) == 0
    with pytest.raises(UsageError, match="already"):
        main(["import", "--release", "0.5.9", "--write", "kimi-01", "--name", "chat", "--", *words])


def test_usage(here):
    for words in (["import"], ["import", "x", "--", "y"], ["import", "gone.service"]):
        with pytest.raises(UsageError):
            main(words)
    with pytest.raises(UsageError, match="no name of a host"):
        main(["import", str(UNIT), "--release", "0.5.9", "--write", "../x"])


def test_a_source_without_an_end_is_refused(here, monkeypatch, capsys):
    """A device, a pipe, a file that is none of these: no more than the bound is read."""
    with pytest.raises(UsageError, match="/dev/zero: more than 1 MiB"):
        main(["import", "/dev/zero", "--release", "0.5.9"])
    with Path("/dev/zero").open("rb") as endless:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(endless))
        with pytest.raises(UsageError, match="standard input: more than 1 MiB"):
            main(["import", "-", "--release", "0.5.9"])
    (here / "zeros").write_bytes(bytes(2**20))
    assert main(["import", "zeros", "--release", "0.5.9"]) == 1
    assert "zero bytes" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        LINE + " --log-level info" * 9000,
        "env " + "A=1 " * 9000 + LINE,
        "sudo " + "-H " * 9000 + LINE,
        "docker run " + "".join(f"-v /a{at}:/b{at} -p {at}:{at + 1} " for at in range(9000)) + f"img:v0.5.9 {LINE}",
        "\n" * 200_000 + LINE,
    ],
    ids=["flags", "env", "sudo", "volumes", "blank"],
)
def test_a_long_source_is_carried_over(here, text, capsys):
    (here / "start.sh").write_text(text)
    main(["import", "start.sh", "--release", "0.5.9", "--python", "/e/bin/python3"])
    assert "model-path: /m" in capsys.readouterr().out
