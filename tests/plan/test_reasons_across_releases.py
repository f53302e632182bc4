"""A flag keeps its name while a release stores its value elsewhere: only what somebody wrote otherwise is a reason."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from plan.repository import MIXED, Fleet, reasons
from sgfleet.engine.store import available
from sgfleet.fleet.workspace import Workspace
from sgfleet.plan.reasons import differences
from sgfleet.spec.models.service import Service
from sgfleet.spec.resolve import Resolved

if TYPE_CHECKING:
    from sgfleet.engine.release import Release

WORKSPACE = Workspace(Path("/nonexistent"))


def flags_of(version: str) -> Release:
    release = WORKSPACE.release(version)
    assert release is not None
    return release


def service(version: str, flags: dict[str, Any]) -> Resolved:
    held = Service(release=version, python="/e/bin/python3", flags=flags)
    return Resolved("h", "s", held, (), WORKSPACE.names_of(version))


def said(old: str, new: str, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What is said of flags."""
    found = differences(service(old, before), service(new, after), flags_of(old), flags_of(new))
    return [each.words for each in found if each.is_flag]


def renamed() -> list[tuple[str, str, str]]:
    """(older release, newer one, option) of every option that the newer one stores under another name."""
    found = []
    for old, new in pairwise(available(None)):
        one, other = flags_of(old).by_name, flags_of(new).by_name
        found += [(old, new, name) for name in one.keys() & other.keys() if one[name].dest != other[name].dest]
    return found


def test_an_option_is_the_same_flag_wherever_it_is_stored() -> None:
    cases = renamed()
    assert ("0.5.13.post1", "0.5.14", "tp-size") in cases
    for old, new, name in cases:
        for before, after in ((old, new), (new, old)):
            assert said(before, after, {name: 2}, {name: 2}) == [], (before, after, name)
            assert said(before, after, {name: 2}, {name: 4}) == [f"{name} 2 → 4"]


@pytest.mark.parametrize(
    ("old", "new", "earlier", "later"),
    [
        ("0.5.13", "0.5.14", "tensor-parallel-size", "tp-size"),
        ("0.5.13", "0.5.14", "cuda-graph-max-bs", "cuda-graph-max-bs-decode"),
        ("0.5.9", "0.5.23", "stream-output", "incremental-streaming-output"),
        ("0.5.9", "0.5.23", "nsa-decode-backend", "dsa-decode-backend"),
    ],
)
def test_another_name_across_releases_is_another_name(old: str, new: str, earlier: str, later: str) -> None:
    """Forwards, as `upgrade` writes it, and back."""
    for one, other, was, now in ((old, new, earlier, later), (new, old, later, earlier)):
        assert said(one, other, {was: 8}, {now: 8}) == [f"{was} is written as {now}, another name of the same flag"]
        assert said(one, other, {was: 8}, {now: 9}) == [f"{now} 8 → 9"]


def test_flags_that_share_a_place_in_one_release_alone_stay_what_they_are() -> None:
    """0.5.14 stores both where 0.5.13 had a place for each."""
    flags = {"disable-piecewise-cuda-graph": True, "enable-breakable-cuda-graph": True}
    assert said("0.5.13", "0.5.14", flags, flags) == []
    assert said("0.5.13", "0.5.14", flags, {"disable-piecewise-cuda-graph": True}) != []


def test_an_upgrade_gives_the_release_and_nothing_invented(fleet: Fleet) -> None:
    fleet.edit(MIXED, 'release: "0.5.23"', 'release: "0.5.13"')
    fleet.commit()
    assert fleet.run("upgrade", "mixed-01", "--to", "0.5.14").code == 0
    assert reasons(fleet.data("HEAD"), "mixed-01/sglang-chat")[0].startswith("release 0.5.13 → 0.5.14")
    assert len(reasons(fleet.data("HEAD"), "mixed-01/sglang-chat")) == 1


def test_the_default_of_an_alias_is_what_the_server_holds() -> None:
    assert said("0.5.13", "0.5.13", {"nsa-prefill-cp-mode": "in-seq-split"}, {}) == [
        "nsa-prefill-cp-mode in-seq-split → round-robin-split (default)"
    ]
