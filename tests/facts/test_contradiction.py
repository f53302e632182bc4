"""Whether a machine is the one that a file is of."""

from __future__ import annotations

from pathlib import Path

import pytest

from facts.recorded import MACHINES, RecordedMachine
from sgfleet.facts.contradiction import differences
from sgfleet.facts.probe import Probe, probe
from sgfleet.source.read import read_text

NAMES = sorted(path.stem for path in MACHINES.iterdir())
GIB = 2**30
L40S, H100 = "NVIDIA L40S", "NVIDIA H100 80GB HBM3"


def said(known, **parts):
    return [each.text for each in differences(known, Probe(parts))]


def gpus(*names, **keys):
    return [{"index": index, "name": name, **keys} for index, name in enumerate(names)]


@pytest.mark.parametrize("name", NAMES)
def test_no_machine_contradicts_its_own_facts(name):
    found = probe(RecordedMachine.of(name), with_ids=True)
    assert differences(found.parts, found) == []
    assert differences({}, found) == [], "of what nobody knows there is no contradiction"


@pytest.mark.parametrize("name", NAMES)
def test_a_small_machine_without_gpus_is_none_of_the_large_ones(name):
    found, small = probe(RecordedMachine.of(name)), probe(RecordedMachine.of("no-gpu"))
    large = found.parts["memory"]["total-bytes"] > 100 * GIB
    assert bool(differences(found.parts, small)) == (bool(found.parts.get("gpus")) or large)


def test_what_people_write_of_a_machine_is_that_machine():
    known = read_text((Path(__file__).parents[1] / "data/fleet/hosts/kimi-01/facts.yaml").read_text(), "f").data
    assert differences(known, probe(RecordedMachine.of("pcie-8"))) == []


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ([L40S] * 4, [L40S] * 4, None),
        ([L40S] * 4, [L40S] * 8, None),
        (["NVIDIA H100"], [H100], None),
        ([H100], ["NVIDIA H100 PCIe"], None),
        ([L40S, "unknown"], [L40S, L40S], None),
        ([L40S, L40S], ["unknown", L40S], None),
        ([L40S, H100], [H100, L40S], None),
        ([], [], None),
        ([L40S] * 4, [], "0 GPUs are seen, and the file has 4"),
        ([L40S, "unknown"], [L40S], "1 GPU is seen, and the file has 2"),
        ([L40S] * 4, [H100] * 4, f"4 × {H100} are seen, and the file has 4 × {L40S}"),
        ([L40S] * 2, [H100] * 8, f"8 × {H100} are seen, and the file has 2 × {L40S}"),
        ([L40S, H100], [L40S, L40S], f"2 × {L40S} are seen, and the file has 1 × {L40S}, 1 × {H100}"),
        ([], [L40S], f"1 × {L40S} are seen, and the file says that there is no GPU"),
        (["NVIDIA A100-SXM4-40GB"], ["NVIDIA A100-SXM4-80GB"],
         "1 × NVIDIA A100-SXM4-80GB are seen, and the file has 1 × NVIDIA A100-SXM4-40GB"),
    ],
)  # fmt: skip
def test_gpus(before, now, words):
    assert said({"gpus": gpus(*before)}, gpus=gpus(*now)) == ([words] if words else [])


def test_only_fewer_of_the_same_are_fewer():
    for before, now, fewer in (([L40S] * 2, [L40S], True), ([L40S] * 2, [H100], False), ([], [L40S], False)):
        (found,) = differences({"gpus": gpus(*before)}, Probe({"gpus": gpus(*now)}))
        assert found.fewer is fewer


def test_gpus_that_nobody_can_read_contradict_nothing():
    assert said({"gpus": gpus(L40S)}, memory={"total-bytes": GIB}) == []


def test_the_same_cards_with_other_serials_are_another_machine():
    known = {"gpus": gpus(L40S, uuid="GPU-1")}
    assert said(known, gpus=gpus(L40S, uuid="GPU-2")) == ["no GPU that is seen has a uuid of the file"]
    assert said(known, gpus=gpus(L40S)) == []
    assert said({"gpus": gpus(L40S)}, gpus=gpus(L40S, uuid="GPU-2")) == []


@pytest.mark.parametrize(
    ("memory", "here_gib", "differs"),
    [
        ({"total-bytes": 512 * GIB}, 511, False),
        ({"total-bytes": 512 * GIB}, 256, False),
        ({"total-bytes": 512 * GIB}, 1030, False),
        ({"total-bytes": 512 * GIB}, 24, True),
        ({"total-bytes": 24 * GIB}, 512, True),
        ({"available-bytes": 396 * GIB}, 504, False),
        ({"available-bytes": 396 * GIB}, 24, True),
        ({"available-bytes": 10 * GIB}, 504, False),
        ({"total-bytes": 512}, 511, False),
        ({"total-bytes": 512 * 1024 * 1024}, 511, False),
        ({}, 24, False),
    ],
)
def test_ram(memory, here_gib, differs):
    known = {"memory": memory, "gpus": gpus(L40S)}
    assert bool(said(known, memory={"total-bytes": here_gib * GIB})) is differs
