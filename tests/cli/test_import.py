"""`sgfleet import` from outside: what is printed, written, refused."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "tests" / "corpus/units/kimi-k25-production.service"
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
    before = (here / "hosts/kimi-01/host.yaml").read_text()
    capsys.readouterr()
    assert main(["import", "--release", "0.5.9", "--write", "kimi-01", "--name", "chat", "--", *words]) == 0
    assert (
        "unchanged hosts/kimi-01/host.yaml: service chat is there already, and is the same" in capsys.readouterr().err
    )
    with pytest.raises(UsageError, match="already"):
        main(["import", "--release", "0.5.10", "--write", "kimi-01", "--name", "chat", "--", *words])
    assert (here / "hosts/kimi-01/host.yaml").read_text() == before


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


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--python", "relative/python"], "--python 'relative/python': not an absolute path, such as /opt/"),
        (["--python", ""], "--python '': not an absolute path"),
        (["--python", "/e/a\nb"], "not an absolute path"),
        (["--name", "../x"], "--name '../x': not a service name"),
        (["--name", ""], "not a service name"),
        (["--name", "Chat"], "not a service name"),
    ],
)
def test_a_value_that_no_spec_takes_is_not_written(here, options, why):
    with pytest.raises(UsageError) as caught:
        main(["import", str(UNIT), "--release", "0.5.9", "--write", "kimi-01", *options])
    assert why in caught.value.message
    assert not list((here / "hosts").iterdir())


@pytest.mark.parametrize("schemas", [False, True])
def test_the_placeholder_of_init_gives_way(here, capsys, schemas):
    """What init's next lines say to do leads to a host with one service."""
    if schemas:
        (here / "schema").mkdir()
        (here / "schema/host.schema.json").touch()
    assert main(["init", "kimi-01"]) == 0
    assert main(["import", str(UNIT), "--release", "0.5.9", "--write", "kimi-01"]) == 0
    said = capsys.readouterr().err
    assert "note: hosts/kimi-01/host.yaml: the placeholder sglang that init wrote is replaced" in said
    text = (here / "hosts/kimi-01/host.yaml").read_text()
    assert text.startswith("# yaml-language-server: ") is schemas
    assert "MODEL" not in text
    assert "host: kimi-01\n" in text
    main(["check", "kimi-01"])
    assert "HST002" not in capsys.readouterr().out


def test_a_placeholder_that_was_touched_stays_and_is_named(here, capsys):
    assert main(["init", "kimi-01"]) == 0
    file = here / "hosts/kimi-01/host.yaml"
    file.write_text(file.read_text().replace("port: 30000", "port: 30001"))
    before = file.read_text()
    assert main(["import", str(UNIT), "--release", "0.5.9", "--write", "kimi-01"]) == 1
    assert file.read_text().startswith(before)
    assert "to do: hosts/kimi-01/host.yaml: service sglang is the placeholder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LINE, "note: no User= is carried over: it runs as root"),
        (f"[Service]\nExecStart=/e/bin/{LINE}\n", "note: no User= is carried over: it runs as root"),
        (f"[Service]\nUser=1000\nExecStart=/e/bin/{LINE}\n", "note: no User= is carried over: it runs as root"),
        (f"sudo -u 1000 {LINE}", "note: no User= is carried over: it runs as root"),
        (f"docker run img:v0.5.9 {LINE}", "note: no User= is carried over: it runs as root"),
        (f"docker run --user 1000:1000 img:v0.5.9 {LINE}", "to do: user: the container ran as 1000:1000;"),
        (f"docker run -u llm img:v0.5.9 {LINE}", "to do: user: the container ran as llm;"),
        (f"docker run --user=0 img:v0.5.9 {LINE}", "to do: user: the container ran as 0;"),
        (f"docker run --user 'a b' img:v0.5.9 {LINE}", "to do: user: the container ran as another account;"),
        (f"sudo -u llm {LINE}", None),
        (f"[Service]\nUser=llm\nExecStart=/e/bin/{LINE}\n", None),
    ],
)
def test_which_account_runs_it_is_said(here, text, told, capsys):
    (here / "source").write_text(text)
    main(["import", "source", "--release", "0.5.9", "--python", "/e/bin/python3"])
    said = capsys.readouterr()
    assert ("runs as root" in said.err) == (told is not None)
    if told is not None:
        assert told in said.err
        assert said.err.count("runs as root") == 1
    else:
        assert "user: llm" in said.out


@pytest.mark.parametrize("text", [f"source venv/bin/activate\n{LINE}", f"docker run -w app img:v0.5.9 {LINE}"])
def test_what_is_written_is_what_a_spec_takes(here, text, capsys):
    (here / "source").write_text(text)
    main(["import", "source", "--release", "0.5.9", "--python", "/e/bin/python3", "--write", "kimi-01"])
    capsys.readouterr()
    main(["check", "kimi-01"])
    assert "SPC" not in capsys.readouterr().out


@pytest.mark.parametrize("rest", ["--api-key sk-0123456789abcdef", '--api-key "$KEY"'])
def test_a_file_of_secrets_is_told_with_its_mode(here, rest, capsys):
    (here / "source").write_text(f"{LINE} {rest}")
    assert main(["import", "source", "--release", "0.5.9", "--python", "/e/bin/python3"]) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if ".env" in line]
    assert lines
    assert all(line.endswith("(owner root, mode 0600)") for line in lines)


def test_a_unit_of_our_own_says_what_it_is(here, capsys):
    """Nothing is asked for that the unit says itself."""
    spec = (
        'host: a-01\nservices:\n  chat:\n    release: "0.5.9"\n    python: /opt/sglang/bin/python3\n    user: sglang\n'
        "    start: {budget: 15m, health-url: http://127.0.0.1:30001/100%25}\n    flags: {model-path: /models/m}\n"
    )
    (here / "hosts/a-01").mkdir(parents=True)
    (here / "hosts/a-01/host.yaml").write_text(spec)
    assert main(["render"]) == 0
    capsys.readouterr()
    assert main(["import", "units/a-01/chat.service"]) == 0
    told = capsys.readouterr()
    assert 'release: "0.5.9"' in told.out
    assert "release 0.5.9, as X-Sgfleet-Release of the unit says" in told.err
    assert "budget: 15m" in told.out
    assert "health-url: http://127.0.0.1:30001/100%25" in told.out


def test_where_the_release_stands_is_said_with_the_interpreter(here, capsys):
    words = ["--", "/opt/sglang/bin/python3", "-m", "sglang.launch_server", "--model-path", "/m"]
    assert main(["import", *words]) == 1
    assert "`/opt/sglang/bin/python3 -m pip show sglang` on the host tells" in capsys.readouterr().err


BEGINNERS = {
    "hosts/h/host.yaml": [["init", "h"], ["import", str(UNIT), "--release", "0.5.9", "--write", "h"]],
    "hosts/h/facts.yaml": [["facts", "--host", "h", "--new"]],
    "fleet.yaml": [["init", "h"]],
}
"""File -> the commands that may begin it."""


@pytest.mark.parametrize(
    ("path", "words"), [(path, words) for path, calls in BEGINNERS.items() for words in calls], ids=str
)
def test_whoever_begins_a_file_names_a_schema_that_is_there(here, path, words):
    main(words)
    assert "$schema" not in (here / path).read_text()
    (here / path).unlink()
    names = re.findall(r"schema/([a-z]+)\.schema\.json", " ".join(map(str, ROOT.glob("schema/*.schema.json"))))
    assert {"fleet", "facts", "host"} <= set(names)
    (here / "schema").mkdir()
    for name in names:
        (here / f"schema/{name}.schema.json").touch()
    main(words)
    found = re.match(r"# yaml-language-server: \$schema=(\S+)\n", (here / path).read_text())
    assert found
    assert ((here / path).parent / found[1]).is_file()
