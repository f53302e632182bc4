"""Predictions against start-up logs: the corpus is predicted, odd entries are read, misses get their candidates."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as setup
from hypothesis import strategies as st

from sgfleet.cli.commands.accuracy import PAGE_HEAD
from sgfleet.engine import store
from sgfleet.memory.accuracy.entry import Entry, LogsError, finite, read_entries
from sgfleet.memory.accuracy.guess import model_of, release_dates, release_of
from sgfleet.memory.accuracy.row import Row
from sgfleet.memory.accuracy.score import score
from sgfleet.memory.accuracy.why import why
from sgfleet.output.accuracy import Scored, as_json, as_markdown, as_text, is_miss

TESTS = Path(__file__).parents[1]
CORPUS = TESTS / "corpus" / "logs.jsonl"
PAGE = TESTS.parent / "docs" / "reference" / "accuracy.md"
ENTRIES = {entry.id: entry for entry in read_entries(CORPUS.read_text())}


def scored(entry):
    result = score(entry)
    return Scored(result, tuple(why(entry, row) if is_miss(row) else () for row in result.rows))


ALL = [scored(entry) for entry in ENTRIES.values()]
ROWS = [row for each in ALL for row in each.score.rows]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.entry}-{row.what}" for row in ROWS])
def test_figures_of_the_corpus(row):
    """Within 2 % where the log has the terms, 5 % where it has not, as printed where only formulas lie between."""
    assert row.within_limit, f"{row.error:+.2%}"
    assert row.within_bound, f"{row.predicted} claims ± {row.bound}"


def test_the_corpus_is_predicted_in_earnest():
    assert len(ENTRIES) == 14
    tokens = [row for row in ROWS if row.what == "KV tokens"]
    assert len(tokens) == 11
    assert {row.terms for row in ROWS} == {"measured", "hardware", "exact", "estimated"}
    assert [each.score.entry for each in ALL if not each.score.rows] == ["L054"]


def test_the_kept_table_is_this_one():
    assert PAGE.read_text() == f"{PAGE_HEAD}\n{as_markdown(ALL)}", "make accuracy"


def test_claims_are_worth_something():
    """An estimator that claims ± 100 % is always right."""
    for row in ROWS:
        if row.terms in {"measured", "hardware"}:
            assert row.bound < row.logged * (0.04 if row.terms == "measured" else 0.2)


def test_forms_of_output():
    data = json.loads(as_json(ALL))
    assert (data["format"], len(data["entries"])) == (1, 14)
    assert sum(len(entry["rows"]) for entry in data["entries"]) == len(ROWS)
    text = as_text(ALL)
    assert "L054" in text
    assert "not predicted: nothing is known of bosonai/higgs" in text
    assert as_markdown(ALL).count("\n| L0") == len(ROWS)


# ---- what an entry leaves open -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "facts", "expected"),
    [
        ("0.5.9", {}, "0.5.9"),
        ("v0.5.4.post1 (docker)", {}, "0.5.4.post1"),
        (None, {"log_date": "2025-10-07"}, "0.5.3"),
        ("PR branch of 2025-10-07", {}, "0.5.3.post1"),
        ("main", {"report_date": "2025-10-07"}, "0.5.3.post1"),
        ("nightly", {"report_date": "2199-01-01"}, store.available()[-1]),
        (None, {"log_date": "2019-01-01"}, store.available()[0]),
        ("between 0.5.3 and 0.5.5", {"log_date": "2025-10-30"}, "0.5.4.post1"),
        ("between 0.5.3 and 0.5.5", {"log_date": "2026-05-01"}, "0.5.5"),
        (None, {}, "0.4.0"),
    ],
)
def test_which_release_it_was(version, facts, expected):
    assert release_of(Entry("x", "m", version=version, facts=facts)).version == expected


def test_a_release_that_takes_flags_and_model():
    entry = Entry("x", "m", flags=("--enable-piecewise-cuda-graph",))
    assert release_of(entry).version == "0.5.3.post2"
    assert release_of(Entry("x", "m"), "KimiK25ForConditionalGeneration").version == "0.5.9"


def test_dates_are_in_order():
    dates = list(release_dates().values())
    assert dates == sorted(dates)
    assert set(store.available()) <= set(release_dates())


@pytest.mark.parametrize(
    ("name", "taken_for"),
    [
        ("moonshotai/Kimi-K2.5", "moonshotai/Kimi-K2.5"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-ai/DeepSeek-V3.2"),
        ("Llama-3.3-70B-Instruct-AWQ", "meta-llama/Meta-Llama-3.1-70B"),
        ("acme/GLM-5-NVFP4-MTP", "nvidia/GLM-5-NVFP4"),
        ("nobody/has-this-7B", None),
        ("", None),
    ],
)
def test_which_model_it_was(name, taken_for):
    found = model_of(name)
    assert (None if found is None else found.found.shape.source.name) == taken_for


# ---- misses ------------------------------------------------------------------------------------------------------


def test_a_miss_names_what_would_explain_it():
    entry = replace(ENTRIES["L043"], logged={**ENTRIES["L043"].logged, "kv_tokens": 237_660})
    row = score(entry).rows[0]
    assert is_miss(row)
    reasons = why(entry, row)
    assert any(reason.startswith("with a KV cache of fp8_e4m3 it would be") for reason in reasons)
    assert any(
        reason.startswith("something else takes") and reason.endswith("a rank than is counted") for reason in reasons
    )
    assert "MISS" in as_text([Scored(score(entry), tuple(() for _ in score(entry).rows))])


def test_a_guessed_release_may_be_the_reason():
    entry = replace(ENTRIES["L020"], version=None)
    row = score(entry).rows[0]
    assert not row.within_limit
    assert why(entry, row)[0].startswith("by the rules of 0.5.3.post1 it would be +1.7%")


def test_what_nothing_explains_is_said():
    row = Row("x", "free after the pool, GiB", "estimated", 10.0, 1.0, 0.1, 0.5)
    assert why(Entry("x", "m"), row) == ("nothing that was tried explains it",)


def test_exact_figures_agree_as_printed():
    assert Row("x", "", "exact", 8.23, 8.2349, None, 0).within_limit
    assert not Row("x", "", "exact", 8.23, 8.2449, None, 0).within_limit
    assert Row("x", "", "exact", 0, 0, None, 0).error == 0


# ---- files that are no such files --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: is not JSON"),
        ("\n\n[]", "line 3: is not an object with a model"),
        ('{"id": "x"}', "line 1: is not an object with a model"),
        ('{"model": "m", "tp": 0}', "line 1: tp is not a number of GPUs or ranks"),
        ('{"model": "m", "tp": true}', "line 1: tp is not a number of GPUs or ranks"),
        ('{"model": "m", "flags": "--tp 8"}', "line 1: flags is not a list"),
        ('{"model": "m", "logged": []}', "line 1: logged is not a mapping"),
        ("[" * 100_000, "line 1: is not JSON"),
    ],
)
def test_lines_that_cannot_be_read(text, said):
    with pytest.raises(LogsError, match=said):
        list(read_entries(text))


@pytest.mark.parametrize("value", [math.nan, math.inf, 10**400, True, None, "7", [7]])
def test_what_is_no_figure(value):
    assert finite(value) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(sorted({name for entry in ENTRIES.values() for name in entry.logged}))
facts = st.sampled_from(sorted({name for entry in ENTRIES.values() for name in entry.facts}))
figures = st.one_of(st.floats(0.1, 200), st.integers(0, 10**7), anything)
words = st.sampled_from(
    ["--tp", "8", "--page-size", "0", "-1", "--kv-cache-dtype", "fp8_e4m3", "--mem-fraction-static", "0.9", "2", "--dp",
     "--enable-dp-attention", "--enable-hierarchical-cache", "--hicache-ratio", "--hicache-size", "30", "nan",
     "--speculative-algorithm", "EAGLE", "--no-such-flag", "--quantization", "fp8", "--pp", "--context-length", "{}"]
)  # fmt: skip


@setup(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    model=st.sampled_from([*(entry.model for entry in ENTRIES.values()), "openai/gpt-oss-120b", "x", " ("]),
    gpu=st.sampled_from(["H100", "B200", "x", None]),
    version=st.sampled_from(["0.4.0", "0.5.9", "0.5.23", "main", None, "0.5.9 or 0.5.10"]),
    flags=st.lists(words, max_size=6),
    logged=st.dictionaries(names, figures, max_size=6),
    known=st.dictionaries(facts, figures, max_size=3),
)
def test_no_entry_is_too_odd(model, gpu, version, flags, logged, known):
    line = json.dumps(
        {"model": model, "gpu": gpu, "sglang_version": version, "flags": flags, "logged": logged, "facts": known}
    )
    (entry,) = read_entries(line)
    each = scored(entry)
    assert each.score.rows or each.score.missed
    for render in (as_text, as_markdown, as_json):
        assert render([each]).isprintable() or "\n" in render([each])
