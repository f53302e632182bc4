"""What a name that is no flag stands for: sure, open, or nothing."""

from __future__ import annotations

import pytest

from sgfleet.engine import store
from sgfleet.engine.meant import as_meant, flag_of, meant_by

RELEASE = store.load("0.5.12")


@pytest.mark.parametrize("written", ["tp-size", "tensor-parallel-size", "tp_size", "--tp-size", "--tp_size", "tp"])
def test_a_flag_in_whatever_spelling_is_that_flag(written: str) -> None:
    flag, may_be = flag_of(RELEASE, written)
    assert flag is RELEASE.by_name["tp-size"]
    assert not may_be


def test_a_slip_is_not_sure_and_neither_is_a_beginning_of_several() -> None:
    assert flag_of(RELEASE, "tpsize") == (None, frozenset({"tensor_parallel_size"}))
    flag, may_be = flag_of(RELEASE, "enable-metric")
    assert flag is None
    assert may_be == {"enable_metrics", "enable_metrics_for_all_schedulers"}
    assert flag_of(RELEASE, "zzzzzz") == (None, frozenset())


def test_what_is_declared_goes_before_what_is_only_meant() -> None:
    assert as_meant(RELEASE, {"tp": 8, "tp-size": 4, "tpsize": 2}) == ({"tp-size": 4}, {})
    assert as_meant(RELEASE, {"tp_size": 8}) == ({"tensor-parallel-size": 8}, {})
    assert as_meant(RELEASE, {"tpsize": 8}) == ({}, {"tensor_parallel_size": "tpsize"})


def test_a_word_of_a_few_names_may_be_any_of_them() -> None:
    found = meant_by(store.load("0.5.9"), "ratio")
    assert found.fault == "unknown"
    assert {"hicache-ratio", "swa-full-tokens-ratio"} <= set(found.names)
    assert meant_by(RELEASE, "enable").fault == "abbreviation"
    assert not meant_by(RELEASE, "CUDA_VISIBLE_DEVICES").names
    assert meant_by(RELEASE, "TP_SIZE").names == ("tp-size",)
