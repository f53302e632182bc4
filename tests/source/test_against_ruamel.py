"""What both take, ruamel.yaml reads as the same data: another parser, and another resolver for YAML 1.2.

It goes beyond the core schema in a few words, which `DEPARTURES` lists, and takes no tab behind a colon: there the
specification (10.3.2, 6.2) is on our side.
"""

from __future__ import annotations

import math
import re
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from sgfleet.source.problems import SourceError
from sgfleet.source.read import read_text
from sgfleet.source.scalars import NumberRangeError, resolve
from source.layout import Layout, layouts

DEPARTURES = re.compile(
    r"[-+.0-9].*_.*"  # 1_000 is a number, and +_ a crash
    r"|[-+]?0b[01]+|[-+]0[xo][0-9a-fA-F]+"  # binary numbers, and hexadecimal ones with a sign
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*"  # dates
    r"|<<|="  # merge keys and default values of YAML 1.1
)

WORDS = st.text("0123456789", max_size=3).flatmap(
    lambda digits: st.text("0179.eE+-xoXOafnFNulLtTrRsSyYiI~_:b", max_size=5).map(lambda rest: digits + rest)
)
PIECES = st.lists(
    st.sampled_from(["a", "b", "c", ": ", ":", "- ", "\n", "\n  ", "\n    ", " ", "[", "]", "{", "}", ", ", '"', "'"])
    | st.sampled_from(["|\n  ", ">-\n  ", "#", " # ", "? ", "1", "0x1", "true", "~", "\\", "\\n", "é", "😀", "---\n"])
    | st.sampled_from(["-", "a: ", "b:\n  ", "c: [", "d: {", "\nb: ", "\n- ", "...\n", "!", "&", "%"]),
    max_size=12,
).map("".join)  # fmt: skip


def by_ruamel(text: str) -> Any:
    reader = YAML(typ="safe", pure=True)
    return reader.load(text)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and one == other


def scalars(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        return [word for each in inner for word in scalars(each)]
    return [value] if isinstance(value, str) else []


@given(WORDS)
@example("1e3")
@example("0o17")
@example("012")
@example(".INF")
@example("-.5e-3")
@example("5.")
@example("NULL")
@example("tRUE")
def test_plain_words(word: str) -> None:
    if DEPARTURES.fullmatch(word):
        assert isinstance(resolve(word), str)
        return
    try:
        ours = resolve(word)
    except NumberRangeError:
        return
    if word.strip() and not word.startswith(("-", "~:", ":")) and ":" not in word[-1:]:
        assert same(ours, by_ruamel(f"- {word}\n")[0])


@given(layouts())
def test_layouts(made: Layout) -> None:
    if "\t" not in made.text and not any(map(DEPARTURES.fullmatch, scalars(made.data))):
        assert same(read_text(made.text, "f").data, by_ruamel(made.text))


@given(PIECES)
def test_what_both_take_both_read_alike(text: str) -> None:
    try:
        ours = read_text(text, "f").data
        theirs = by_ruamel(text)
    except (SourceError, YAMLError):
        return  # the two parsers refuse different oddities
    assert same(ours, theirs) or any(map(DEPARTURES.fullmatch, scalars(ours)))
