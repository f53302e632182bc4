"""Versions of SGLang in their order: as `packaging` has it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from sgfleet.engine import version

finals = st.lists(st.integers(0, 99), min_size=2, max_size=4).map(lambda parts: ".".join(map(str, parts)))
releases = st.builds(
    lambda final, post: final if post is None else f"{final}.post{post}", finals, st.none() | st.integers(0, 9)
)


@given(releases, releases)
def test_the_order_is_that_of_the_package_index(one: str, other: str) -> None:
    assert (version.key(one) < version.key(other)) == (Version(one) < Version(other))


@given(st.lists(releases | st.text()))
def test_what_is_no_release_is_left_out(texts: list[str]) -> None:
    kept = version.in_order(texts)
    assert all(version.is_release(text) for text in kept)
    assert len(kept) == sum(version.is_release(text) for text in texts)


@pytest.mark.parametrize(
    "text",
    ["0.5.0rc1", "0.5.1.dev3", "v0.5.1", "0.5.1 ", "0.05.1", "1!0.5.1", "0.5.1+cu12", "\u0660.\u0665.\u0661", "5"],
)
def test_pre_releases_and_other_spellings_are_none(text: str) -> None:
    assert not version.is_release(text)
    with pytest.raises(ValueError, match="no final or post release"):
        version.key(text)


@given(st.lists(releases, unique=True), releases)
def test_near_ones_are_known_ones(known: list[str], wanted: str) -> None:
    found = version.near(wanted, known)
    assert set(found) <= set(known)
    assert len(found) <= 3
    if known and wanted not in known:
        assert found
