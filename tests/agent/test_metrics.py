"""What Prometheus is told: well-formed whatever the host is called, and with figures that are what was remembered."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.exposition import of, read
from agent.told import ALL, FREEZE, HEAD, NASTY, NEW, NOW, OLD, STATE, there
from sgfleet.agent.metrics import RESULTS, Figures, figures_of, result_of, text, write
from sgfleet.agent.phases import fail, go_on
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT, Attempt, Phase, Record
from sgfleet.agent.requests import rollback
from sgfleet.agent.seen import Gate, Live, Seen, Word
from sgfleet.agent.state import Load
from sgfleet.agent.status import overview

TOLD = overview("box-01", STATE, FREEZE, ALL, NOW)
FIGURES = {"s-steady": Figures(Load(OLD, 412.5, 123_456), 825.0, 125_000, 2**40)}


def test_everything_that_is_known_is_told():
    samples = read(text(TOLD, "0.1.0", FIGURES, STATE.counts))
    assert of(samples, "sgfleet_build_info", version="0.1.0", host="box-01") == [1]
    assert of(samples, "sgfleet_desired_info", commit=HEAD) == [1]
    assert of(samples, "sgfleet_desired_change_timestamp_seconds") == [NOW - 3600]
    assert of(samples, "sgfleet_applied_info", service="s-steady", commit=HEAD, hash=OLD) == [1]
    assert of(samples, "sgfleet_service_change_timestamp_seconds", service="s-steady") == [NOW - 60]
    assert of(samples, "sgfleet_service_load_seconds") == [412.5]
    assert of(samples, "sgfleet_service_load_budget_seconds") == [825]
    assert of(samples, "sgfleet_service_kv_tokens_planned") == [125_000]
    assert of(samples, "sgfleet_service_kv_tokens_realised") == [123_456]
    assert of(samples, "sgfleet_service_host_pool_bytes") == [2**40]
    assert of(samples, "sgfleet_service_quarantined", service="s-rolled-back") == [1]
    assert of(samples, "sgfleet_frozen") == of(samples, "sgfleet_refused") == of(samples, "sgfleet_offline") == [1]
    assert of(samples, "sgfleet_trouble") == [0]
    assert of(samples, "sgfleet_offline_since_timestamp_seconds") == [NOW - 600]
    assert [of(samples, "sgfleet_apply_total", result=result) for result in RESULTS] == [[3], [1], [0], [0], [0]]


def test_a_service_is_in_one_state():
    samples = read(text(TOLD, "0.1.0", {}, {}))
    for word in Word:
        states = of(samples, "sgfleet_service_state", service=f"s-{word.value}")
        assert sum(states) == 1
        assert len(states) == len(Word) + 1
        assert of(samples, "sgfleet_service_state", service=f"s-{word.value}", state=word.value) == [1]
    assert of(samples, "sgfleet_service_state", service="s-lost", state="unknown") == [1]


def test_what_is_not_known_gives_no_line():
    plain = text(overview("box-01", None, None, {"a": there()}, NOW), "0.1.0", {}, {})
    assert not [line for line in plain.splitlines() if "load" in line or "kv_tokens" in line or "desired" in line]
    read(plain)


def test_the_text_has_no_clock():
    first = text(overview("box-01", STATE, None, ALL, NOW), "0.1.0", FIGURES, {})
    assert text(overview("box-01", STATE, None, ALL, NOW + 999), "0.1.0", FIGURES, {}) == first


@given(st.text(), st.text(), st.text())
def test_any_text_in_a_label_is_escaped(version, commit, host):
    told = TOLD._replace(host=host, commit=commit)
    samples = read(text(told, version, {}, {}))
    assert of(samples, "sgfleet_build_info", version=version, host=host) == [1]
    assert not commit or of(samples, "sgfleet_desired_info", commit=commit) == [1]


def test_lone_surrogates_do_not_cost_the_whole_file():
    read(text(TOLD._replace(host=f"{NASTY}\udcff"), "0.1.0", {}, {}))


FORTH = Attempt(NEW, Phase.BAKING, instance="i")
BACK = Attempt(OLD, Phase.BAKING, back=True, failed=NEW, instance="i")
WHY = Reason("x", "y")
SERVES = Seen(installed=NEW, live=Live.RUNNING, instance="i", baked=True, gate=Gate(True))


@pytest.mark.parametrize(
    ("before", "step", "result"),
    [
        (Record(OLD, attempt=FORTH), lambda r: go_on(FORTH, SERVES, r).record, "applied"),
        (Record(OLD, attempt=BACK), lambda r: go_on(BACK, SERVES._replace(installed=OLD), r).record, "rolled-back"),
        (Record(OLD, attempt=FORTH), lambda r: fail(FORTH, SERVES, r, WHY).record, "failed"),
        (Record(OLD, attempt=BACK), lambda r: fail(BACK, SERVES, r, WHY).record, "broken"),
        (Record(attempt=FORTH), lambda r: fail(FORTH._replace(adopt=True), SERVES, r, WHY).record, "broken"),
        (Record(OLD, attempt=FORTH), lambda r: rollback(r, SERVES, "slow"), "failed"),
        (Record(OLD, NEW), lambda r: rollback(r, SERVES, "slow"), None),
        (Record(OLD, attempt=FORTH), lambda r: r._replace(attempt=Attempt("c" * 64)), "abandoned"),
        (Record(OLD, attempt=FORTH), lambda r: r._replace(attempt=FORTH._replace(phase=Phase.STAGING)), None),
        (Record(OLD, attempt=Attempt(OLD)), lambda r: r._replace(attempt=None), "abandoned"),
        (Record(OLD), lambda r: r._replace(attempt=FORTH), None),
        (
            Record(ABSENT, attempt=FORTH._replace(adopt=True)),
            lambda r: go_on(FORTH._replace(adopt=True), SERVES, r).record,
            None,
        ),
        (
            Record(OLD, attempt=Attempt(ABSENT, Phase.RELOADING)),
            lambda r: r._replace(verified=ABSENT, attempt=None),
            "applied",
        ),
    ],
)
def test_an_attempt_is_counted_once_by_its_end(before, step, result):
    assert result_of(before, step(before)) == result


def test_figures_are_those_that_were_kept():
    brief = {
        "budget_seconds": 900.0,
        "promise": {
            "kv_tokens": {"count": 7, "error": 0, "origin": "exact"},
            "host_pool_bytes": 5,
            "weight_bytes": 2**30,
        },
    }
    found = figures_of(brief, Load(OLD, 100.0, 9), OLD, 1.0)
    assert (found.planned_tokens, found.host_pool_bytes, found.load, found.budget_seconds) == (
        7,
        5,
        Load(OLD, 100.0, 9),
        200,
    )
    assert figures_of(brief, Load(NEW, 100.0, 9), OLD, 1.0).load is None
    for nothing in (None, {}, {"promise": None}, {"promise": {"kv_tokens": None}}):
        assert figures_of(nothing, None, OLD, 1.0)[:1] == (None,)
        assert figures_of(nothing, None, OLD, 1.0).planned_tokens is None


def test_the_file_is_whole_readable_by_others_and_left_alone_while_it_is_the_same(tmp_path):
    path = tmp_path / "sgfleet.prom"
    before = os.umask(0o077)
    try:
        write(path, "a 1\n")
    finally:
        os.umask(before)
    first = path.stat()
    assert stat.S_IMODE(first.st_mode) == 0o644
    write(path, "a 1\n")
    assert path.stat().st_ino == first.st_ino
    write(path, "a 2\n")
    assert path.read_text() == "a 2\n"
    assert [each.name for each in tmp_path.iterdir()] == ["sgfleet.prom"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        write(tmp_path / "no/sgfleet.prom", "a 1\n")
