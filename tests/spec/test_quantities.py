"""Durations and sizes: there and back, and nothing that has no unit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.spec.quantities import (
    LARGEST_BYTES,
    LONGEST_SECONDS,
    duration_seconds,
    enough,
    format_duration,
    format_size,
    size_bytes,
)


@given(st.integers(0, LONGEST_SECONDS))
def test_durations_there_and_back(seconds):
    assert duration_seconds(format_duration(seconds)) == seconds


@given(st.integers(0, LARGEST_BYTES))
def test_sizes_there_and_back(size):
    assert size_bytes(format_size(size)) == size


@given(st.integers(0, LARGEST_BYTES))
def test_a_size_that_is_enough_can_be_written(size):
    assert size <= size_bytes(enough(size)) <= size * 9 // 8


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("15m", 900), ("15min", 900), ("1h30m", 5400), ("2d", 172_800), ("0s", 0)]
)
def test_durations(text, seconds):
    assert duration_seconds(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("48GiB", 48 * 1024**3),
        ("48GB", 48 * 10**9),
        ("1.5TiB", 3 * 1024**4 // 2),
        ("40 GB", 40 * 10**9),
        ("8kB", 8000),
        ("8KiB", 8192),
        ("0B", 0),
    ],
)
def test_sizes(text, size):
    assert size_bytes(text) == size


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (30, "30s for seconds"),
        ("999999d", "at most 3650d"),
        ("30", "^$"),
        ("30 s", "^write 30s$"),
        ("10 min", "^write 10m$"),
        ("1 hour, 30 minutes", "^write 1h30m$"),
        ("2 fortnights", "^$"),
        ("-30s", "^$"),
        ("1.5h", "^$"),
        ("٣s", "^$"),
        (True, "^$"),
        (30.0, "^$"),
        (None, "^$"),
        ([], "^$"),
        ("9" * 10_000 + "s", "^$"),
    ],
)
def test_no_durations(value, says):
    with pytest.raises(ValueError, match=says):
        duration_seconds(value)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (48, "48GiB is 48"),
        ("48G", "48GB or 48GiB"),
        ("48gib", "48GiB"),
        ("48 Gi", "48GiB"),
        ("0.3B", "no whole number of bytes"),
        ("1.1GiB", "1181116006B is just below it"),
        ("9999999TiB", "at most"),
        ("48", "^$"),
        ("48kiB", "48KiB"),
        ("GiB", "^$"),
        ("-1GiB", "^$"),
        (True, "^$"),
        (1.5, "^$"),
        (None, "^$"),
        ("9" * 10_000 + "B", "^$"),
    ],
)
def test_no_sizes(value, says):
    with pytest.raises(ValueError, match=says):
        size_bytes(value)
