"""A command line of any length is read in time that grows with it, and as argparse reads it at once."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgfleet.engine.argv import parser as under_test
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.store import load

if TYPE_CHECKING:
    from sgfleet.engine.argv.parser import CommandLine

RELEASE = load("0.5.9")
WORDS = [
    "--model-path",
    "/m",
    "--model-path=/n",
    "--port",
    "1",
    "x",
    "--tp",
    "2",
    "--trust-remote-code",
    "--nope",
    "-1",
    "--cuda-graph-bs",
    "8",
    "16",
    "--log-lev",
    "--disable-cuda-g",
    "--",
    "-",
    "--enable",
    "--tp-size=two",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*WORDS, ""]), max_size=40), st.booleans())
def test_in_parts_and_at_once_are_the_same(words: list[str], sound: bool) -> None:
    words = ["--model-path", "/m", *words] if sound else words
    at_once = parse(RELEASE, words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(under_test, "_PART", 3)
        assert parse(RELEASE, words) == at_once


def test_argparse_never_sees_a_long_line_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = argparse.ArgumentParser.parse_known_args

    def counted(self: CommandLine, words: list[str], namespace: argparse.Namespace) -> object:
        seen.append(len(words))
        return real(self, words, namespace)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_known_args", counted)
    for repeated in (["--log-level", "info"], ["--log-level=info"], ["--trust-remote-code"], ["--max-total-tok", "1"]):
        seen.clear()
        outcome = parse(RELEASE, ["--model-path", "/m", *repeated * 3000])
        assert "Parsed" in type(outcome).__name__
        assert sum(seen) == 2 + 3000 * len(repeated)
        assert max(seen) < 600
