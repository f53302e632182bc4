"""`sgfleet upgrade`: one line a change, nothing where a person has to decide, what is shared only with all of them."""

from __future__ import annotations

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main

HOST = """\
host: h
defaults:
  release: "0.5.9"   # all of them
  python: /opt/sglang-0.5.9/bin/python3
services:
  chat:
    flags:
      model-path: /m   # here
      cuda-graph-max-bs: 0x40    # as measured
      "nsa-decode-backend": flashmla_kv
  other:
    release: '0.5.10'
    flags: {model-path: /n, stream-output: true}
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    file = tmp_path / "hosts/h/host.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(HOST)
    monkeypatch.chdir(tmp_path)
    return file


def test_a_whole_host_every_other_byte_stays(file, capsys):
    assert main(["upgrade", "h", "--to", "0.5.23", "--check"]) == 0
    assert file.read_text() == HOST
    assert main(["upgrade", "h", "--to", "0.5.23"]) == 0
    told = capsys.readouterr().out
    assert "renamed: cuda-graph-max-bs -> cuda-graph-max-bs-decode" in told
    assert "to do: python still is /opt/sglang-0.5.9/bin/python3" in told
    assert file.read_text() == (
        HOST.replace('"0.5.9"', '"0.5.23"')
        .replace("'0.5.10'", "'0.5.23'")
        .replace("cuda-graph-max-bs:", "cuda-graph-max-bs-decode:")
        .replace('"nsa-decode-backend"', "dsa-decode-backend")
        .replace("stream-output", "incremental-streaming-output")
    )
    assert main(["render"]) == 0


def test_one_service_leaves_what_the_others_share(file):
    python = "/opt/sglang-0.5.23/bin/python3"
    assert main(["upgrade", "h/chat", "--to", "0.5.23", "--python", python]) == 0
    text = file.read_text()
    assert '  release: "0.5.9"   # all of them\n' in text
    assert f'    release: "0.5.23"\n    python: {python}\n' in text
    assert "stream-output" in text


def test_what_has_to_be_decided_stops_it(file, capsys):
    gone = HOST.replace("cuda-graph-max-bs: 0x40", "enable-ep-moe: true")
    file.write_text(gone.replace('"0.5.9"', '"0.5.1"'))
    before = file.read_text()
    assert main(["upgrade", "h/chat", "--to", "0.5.23"]) == 1
    told = capsys.readouterr()
    assert "error: SGLang 0.5.23 has no flag enable-ep-moe" in told.out
    assert "nothing is written" in told.err
    assert file.read_text() == before


def test_a_shared_flag_with_a_new_name_is_not_renamed_for_one(file, capsys):
    shared = HOST.replace("services:", "  flags: {cuda-graph-max-bs: 8}\nservices:")
    file.write_text(shared.replace("      cuda-graph-max-bs: 0x40    # as measured\n", ""))
    before = file.read_text()
    assert main(["upgrade", "h/chat", "--to", "0.5.23"]) == 1
    assert "comes from what other services share" in capsys.readouterr().out
    assert file.read_text() == before
    assert main(["upgrade", "h", "--to", "0.5.23"]) == 0
    assert "flags: {cuda-graph-max-bs-decode: 8}" in file.read_text()


def test_usage(file):
    for words in (["h", "--to", "9.9.9"], ["h/nope", "--to", "0.5.23"], ["x", "--to", "0.5.23"]):
        with pytest.raises(UsageError):
            main(["upgrade", *words])


@pytest.mark.parametrize("python", ["relative/python", "", "/opt/a\nb", "~/venv/bin/python3"])
def test_an_interpreter_that_no_spec_takes_is_not_written(file, python):
    for more in ([], ["--check"]):
        with pytest.raises(UsageError, match=r"not an absolute path(, such as|: it holds U\+000A after 6 characters)"):
            main(["upgrade", "h", "--to", "0.5.23", "--python", python, *more])
    assert file.read_text() == HOST


def test_no_default_is_told_that_stays_or_that_a_given_flag_decides(file, capsys):
    file.write_text(
        HOST.replace('"0.5.9"', '"0.5.12"').replace(
            '"nsa-decode-backend": flashmla_kv', "nsa-prefill-cp-mode: in-seq-split"
        )
    )
    assert main(["upgrade", "h/chat", "--to", "0.5.13", "--check"]) == 0
    told = capsys.readouterr().out
    assert "SUPPRESS" not in told
    assert "default: nsa-" not in told
    assert "default: dsa-" not in told


def test_what_has_the_release_already_stays_as_it_is(file, capsys):
    """Alone, and beside a service that has not; the interpreter may still be another one."""
    assert main(["upgrade", "h/other", "--to", "0.5.10"]) == 0
    told = capsys.readouterr()
    assert (told.out, file.read_text()) == ("h/other: SGLang 0.5.10 already\n", HOST)
    assert told.err == "nothing to write: all of it is so already\n"
    assert main(["upgrade", "h", "--to", "0.5.10", "--check"]) == 0
    told = capsys.readouterr().out
    assert "h/other: SGLang 0.5.10 already\n" in told
    assert "h/chat: SGLang 0.5.9 -> 0.5.10\n" in told
    python = "/opt/sglang-0.5.10/bin/python3"
    assert main(["upgrade", "h/other", "--to", "0.5.10", "--python", python]) == 0
    assert f"  python: /opt/sglang-0.5.9/bin/python3 -> {python}" in capsys.readouterr().out
    assert f"    python: {python}\n" in file.read_text()
    assert main(["upgrade", "h/other", "--to", "0.5.10", "--python", python]) == 0
    assert capsys.readouterr().err == "nothing to write: all of it is so already\n"


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/opt/sglang-0.5.1/bin/python3", True),
        ("/opt/sglang-0.5.1-cu12/bin/python3", True),
        ("/opt/0.5.1/bin/python3", True),
        ("/opt/sglang-0.5.12/bin/python3", False),
        ("/opt/sglang-0.5.1.post2/bin/python3", False),
        ("/opt/sglang-10.5.1/bin/python3", False),
        ("/opt/sglang/bin/python3", False),
    ],
)
def test_only_an_interpreter_of_the_release_before_is_named(file, capsys, path, named):
    file.write_text(HOST.replace('"0.5.9"', '"0.5.1"').replace("/opt/sglang-0.5.9/bin/python3", path))
    main(["upgrade", "h/chat", "--to", "0.5.23", "--check"])
    assert ("python still is" in capsys.readouterr().out) is named
