"""The flags of a spec become a command line that the release reads back as exactly those flags."""

from __future__ import annotations

import math

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.argv.flag_values import YAML, right
from sgfleet.engine import store
from sgfleet.engine.argv.outcome import Parsed, Rejected
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.argv.values import check_value, value_of
from sgfleet.engine.argv.words import flags_to_argv
from sgfleet.engine.flag import SUPPRESSED
from sgfleet.engine.yaml_value import value_schema

RELEASES = st.sampled_from(store.available()).map(store.load)


@st.composite
def spec(draw):
    """(release, the `flags:` of a spec), most of them right."""
    release = draw(RELEASES)
    values = {}
    for flag in draw(st.lists(st.sampled_from([flag for flag in release.flags if flag.name != "config"]), max_size=6)):
        anything = draw(st.integers(0, 9)) == 0
        values[draw(st.sampled_from(flag.names))] = draw(right(flag) | YAML if anything else right(flag))
    if not any(values.get(name) is not None for name in release.by_name["model-path"].names):
        values["model-path"] = "m"
    return release, values


def same(left, right_):
    if isinstance(left, float) and isinstance(right_, (int, float)) and not isinstance(right_, bool):
        return left == right_ or (math.isnan(left) and math.isnan(right_))
    if isinstance(left, list) and isinstance(right_, list):
        return len(left) == len(right_) and all(map(same, left, right_))
    if isinstance(left, dict) and isinstance(right_, dict):
        return left.keys() == right_.keys() and all(same(left[key], right_[key]) for key in left)
    return type(left) is type(right_) and left == right_


@settings(max_examples=400, deadline=None)
@given(spec())
def test_what_is_rendered_reads_back(case):
    release, flags = case
    line = flags_to_argv(release, flags)
    if line.problems:
        return
    outcome = parse(release, line.words)
    dead = [
        name
        for name, value in flags.items()
        if value and (release.by_name[name].deprecation or NONE).effect == "rejects"
    ]
    if dead:
        assert isinstance(outcome, Rejected)
        assert outcome.kind == "deprecated-rejected"
        return
    assert isinstance(outcome, Parsed), (outcome, line)
    written = {release.by_name[name].dest for name, value in flags.items() if value is not None}
    for name, value in flags.items():
        flag = release.by_name[name]
        if value is None and (flag.default == SUPPRESSED or flag.dest in written):
            continue  # not given under this name, but perhaps under another one
        wanted = value_of(flag, value, name)
        assert same(outcome.namespace.get(flag.dest), wanted), (name, value, line)
    given_names = {
        name for name, value in flags.items() if value is not None and (value or flag_is_shown(release, name))
    }
    assert outcome.values.keys() == {release.by_name[name].name for name in given_names}
    assert not [note for note in outcome.notes if note.kind in ("abbreviated", "repeated")]


class NONE:
    effect = None


def flag_is_shown(release, name):
    flag = release.by_name[name]
    return flag.nargs != 0 or flag.action == "BooleanOptionalAction"


@settings(max_examples=300, deadline=None)
@given(spec())
def test_plain_values_arrive_as_they_are(case):
    release, flags = case
    line = flags_to_argv(release, flags)
    outcome = parse(release, line.words)
    if line.problems or not isinstance(outcome, Parsed):
        return
    for name, value in flags.items():
        flag = release.by_name[name]
        plain = flag.type in ("str", "int", "float") and flag.action == "store" and not flag.takes_json
        if plain and value is not None and value is not True:
            wanted = as_float(value) if flag.type == "float" else value
            assert same(outcome.values[flag.name], wanted), (name, value, line)


def as_float(value):
    return [float(item) for item in value] if isinstance(value, list) else float(value)


@settings(max_examples=400, deadline=None)
@given(RELEASES, st.data())
def test_the_check_and_the_editor_s_schema_agree(release, data):
    flag = data.draw(st.sampled_from(release.flags))
    value = data.draw(right(flag) | YAML)
    schema_takes_it = jsonschema.Draft202012Validator(value_schema(flag)).is_valid(value)
    problem = check_value(flag, value)
    if problem is None:
        assert schema_takes_it, (flag, value)
    elif not schema_takes_it:
        assert problem.kind in ("bad-type", "bad-choice")


@settings(max_examples=200, deadline=None)
@given(RELEASES, st.data())
def test_a_wrong_value_is_never_rendered(release, data):
    flag = data.draw(st.sampled_from(release.flags))
    value = data.draw(YAML)
    if check_value(flag, value) is not None:
        line = flags_to_argv(release, {flag.name: value})
        assert [item.name for item in line.problems] == [flag.name]
        assert not line.words


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"hicache-ratio": 4.0, "tp-size": 8}, ["--tp-size", "8", "--hicache-ratio", "4.0"]),
        ({"enable-mixed-chunk": False, "model-path": "m", "dtype": None}, ["--model-path", "m"]),
        ({"model-path": "-m", "served-model-name": "-1"}, ["--model-path=-m", "--served-model-name=-1"]),
        ({"cuda-graph-bs": [1, 2, 4]}, ["--cuda-graph-bs", "1", "2", "4"]),
        ({"mm-process-config": {"image": {"max_pixels": 1}}}, ["--mm-process-config", '{"image":{"max_pixels":1}}']),
        ({"json-model-override-args": {"b": 1, "a": 2}}, ["--json-model-override-args", '{"b":1,"a":2}']),
        ({"lora-paths": ["a", {"lora_name": 1, "lora_path": 2}]},
         ["--lora-paths", "a", '{"lora_name":1,"lora_path":2}']),
        ({"bucket-e2e-request-latency": [-1e-7, 0.5]}, ["--bucket-e2e-request-latency", "-0.0000001", "0.5"]),
    ],
)  # fmt: skip
def test_words_of_0_5_9(flags, words):
    assert list(flags_to_argv(store.load("0.5.9"), flags).words) == words


def test_a_boolean_optional_is_said_both_ways():
    release = store.load("0.5.23")
    assert flags_to_argv(release, {"enable-tf32-matmul": False}).words == ("--no-enable-tf32-matmul",)
    assert flags_to_argv(release, {"no-enable-tf32-matmul": True}).words == ("--no-enable-tf32-matmul",)
    assert flags_to_argv(release, {"no-enable-tf32-matmul": False}).words == ("--enable-tf32-matmul",)


def test_numbers_keep_their_spelling():
    release = store.load("0.5.23")
    flags = {"mem-fraction-static": 0.9, "tp-size": 8, "context-length": 1000}
    texts = {"mem-fraction-static": "9e-1", "tp-size": "0o10", "context-length": "1000"}
    words = flags_to_argv(release, flags, texts).words
    assert words == ("--context-length", "1000", "--mem-fraction-static", "9e-1", "--tp-size", "8")


@pytest.mark.parametrize(
    ("flags", "name", "kind"),
    [
        ({"tp": 8}, "tp", "unknown-flag"),
        ({"tp-size": 8, "tensor-parallel-size": 8}, "tensor-parallel-size", "twice"),
        ({"prompt-tokens-buckets": ["default", "-x"]}, "prompt-tokens-buckets", "no-word"),
        ({"model-path": "--"}, "model-path", "no-word"),
        ({"model-path": "a\x00"}, "model-path", "no-word"),
        ({"tp-size": "8"}, "tp-size", "bad-type"),
    ],
)
def test_what_no_command_line_can_say(flags, name, kind):
    line = flags_to_argv(store.load("0.5.9"), flags)
    assert [(item.name, item.problem.kind) for item in line.problems] == [(name, kind)]
