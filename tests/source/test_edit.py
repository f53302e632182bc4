"""Edits: what is read afterwards differs in that one value, and every line that has no part in it stays as it was."""

from __future__ import annotations

import copy
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sgfleet.source.edit import EditError, insert, put, remove, replace
from sgfleet.source.read import read_text
from source.layout import LEAVES, VALUES, WORDS, Layout, Route, layouts

if TYPE_CHECKING:
    from collections.abc import Callable

HOST = """\
# The first host.
host: kimi-01

services:
  sglang-kimi:
    release: "0.5.9"     # the flag schema
    gpus: [0, 1]  # two
    flags:
      tp-size: 8
      hicache-ratio: 2.0   # of the KV pool

      mem-fraction-static:
    # environment is below
    environment: {CUDA_HOME: /usr/local/cuda}
    unit: {}
    why: |  # long
      Prefix cache.

      Fourfold.

  # the last one
  sglang-draft:
    flags: {tp-size: 1}
"""
FLAGS = ("services", "sglang-kimi", "flags")


def edited(change: Callable[..., str], route: Route, *value: Any, text: str = HOST) -> list[str]:
    """The lines that go, marked with -, and those that come, marked with +."""
    new = change(read_text(text, "f.yaml"), route, *value).splitlines()
    old = text.splitlines()
    found = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            found += [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
    return found


@pytest.mark.parametrize(
    ("route", "value", "lines"),
    [
        ((*FLAGS, "hicache-ratio"), 4.0,
         ["-      hicache-ratio: 2.0   # of the KV pool", "+      hicache-ratio: 4.0   # of the KV pool"]),
        ((*FLAGS, "tp-size"), 16, ["-      tp-size: 8", "+      tp-size: 16"]),
        ((*FLAGS, "mem-fraction-static"), 0.9, ["-      mem-fraction-static:", "+      mem-fraction-static: 0.9"]),
        ((*FLAGS, "tp-size"), "8", ["-      tp-size: 8", '+      tp-size: "8"']),
        (("services", "sglang-kimi", "release"), "0.5.10",
         ['-    release: "0.5.9"     # the flag schema', '+    release: "0.5.10"     # the flag schema']),
        (("services", "sglang-kimi", "gpus"), [0, 1, 2, 3],
         ["-    gpus: [0, 1]  # two", "+    gpus: [0, 1, 2, 3]  # two"]),
        (("services", "sglang-kimi", "gpus", 1), 3, ["-    gpus: [0, 1]  # two", "+    gpus: [0, 3]  # two"]),
        (("services", "sglang-kimi", "why"), "Short: it is.",
         ["-    why: |  # long", "-      Prefix cache.", "-", "-      Fourfold.", '+    why: "Short: it is."  # long']),
        (("services", "sglang-draft", "flags", "tp-size"), 2, ["-    flags: {tp-size: 1}", "+    flags: {tp-size: 2}"]),
        (("services", "sglang-draft", "flags"), {"a": [1, "x, y"]},
         ["-    flags: {tp-size: 1}", '+    flags: {a: [1, "x, y"]}']),
    ],
)  # fmt: skip
def test_replace(route: Route, value: Any, lines: list[str]) -> None:
    assert edited(replace, route, value) == lines
    assert edited(put, route, value) == lines


@pytest.mark.parametrize(
    ("route", "value", "lines"),
    [
        ((*FLAGS, "port"), 30000, ["+      port: 30000"]),
        (("services", "sglang-kimi", "start", "budget"), "15m", ["+    start:", "+      budget: 15m"]),
        (("services", "sglang-kimi", "environment", "A"), "x,y",
         ["-    environment: {CUDA_HOME: /usr/local/cuda}",
          '+    environment: {CUDA_HOME: /usr/local/cuda, A: "x,y"}']),
        (("services", "sglang-kimi", "unit", "restart-sec"), "30s", ["-    unit: {}", "+    unit: {restart-sec: 30s}"]),
        (("services", "new"), {"flags": {"a": 1, "b": {}}},
         ["+  new:", "+    flags:", "+      a: 1", "+      b: {}"]),
        (("notes",), ["a", "- b"], ['+notes: [a, "- b"]']),
        ((*FLAGS, "mem-fraction-static", "x"), None, ["+        x: null"]),
    ],
)  # fmt: skip
def test_insert(route: Route, value: Any, lines: list[str]) -> None:
    assert edited(insert, route, value) == lines
    assert edited(put, route, value) == lines


@pytest.mark.parametrize(
    ("route", "lines"),
    [
        ((*FLAGS, "tp-size"), ["-      tp-size: 8"]),
        ((*FLAGS, "hicache-ratio"), ["-      hicache-ratio: 2.0   # of the KV pool"]),
        (("services", "sglang-kimi", "why"),
         ["-    why: |  # long", "-      Prefix cache.", "-", "-      Fourfold."]),
        (("services", "sglang-draft", "flags", "tp-size"), ["-    flags: {tp-size: 1}", "+    flags: {}"]),
        (("services", "sglang-draft", "flags"),
         ["-  sglang-draft:", "-    flags: {tp-size: 1}", "+  sglang-draft: {}"]),
        (("services", "sglang-draft"), ["-  sglang-draft:", "-    flags: {tp-size: 1}"]),
    ],
)  # fmt: skip
def test_remove(route: Route, lines: list[str]) -> None:
    assert edited(remove, route) == lines


@pytest.mark.parametrize(
    ("text", "change", "route", "value", "result"),
    [
        ("a:\n", replace, ("a",), 1, "a: 1\n"),
        ("a: # c\n", replace, ("a",), 1, "a: 1 # c\n"),
        ("{a, b: }", replace, ("a",), 1, "{a: 1, b: }"),
        ("{a, b: }", replace, ("b",), 1, "{a, b: 1}"),
        ("{a}", insert, ("c",), 1, "{a, c: 1}"),
        ("{a: 1,}", insert, ("c",), 1, "{a: 1, c: 1,}"),
        ("a: 1", insert, ("b",), 2, "a: 1\nb: 2"),
        ("a: 1\r\nc: x", insert, ("b",), 2, "a: 1\r\nc: x\r\nb: 2"),
        ("a:\n  b:", insert, ("a", "b", "c"), 2, "a:\n  b:\n    c: 2"),
        ("a: ~\n", insert, ("a", "b"), 2, "a: {b: 2}\n"),
        ("l:\n- \n- x\n", replace, ("l", 0), 2, "l:\n- 2\n- x\n"),
        ("l:\n  - a: 1\n    b: 2\n", remove, ("l", 0, "a"), (), "l:\n  - b: 2\n"),
        ("l:\n  - a: 1\n", remove, ("l", 0, "a"), (), "l:\n  - {}\n"),
        ("l:\n  - a: 1\n", insert, ("l", 0, "b"), 2, "l:\n  - a: 1\n    b: 2\n"),
        ("a: |+\n  x\n\n\nb: 1\n", remove, ("a",), (), "b: 1\n"),
        ("b: 1\na: |+\n  x\n\n", insert, ("c",), 1, "b: 1\na: |+\n  x\n\nc: 1\n"),
        ("a: >-\n  x\n\n\nb: 1\n", remove, ("a",), (), "\n\nb: 1\n"),
        ("g:\n  - 0\n  - 1\nb: 1\n", replace, ("g",), "all", "g: all\nb: 1\n"),
        ("a: 'x'\n", replace, ("a",), "it's", "a: 'it''s'\n"),
        ("a: 'x'\n", replace, ("a",), "\n", 'a: "\\n"\n'),
        ("a: [x]\n", replace, ("a", 0), "b, c", 'a: ["b, c"]\n'),
        ("a: x\n", replace, ("a",), "b, c", "a: b, c\n"),
        ("a: x\n", replace, ("a",), "\u202e\u00a0\x00\u2028", 'a: "\\u202e\\xa0\\0\\u2028"\n'),
        ("a: x\n", replace, ("a",), "yes", 'a: "yes"\n'),
        ("a: x\n", replace, ("a",), float("inf"), "a: .inf\n"),
        ("a: x\n", replace, ("a",), float("nan"), "a: .nan\n"),
        ("a: x\n", insert, ("<<",), 1, 'a: x\n"<<": 1\n'),
        ("{a: 1,}\n", remove, ("a",), (), "{}\n"),
        ("b: {a: 1 # c\n }\n", remove, ("b", "a"), (), "b: { # c\n }\n"),
        ("a: x # c\n", remove, ("a",), (), "{} # c\n"),
        ("a: x\n...\n", insert, ("b",), 1, "a: x\nb: 1\n...\n"),
    ],
)  # fmt: skip
def test_layouts(text: str, change: Any, route: Route, value: Any, result: str) -> None:
    arguments = () if change is remove else (value,)
    assert change(read_text(text, "f.yaml"), route, *arguments) == result


@pytest.mark.parametrize(
    ("text", "change", "route", "value", "says", "place"),
    [
        ("a: [1, # one\n  2]\n", replace, ("a",), 1, "a comment would be lost", "f:1:8"),
        ("a:\n  # one\n  - 1\n", replace, ("a",), 1, "a comment would be lost", "f:2:3"),
        ("l:\n  - a: 1\n    # two\n    b: 2\n", remove, ("l", 0, "a"), None, "a comment would be lost", "f:3:5"),
        ("l: [{a: 1, # x\n b: 2}]\n", remove, ("l", 0, "a"), None, "a comment would be lost", "f:1:12"),
        ("l: [a, b]\n", remove, ("l", 0), None, "only a key of a mapping", "f:1:5"),
        ("l: [a, b]\n", insert, ("l", 2), 1, "added to a mapping", "f:1:4"),
        ("a: x\n", insert, ("a", "b"), 1, "added to a mapping", "f:1:4"),
        ("a: x\n", insert, ("a",), 1, "there already", "f:1:4"),
        ("a: x\n", replace, ("b",), 1, "nothing stands there", "f:1:1"),
        ("a: x\n", remove, ("b",), None, "nothing stands there", "f:1:1"),
        ("a: x\n", replace, (), 1, "as a whole", "f:1:1"),
        ("a: x\n", replace, ("a",), "\ud800", "surrogate", "f:1:4"),
        ("a: x\n", replace, ("a",), {1: 2}, "keys are text", "f:1:4"),
        ("a: x\n", replace, ("a",), object(), "object is no value", "f:1:4"),
        ("a: x\n", replace, ("a",), [10**5000], "digits", "f:1:4"),
        ("a: x\n", replace, ("a",), [10**400], "by hand", "f:1:4"),
        ("a: [b: 1]\n", insert, ("a", 0, "c"), 1, "by hand", "f:1:1"),
        ("? a\n: b\n", insert, ("c",), 1, "by hand", "f:1:1"),
        ("l:\n - - 1\n   - 2\n", replace, ("l", 0), 1, "an item of a list", "f:2:4"),
    ],
)  # fmt: skip
def test_refused(text: str, change: Any, route: Route, value: Any, says: str, place: str) -> None:
    arguments = () if change is remove else (value,)
    with pytest.raises(EditError, match=says) as caught:
        change(read_text(text, "f"), route, *arguments)
    assert str(caught.value.place) == place


def routes(value: Any, route: Route = ()) -> list[Route]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [route] * bool(route) + [found for step, each in steps for found in routes(each, (*route, step))]


def changed(data: dict[str, Any], route: Route, *value: Any) -> dict[str, Any]:
    """The data with another value at the route, or without it."""
    new = copy.deepcopy(data)
    *above, last = route
    parent: Any = new
    for step in above:
        parent = parent[step]
    if value:
        parent[last] = value[0]
    else:
        del parent[last]
    return new


def attempt(change: Callable[..., str], *arguments: Any) -> str | EditError:
    try:
        return change(*arguments)
    except EditError as error:
        return error


def lines_outside(made: Layout, new: str, first: int, last: int) -> None:
    """All lines but those from `first` to `last` are in the new text, byte for byte, around whatever came instead."""
    old = made.text.splitlines(keepends=True)
    before, after = "".join(old[: first - 1]), "".join(old[last:])
    assert new.startswith(before.rstrip("\r\n"))
    assert new.endswith(after)


@given(layouts(), st.data(), VALUES)
def test_one_value_changes_and_nothing_else(made: Layout, data: st.DataObject, value: Any) -> None:
    document = read_text(made.text, "f")
    route = data.draw(st.sampled_from(routes(made.data)))
    extent = document.extent(route)
    new = attempt(replace, document, route, value)
    if isinstance(new, EditError):
        assert "comment" in new.message or isinstance(route[-1], int)
        return
    assert repr(read_text(new, "f").data) == repr(changed(made.data, route, value))
    first = document.place(route, "key").line
    lines_outside(made, new, first, max(extent.end_line, first))


@given(layouts(), st.data(), LEAVES)
def test_a_scalar_of_one_line_is_a_diff_of_one_line(made: Layout, data: st.DataObject, value: Any) -> None:
    document = read_text(made.text, "f")
    scalars = [route for route, (line, _, last, _) in made.values.items() if line == last]
    assume(scalars)
    route = data.draw(st.sampled_from(scalars))
    node = document.node(route)
    assume(node is not None and node.written is not None)
    new = replace(document, route, value)
    assert repr(read_text(new, "f").data) == repr(changed(made.data, route, value))
    line = document.place(route).line
    old, now = made.text.splitlines(keepends=True), new.splitlines(keepends=True)
    assert old[: line - 1] == now[: line - 1]
    assert old[line:] == now[line:]


@given(layouts(), st.data(), WORDS, VALUES)
def test_a_key_comes_and_every_line_stays(made: Layout, data: st.DataObject, key: str, value: Any) -> None:
    document = read_text(made.text, "f")
    mappings = [(), *(route for route in routes(made.data) if isinstance(_at(made.data, route), dict))]
    above = data.draw(st.sampled_from(mappings))
    assume(key not in _at(made.data, above))
    new = insert(document, (*above, key), value)
    assert repr(read_text(new, "f").data) == repr(changed(made.data, (*above, key), value))
    node = document.node(above)
    if node is not None and not node.style and not made.text.endswith("\ufeff"):
        old = made.text.splitlines(keepends=True)
        remaining = iter([*new.splitlines(keepends=True), ""])
        assert all(any(line.rstrip("\r\n") == other.rstrip("\r\n") for other in remaining) for line in old)
    # and away again: the file is what it was
    again = read_text(new, "f")
    assert read_text(remove(again, (*above, key)), "f").data == made.data


@given(layouts(), st.data())
def test_a_key_goes_and_nothing_else(made: Layout, data: st.DataObject) -> None:
    document = read_text(made.text, "f")
    route = data.draw(st.sampled_from(list(made.keys)))
    new = attempt(remove, document, route)
    if isinstance(new, EditError):
        assert "comment" in new.message
        return
    assert repr(read_text(new, "f").data) == repr(changed(made.data, route))


def _at(data: Any, route: Route) -> Any:
    for step in route:
        data = data[step]
    return data
