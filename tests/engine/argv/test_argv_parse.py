"""What a command line comes to, and what is said about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sgfleet.engine import store
from sgfleet.engine.argv.advice import advised, elsewhere_of
from sgfleet.engine.argv.outcome import NotKnown, Parsed, Rejected
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.release import Release

REFUSED = [
    json.loads(line) for line in Path(__file__).with_name("refused.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Command lines, why a release refuses them, and what to write instead."""


def judged(version, line, files=None):
    release = store.load(version)
    words = line.split() if isinstance(line, str) else line
    return advised(release, words, parse(release, words, None if files is None else files.__getitem__))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case['release']} {case['arguments']}")
def test_refused(case):
    outcome = judged(case["release"], case["arguments"])
    assert isinstance(outcome, Rejected), outcome
    assert (outcome.kind, outcome.help) == (case["kind"], case["help"])
    assert outcome.message == outcome.message.strip()
    assert not outcome.message.endswith(".")


def test_several_unknown_options_are_all_named():
    outcome = judged("0.4.0", "--model-path m --hicache-ratio 2 --reasoning-parser x")
    assert outcome.message == "SGLang 0.4.0 has no option '--hicache-ratio', nor '--reasoning-parser'"
    assert "--hicache-ratio exists from" in outcome.help
    assert "--reasoning-parser exists from" in outcome.help


def test_values_and_notes_of_an_accepted_line():
    outcome = judged("0.5.23", "--model m --tp 4 --tp-size 8 --enable-dp-attention --log-level trace --config=x.yaml")
    assert isinstance(outcome, Parsed)
    assert outcome.values == {
        "model-path": "m", "tp-size": 8, "enable-dp-attention": True, "log-level": "trace", "config": "x.yaml",
    }  # fmt: skip
    assert outcome.namespace["tp_size"] == 8
    assert outcome.namespace["port"] == 30000
    kinds = [note.kind for note in outcome.notes]
    assert kinds == ["abbreviated", "repeated", "deprecated", "config-not-read", "fails-later"]
    assert [(use.option, use.token, use.value) for use in outcome.given][:3] == [
        ("--model", "--model", "m"), ("--tp-size", "--tp", 8), ("--tp-size", "--tp-size", 8),
    ]  # fmt: skip


def test_an_ignored_flag_is_said_to_be_one():
    outcome = judged("0.5.9", "--model-path m --hybrid-kvcache-ratio")
    assert [(note.kind, note.message) for note in outcome.notes] == [
        ("ignored", "--hybrid-kvcache-ratio is deprecated and has no effect in this release")
    ]


def test_a_parser_keeps_nothing_of_the_line_before():
    release = store.load("0.5.9")
    first = parse(release, ["--model-path", "m", "--tp", "8", "--lora-paths", "a"])
    parse(release, ["--tp", "x"])
    assert parse(release, ["--model-path", "m"]).values == {"model-path": "m"}
    assert parse(release, ["--model-path", "m", "--tp", "8", "--lora-paths", "a"]) == first


def test_nothing_is_printed(capfd):
    for line in ("-h", "--model-path m", "--nope", "--pp 1", "--tp x"):
        judged("0.5.23", line)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("change", "line", "ok"),
    [
        ({"type": "parse_new_thing"}, "--model-path m --tp 8", None),
        ({"type": "parse_new_thing"}, "--model-path m --tensor-parallel-size=8", None),
        ({"type": "parse_new_thing"}, "--model-path m", True),
        ({"type": "parse_new_thing"}, "--tp 8", False),
        ({"action": "NewAction"}, "--model-path m --tp 8", None),
        ({"action": "NewAction"}, "--tp 8", None),
        ({"action": "NewAction"}, "--model-path m --nope", False),
        ({"opaque": True}, "--model-path m --tp 8", None),
    ],
)
def test_what_is_not_known_is_never_said_to_be_right(change, line, ok):
    release = store.load("0.5.9")
    name = "tensor-parallel-size"
    flags = tuple(flag._replace(**change) if flag.name == name else flag for flag in release.flags)
    outcome = parse(Release("0.5.9", flags), line.split())
    assert outcome.ok is ok
    if ok is None:
        assert isinstance(outcome, NotKnown)
        assert outcome.option == "--tensor-parallel-size"


def test_when_an_option_was_there():
    assert elsewhere_of("--hicache-ratio", "0.5.9") is None
    assert elsewhere_of("--never-heard-of", "0.5.9") is None
    assert elsewhere_of("--hicache-ratio", "0.4.0") == "--hicache-ratio exists from 0.4.4.post2"
    assert elsewhere_of("--hicache-ratio", "0.9.0") is not None
