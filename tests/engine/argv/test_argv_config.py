"""`--config FILE.yaml`: the words that a file becomes, era by era, and the files that are refused."""

from __future__ import annotations

import dataclasses

import pytest

from sgfleet.engine import store
from sgfleet.engine.argv.config import UnknowableError
from sgfleet.engine.argv.outcome import NotKnown, Parsed, Rejected
from sgfleet.engine.argv.parse import parse


def judged(version, text, line="--model-path m --config c.yaml"):
    def read(path):
        assert path == "c.yaml"
        return text

    return parse(store.load(version), line.split(), read)


def everywhere(wanted):
    return dict.fromkeys((BARE, TYPED, JSON, SPELLINGS), wanted)


BARE, TYPED, JSON, SPELLINGS = "0.5.3", "0.5.8", "0.5.14", "0.5.23"


@pytest.mark.parametrize(
    ("text", "by_era"),
    [
        ("port: 1", {BARE: {"port": 1}, TYPED: {"port": 1}, JSON: {"port": 1}, SPELLINGS: {"port": 1}}),
        ("enable-mixed-chunk: true", everywhere({"enable-mixed-chunk": True})),
        ("enable-mixed-chunk: false", everywhere({})),
        ("enable_mixed_chunk: true", everywhere("unknown-option")),
        ("enable-mixed-chunk: 'true'", everywhere("unexpected-word")),
        ("served-model-name: true", {BARE: "missing-value", TYPED: {"served-model-name": "true"}}),
        ("served-model-name: false", {BARE: {}, TYPED: {"served-model-name": "false"}}),
        ("served-model-name: null", {BARE: {"served-model-name": "None"}, SPELLINGS: {"served-model-name": "None"}}),
        ("served-model-name: 2020-01-02", {BARE: {"served-model-name": "2020-01-02"}}),
        ("bucket-inter-token-latency: [0.1, 2]", {BARE: {"bucket-inter-token-latency": [0.1, 2.0]}}),
        ("bucket-inter-token-latency: []", {BARE: {}, SPELLINGS: {}}),
        ("json-model-override-args: {a: 1}", {
            TYPED: {"json-model-override-args": "{'a': 1}"}, JSON: {"json-model-override-args": '{"a": 1}'},
        }),
        ("json-model-override-args: {a: 2020-01-02}", {JSON: "config-invalid"}),
        ("lora-paths: [a]", everywhere("config-unsupported") | {BARE: {"lora-paths": ["a"]}}),
        ("monokernel-backend: amd", {SPELLINGS: {"monokernel-backend": True}}),
        ("tensor-parallel-size: 2", {BARE: {"tensor-parallel-size": 2}, SPELLINGS: {"tp-size": 2}}),
        ("1: 2", {BARE: "unknown-option", TYPED: "config-invalid", SPELLINGS: "config-invalid"}),
        ("- a", everywhere("config-invalid")),
        ("", everywhere({})),
        ("a: [", everywhere("config-invalid")),
        ("a: !!python/object:os.system x", everywhere("config-invalid")),
        ("port: 1\nport: 2", everywhere({"port": 2})),
    ],
)  # fmt: skip
def test_a_file_becomes_words(text, by_era):
    for version, wanted in by_era.items():
        outcome = judged(version, text)
        if isinstance(wanted, str):
            assert isinstance(outcome, Rejected), (version, outcome)
            assert outcome.kind == wanted
        else:
            assert isinstance(outcome, Parsed), (version, outcome)
            assert outcome.values == {"model-path": "m"} | wanted, version


def test_the_command_line_comes_after_the_file():
    outcome = judged(SPELLINGS, "port: 1\nhost: h", "--port 2 --config c.yaml --model-path m")
    assert outcome.values == {"port": 2, "host": "h", "model-path": "m"}
    assert [(use.option, use.from_config) for use in outcome.given] == [
        ("--port", True), ("--host", True), ("--port", False), ("--model-path", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("--model-path m --config", "config-missing"),
        ("--config c.yaml --config c.yaml", "config-repeated"),
        ("--model-path m --config c.json", "config-not-yaml"),
        ("--model-path m --config .yaml", "config-not-yaml"),
        ("--model-path m --config gone.yaml", "config-unreadable"),
        ("--model-path m --config latin.yaml", "config-unreadable"),
    ],
)
def test_refused(line, kind):
    def read(path):
        if path == "latin.yaml":
            return b"\xff".decode()
        raise FileNotFoundError(2, "No such file or directory")

    outcome = parse(store.load("0.5.9"), line.split(), read)
    assert isinstance(outcome, Rejected)
    assert outcome.kind == kind


@pytest.mark.parametrize("words", [["--config=c.yaml"], ["--conf", "c.yaml"]])
def test_only_a_word_of_its_own_is_read(words):
    outcome = parse(store.load("0.5.9"), ["--model-path", "m", *words], None)
    assert isinstance(outcome, Parsed)
    assert outcome.values["config"] == "c.yaml"
    assert "config-not-read" in [note.kind for note in outcome.notes]


def test_an_empty_name_is_no_file():
    outcome = parse(store.load("0.5.9"), ["--model-path", "m", "--config", ""], None)
    assert outcome.values == {"model-path": "m", "config": ""}


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("0.5.9", BOMB),
        ("0.5.9", "a: &a [*a]"),
        ("0.5.9", "x: " + "y" * (1 << 20)),
        ("0.5.9", "served-model-name: !!set {a, b}"),
    ],
)
def test_what_this_tool_does_not_work_out(version, text):
    outcome = judged(version, text)
    assert isinstance(outcome, NotKnown)
    assert outcome.kind == "config-not-known"


def test_a_file_that_was_not_read_makes_the_verdict_unknown():
    words = ["--model-path", "m", "--config", "c.yaml"]
    assert parse(store.load("0.5.9"), words).ok is None

    def refuse(path):
        raise UnknowableError("a pipe")

    assert parse(store.load("0.5.9"), words, refuse).ok is None


def test_a_release_whose_reader_was_not_looked_at():
    release = dataclasses.replace(store.load("0.5.23"), version="0.9.0")
    outcome = parse(release, ["--model-path", "m", "--config", "c.yaml"], lambda path: "port: 1")
    assert outcome.ok is None
    assert parse(release, ["--model-path", "m", "--port", "1"]).ok is True
