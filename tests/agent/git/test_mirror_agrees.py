"""What the shallow mirror says of two commits is what a full clone says, for histories of any shape."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sgfleet.agent import mirror as mirror_module
from sgfleet.agent.mirror import Mirror, UnrelatedError
from sgfleet.agent.remote import RemoteSettings
from support.git_origin import Origin

if TYPE_CHECKING:
    import pytest


@st.composite
def histories(draw: st.DrawFn) -> list[list[int]]:
    """The parents of each commit, by their number; new roots, merges of old and new ones among them."""
    count = draw(st.integers(2, 25))
    shape: list[list[int]] = [[]]
    for number in range(1, count):
        kind = draw(st.sampled_from(["next"] * 6 + ["branch", "merge", "merge", "root"]))
        earlier = st.integers(0, number - 1)
        if kind == "next":
            shape.append([number - 1])
        elif kind == "branch":
            shape.append([draw(earlier)])
        elif kind == "merge":
            shape.append(sorted({number - 1, draw(earlier)}, reverse=True))
        else:
            shape.append([])
    return shape


@settings(
    max_examples=25, deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(histories(), st.data())
def test_agrees_with_a_full_clone(monkeypatch: pytest.MonkeyPatch, shape: list[list[int]], data: st.DataObject) -> None:
    monkeypatch.setattr(mirror_module, "STEP", data.draw(st.sampled_from([1, 2, 4])))
    with tempfile.TemporaryDirectory(prefix="mirror-") as name:
        origin = Origin(Path(name) / "origin.git")
        tree = origin.tree({"a": "a"})
        made: list[str] = []
        for number, parents in enumerate(shape):
            made.append(
                origin.commit(tree, [made[parent] for parent in parents], message=str(number), branch=f"b{number}")
            )
        mirror = Mirror(Path(name) / "mirror.git", RemoteSettings(str(origin.path)))
        for _ in range(4):
            old, new = data.draw(st.sampled_from(made)), data.draw(st.sampled_from(made))
            if data.draw(st.booleans()):
                mirror.fetch(old)
            mirror.fetch(new)
            expected = set(origin.git("rev-list", new, f"^{old}").split())
            is_below = old in origin.git("rev-list", new).split()
            try:
                found = mirror.commits_between(old, new)
            except UnrelatedError:
                assert not is_below
                continue
            assert is_below
            assert set(found) == expected
            assert len(found) == len(expected)
            place = {commit: number for number, commit in enumerate(found)}
            for commit in found:
                for parent in shape[made.index(commit)]:
                    assert place.get(made[parent], -1) < place[commit]
