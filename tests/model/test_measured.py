"""The estimate against what SGLang printed after loading: each within the error that is stated with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from model import samples
from sgfleet.model.parallel import Parallel
from sgfleet.model.weights import weight_bytes

LOADS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "measured.json").read_text())["loads"]
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}


def estimated(load: dict[str, Any]) -> tuple[float, float]:
    """GiB on a rank, and the stated error."""
    config = load["config"]
    shape = (
        samples.made({**samples.values(config), "quantization_config": AWQ})
        if load.get("awq")
        else samples.shape(config)
    )
    found = weight_bytes(shape, Parallel(tp=load["tp"], attention_dp=load.get("attention_dp", 1)))
    return found.largest / 2**30, found.error


@pytest.mark.parametrize("load", LOADS, ids=lambda load: f"{load['config']}-tp{load['tp']}")
def test_within_the_stated_error(load: dict[str, Any]) -> None:
    gib, error = estimated(load)
    assert abs(gib - load["gib"]) <= error * load["gib"]


def test_half_of_all_estimates_are_within_two_percent() -> None:
    off = sorted(abs(estimated(load)[0] / load["gib"] - 1) for load in LOADS)
    assert off[len(off) // 2] < 0.02
