"""Changes of flags put together."""

from __future__ import annotations

from sgfleet.options.move import Move, Risk


def test_a_second_ratio_takes_the_place_of_the_first_and_its_switch_stays() -> None:
    first = Move("host-tier", "ratio 4.7", {"enable-hierarchical-cache": True, "hicache-ratio": 4.7}, costs=("RAM",))
    both = first.with_(Move("host-tier", "ratio 4.6", {"hicache-ratio": 4.6}, costs=("RAM",)))
    assert both.title == "ratio 4.6"
    assert both.flags == {"enable-hierarchical-cache": True, "hicache-ratio": 4.6}
    assert both.costs == ("RAM",)


def test_different_changes_stand_beside_each_other() -> None:
    chunk = Move("chunk", "chunk 2048", {"chunked-prefill-size": 2048})
    both = chunk.with_(Move("fraction", "fraction 0.9", {"mem-fraction-static": 0.9}, Risk.MEDIUM))
    assert both.title == "chunk 2048 + fraction 0.9"
    assert both.risk is Risk.MEDIUM
    assert both.with_(Move("fraction", "fraction 0.8", {"mem-fraction-static": 0.8})).title == (
        "chunk 2048 + fraction 0.8"
    )
