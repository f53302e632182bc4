"""Cards that logs name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sgfleet.memory import cards
from sgfleet.memory.cards import SOURCES, card
from sgfleet.memory.hardware import parse_capability

CARDS = json.loads(Path(cards.__file__).with_name("cards.json").read_text())


@pytest.mark.parametrize(
    ("name", "memory_gib", "mib"),
    [
        ("H100", None, 81_559),
        ("NVIDIA H100 80GB HBM3", None, 81_559),
        ("NVIDIA H100 PCIe", None, 81_559),
        ("H200", 140.4, 143_771),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", 96, 97_887),
        ("RTX 3090", 24, 24_576),
        ("A100", 40, 40_960),
        ("A100", 80, 81_920),
        ("NVIDIA A100-SXM4-40GB", None, 40_960),
        ("a card of tomorrow", 48, 49_152),
        ("a card of tomorrow", None, None),
        ("", None, None),
    ],
)
def test_memory_of_a_card(name, memory_gib, mib):
    found = card(name, 8, memory_gib)
    assert (found.memory_mib, found.count) == (mib, 8)


def test_capability_and_links():
    assert card("B200", 8).capability == (10, 0)
    assert card("B200", 8).is_linked
    assert not card("RTX 4090", 2).is_linked
    assert card("nobody's", 1).capability is None


@pytest.mark.parametrize("name", CARDS)
def test_each_figure_says_where_it_is_from(name):
    mib, capability, *sources = CARDS[name]
    assert len(sources) == 2
    assert set(sources) <= SOURCES.keys()
    found = card(name, 1)
    assert (found.memory_mib, found.capability) == (mib, parse_capability(capability)), "a card is found by its name"
