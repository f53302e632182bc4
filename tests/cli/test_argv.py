"""`sgfleet argv`: the verdict in both forms, line by line with --batch, and the exit codes."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sgfleet.cli.common import FindingsError, UsageError
from sgfleet.cli.main import main


def batch(monkeypatch, capsys, text, *options):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["argv", *options, "--batch"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_taken(capsys):
    assert main(["argv", "0.5.9", "--", "--model-path", "m", "--tp", "8", "--served-model-name", " "]) == 0
    assert capsys.readouterr().out == (
        "SGLang 0.5.9 takes this command line.\n"
        "  model-path         m\n"
        "  tp-size            8\n"
        '  served-model-name  " "\n'
        "\n"
        "note: --tp is short for --tp-size in this release; a later one may find it ambiguous\n"
        "help: write --tp-size\n"
    )


def test_refused(capsys):
    assert main(["argv", "0.5.9", "--", "--model-path", "m", "--mem_fraction_static", "0.8"]) == 1
    assert capsys.readouterr().out == (
        "SGLang 0.5.9 refuses this command line.\n"
        "error: SGLang 0.5.9 has no option '--mem_fraction_static'\n"
        "help: write --mem-fraction-static\n"
    )


def test_every_word_behind_the_dashes_belongs_to_the_release(capsys):
    words = ["--model-path", "m", "--format", "json", "--lora-paths", "a", "--", "x", "--batch"]
    assert main(["argv", "0.5.9", "--format", "json", "--", *words]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["arguments"] == words
    assert answer["format"] == 1
    assert (answer["ok"], answer["kind"]) == (False, "unknown-option")


def test_json_says_what_json_cannot(capsys):
    words = [
        "--model-path",
        "m",
        "--mem-fraction-static",
        "nan",
        "--context-length",
        "9" * 4400 + "k",
        "--hicache-ratio=-inf",
    ]
    assert main(["argv", "0.5.23", "--format", "json", "--", *words]) == 0
    values = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["values"]
    assert values["mem-fraction-static"] == "NaN"
    assert values["hicache-ratio"] == "-Infinity"
    assert values["context-length"].startswith("0x")


def test_all_shows_what_is_not_given(capsys):
    assert main(["argv", "0.5.9", "--all", "--format", "json", "--", "--model-path", "m"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["values"] == {"model-path": "m"}
    assert answer["defaults"]["hicache-ratio"] == 2.0
    assert "model-path" not in answer["defaults"]
    assert main(["argv", "0.5.9", "--all", "--", "--model-path", "m"]) == 0
    assert "\nNot given:\n" in capsys.readouterr().out


def test_a_file_is_read_from_here(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text("port: 8000\n", encoding="utf-8")
    assert main(["argv", "0.5.9", "--", "--model-path", "m", "--config", "c.yaml"]) == 0
    assert "8000" in capsys.readouterr().out
    assert main(["argv", "0.5.9", "--", "--model-path", "m", "--config", "gone.yaml"]) == 1
    assert "No such file or directory" in capsys.readouterr().out
    assert main(["argv", "0.5.9", "--", "--model-path", "m", "--config", "/dev/zero.yaml"]) == 1
    (tmp_path / "d.yaml").mkdir()
    assert main(["argv", "0.5.9", "--", "--model-path", "m", "--config", "d.yaml"]) == 1


def test_a_device_is_not_opened(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    assert main(["argv", "0.5.9", "--", "--model-path", "m", "--config", "zero.yaml"]) == 1
    assert capsys.readouterr().out.startswith("Not known whether SGLang 0.5.9 takes this command line.\n")


def test_batch(monkeypatch, capsys):
    lines = [
        b'["--model-path", "m", "--port", "1"]',
        b"",
        b"nonsense",
        b"[1]",
        b'"--tp"',
        b"\xff",
        b'["-h"]',
        b"[" * 10**5,
        b'["\\ud800"]',
    ]
    answers = batch(monkeypatch, capsys, b"\n".join(lines), "0.5.9")
    assert answers[0] == {"ok": True, "error": None, "values": {"model-path": "m", "port": 1}}
    assert [answer["ok"] for answer in answers[1:]] == [False] * 8
    assert [answer["kind"] for answer in answers[1:6]] == ["bad-line"] * 5
    assert [answer["kind"] for answer in answers[6:]] == ["help-requested", "bad-line", "required-missing"]
    assert all(isinstance(answer["error"], str) and answer["values"] is None for answer in answers[1:])
    assert batch(monkeypatch, capsys, b"", "0.5.9") == []


def test_usage(capsys):
    with pytest.raises(UsageError) as unknown:
        main(["argv", "0.5.99", "--", "--tp", "8"])
    assert "0.5.99" in unknown.value.message
    assert "0.5.23" in unknown.value.help
    with pytest.raises(UsageError, match="no command line"):
        main(["argv", "0.5.9"])
    with pytest.raises(UsageError, match="standard input"):
        main(["argv", "0.5.9", "--batch", "--", "--tp", "8"])
    for words in (["0.5.9", "--tp", "8"], ["0.5.9", "--all", "--tp", "8"], ["--tp", "8"]):
        with pytest.raises(UsageError) as without:
            main(["argv", *words])
        assert " -- --tp 8" in without.value.help
    with pytest.raises(UsageError) as short:
        main(["argv", "0.5", "--", "--tp", "8"])
    assert "0.5.23" in short.value.help


def test_the_repository_is_found_upwards(tmp_path, monkeypatch, capsys):
    below = tmp_path / "hosts" / "a"
    below.mkdir(parents=True)
    schema = tmp_path / "schema" / "sglang" / "0.5.9.json"
    schema.parent.mkdir(parents=True)
    schema.write_text("{\n", encoding="utf-8")
    monkeypatch.chdir(below)
    for command in (["argv", "0.5.9", "--", "--tp", "8"], ["schema", "diff", "0.5.9", "0.5.10"]):
        with pytest.raises(FindingsError) as damaged:
            main(command)
        (finding,) = damaged.value.findings
        assert finding.code == "SCH001"
        assert finding.place.path == "schema/sglang/0.5.9.json"
        assert "sgfleet schema add 0.5.9" in finding.help
    done = subprocess.run(
        [Path(sys.executable).parent / "sgfleet", *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout.startswith("error[SCH001]: the flag schema of SGLang 0.5.9 cannot be used: ")


def test_a_name_in_the_table_is_one_that_was_written(capsys):
    assert main(["argv", "0.5.9", "--", "--model", "m", "--tensor-parallel-size", "8"]) == 0
    assert capsys.readouterr().out.splitlines()[1:3] == ["  model                 m", "  tensor-parallel-size  8"]


OWN = ["--model-path", "m", "--tp", "8"]


@pytest.mark.parametrize(
    "front",
    [
        "python -m sglang.launch_server",
        "python3 -u -m sglang.launch_server",
        "/opt/x/bin/python3.11 -m sglang.launch_server",
        "-m sglang.launch_server",
        "sglang.launch_server",
        "python3 /opt/x/lib/sglang/launch_server.py",
        "sglang serve",
        "/opt/x/bin/sglang serve",
        "HF_TOKEN=hunter2-and-more CUDA_VISIBLE_DEVICES=0 python3 -m sglang.launch_server",
        "env HF_TOKEN=hunter2-and-more python3 -m sglang.launch_server",
        "sudo -u sglang python3 -m sglang.launch_server",
        "nohup python3 -m sglang.launch_server",
        "docker run --gpus all img:v0.5.9 python3 -m sglang.launch_server",
    ],
)
def test_a_whole_command_is_told_where_its_arguments_begin(capsys, front):
    words = front.split()
    assert main(["argv", "0.5.9", "--", *words, *OWN]) == 1
    said = capsys.readouterr().out
    count = int(re.search(r"leave the first (?:(\d+) words|word) out", said)[1] or 1)
    assert "did you mean" not in said
    assert "hunter2" not in said.split("help: ")[1]
    assert main(["argv", "0.5.9", "--", *[*words, *OWN][count:]]) == 0


@pytest.mark.parametrize("front", ["", "python -m sglang.launch_server "])
def test_a_command_in_one_word_is_told_to_be_several(capsys, front):
    assert main(["argv", "0.5.9", "--", front + " ".join(OWN)]) == 1
    assert "write the arguments as words of their own" in capsys.readouterr().out


def test_what_only_looks_like_a_launcher_is_none(capsys):
    assert main(["argv", "0.5.9", "--", "--model-path", "sglang.launch_server", "--nope"]) == 1
    assert "leave the first" not in capsys.readouterr().out
