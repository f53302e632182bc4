"""A secret on a command line is in no answer of `argv`, `memory --set` and `show`."""

from __future__ import annotations

import json
import sys

import pytest

from cli.test_argv import batch
from sgfleet.cli.main import main

WORD = "hunter2"

LINES = [
    ["--model-path", "m", "--api-key", WORD],
    ["--model-path", "m", f"--api-key={WORD}"],
    ["--model-path", "m", "--api", WORD],
    ["--model-path", "m", "--admin-api-key", "other", "--ssl-keyfile-password", WORD],
    ["--model-path", "m", "--api_key", WORD],
    ["--model-path", "m", f"--api_key={WORD}"],
    ["--model-path", "m", "--api-key", "a", WORD],
    ["--model-path", "m", "--api-key", WORD, "--tp-size", WORD],
    ["--model-path", "m", "--api-keyy", WORD],
    ["--model-path", "m", "--json-model-override-args", f'{{"api_key": "{WORD}"}}'],
]


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("words", LINES)
def test_one_line(words, form, capsys):
    main(["argv", "--format", form, "0.5.9", "--", *words])
    said = "".join(capsys.readouterr())
    assert WORD not in said
    assert "SGLang 0.5.9" in said or '"release": "0.5.9"' in said


@pytest.mark.parametrize("words", LINES[:-1])
def test_many_lines(words, monkeypatch, capsys):
    answers = batch(monkeypatch, capsys, json.dumps(words).encode(), "0.5.9")
    assert WORD not in json.dumps(answers)


def test_the_values_of_other_flags_are_the_parsers(monkeypatch, capsys):
    text = f'{{"api_key": "{WORD}"}}'
    words = ["--model-path", WORD, "--json-model-override-args", text, "--api-key", "x"]
    (answer,) = batch(monkeypatch, capsys, json.dumps(words).encode(), "0.5.9")
    assert answer["values"] == {"model-path": WORD, "json-model-override-args": text, "api-key": "(hidden)"}


@pytest.mark.parametrize("given", [f"api-key {WORD}", f"extra-metric-labels={{api_key: {WORD}"])
def test_a_change_that_is_refused(given, tmp_path, capsys, monkeypatch):
    host = 'host: h\nservices:\n  a: {release: "0.5.9", python: /p, flags: {model-path: /m}}\n'
    (tmp_path / "hosts" / "h").mkdir(parents=True)
    (tmp_path / "hosts" / "h" / "host.yaml").write_text(host)
    monkeypatch.setattr(sys, "argv", ["sgfleet"])
    with pytest.raises(Exception, match="--set") as caught:
        main(["memory", "h", "--root", str(tmp_path), "--set", given])
    assert WORD not in str(caught.value)
    assert WORD not in "".join(capsys.readouterr())
