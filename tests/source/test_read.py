"""The reader: YAML 1.2 values, places, and everything that it refuses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.source.decode import LARGEST_BYTES
from sgfleet.source.problems import SourceError
from sgfleet.source.read import DEEPEST, MOST_EVENTS, MOST_FINDINGS, read_text

if TYPE_CHECKING:
    from sgfleet.source.document import Document

FLEET = Path(__file__).parents[1] / "data" / "fleet"


def codes(raw: bytes | str) -> list[str]:
    """The codes that the reader reports; none when it takes the text."""
    try:
        read_text(raw, "file.yaml")
    except SourceError as error:
        for finding in error.findings:
            assert finding.place.line >= 1 or finding.code == "SRC010"
            assert finding.message == finding.message.strip()
        return [finding.code for finding in error.findings]
    return []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None), ("nULL", "nULL"),
        ("true", True), ("TRUE", True), ("tRue", "tRue"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("n", "n"),
        ("12", 12), ("+12", 12), ("-0", 0), ("012", 12), ("0o14", 12), ("0x1F", 31), ("0b1", "0b1"), ("1_000", "1_000"),
        ("1:30", "1:30"), ("0.5", 0.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("1E-2", 0.01), ("1e", "1e"),
        (".inf", math.inf), ("-.INF", -math.inf), (".Nan", ".Nan"), ("0.5.9", "0.5.9"),
        ("2026-11-29", "2026-11-29"),
        ("'12'", "12"), ('"true"', "true"), ('"\\x1b"', "\x1b"), ("0x", "0x"), ("+", "+"), (".", "."), ("0o8", "0o8"),
    ],
)  # fmt: skip
def test_scalars_follow_the_core_schema(text: str, value: object) -> None:
    read = read_text(f"key: {text}\n", "f").data["key"]
    assert read == value
    assert type(read) is type(value)


def test_not_a_number_is_read() -> None:
    assert math.isnan(read_text("key: .nan\n", "f").data["key"])


def test_places_of_keys_and_values() -> None:
    document = read_text("ключ: 😀\nlist:\n  - a\n  -   {k: 'v w'}\nblock: |\n  one\n  two\nlast: 1\n", "f.yaml")
    place = document.place(("ключ",))
    assert (place.line, place.column, place.end_column, place.text) == (1, 7, 8, "ключ: 😀")
    assert str(document.place(("ключ",), "key")) == "f.yaml:1:1"
    assert str(document.place(("list", 0))) == "f.yaml:3:5"
    inner = document.place(("list", 1, "k"))
    assert (inner.line, inner.column, inner.end_column) == (4, 11, 16)
    block = document.place(("block",))
    assert (block.line, block.column) == (5, 8)
    assert str(document.place(("last",))) == "f.yaml:8:7"


def test_what_is_missing_is_placed_at_the_nearest_key_above() -> None:
    document = read_text("a:\n  b:\n    c: 1\n", "f")
    assert str(document.place(("a", "b", "x"))) == "f:2:3"
    assert str(document.place(("a", "y", "z"))) == "f:1:1"
    assert str(document.place(("q",))) == "f:1:1"
    assert str(document.place(("a", 0))) == "f:1:1"


def test_source_text_is_kept_for_plain_scalars() -> None:
    document = read_text("release: 0.10\nquoted: '0.10'\nlist: [1e3]\n", "f")
    assert document.source_text(("release",)) == "0.10"
    assert not document.quoted(("release",))
    assert document.source_text(("quoted",)) is None
    assert document.quoted(("quoted",))
    assert document.source_text(("list", 0)) == "1e3"
    assert document.source_text(("list",)) is None


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_line_breaks_of_every_system(line_break: str) -> None:
    document = read_text(line_break.join(["a: 1", "b: 2", ""]), "f")
    assert document.data == {"a": 1, "b": 2}
    assert document.place(("b",)).text == "b: 2"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("a: 1\na: 2\n", "SRC002"), ('a: 1\n"a": 2\n', "SRC002"), ("a: &x 1\n", "SRC003"), ("<<: {}\n", "SRC019"),
        ("a: !!int 1\n", "SRC004"), ("a: ! b\n", "SRC004"), ("a: 1\n---\nb: 1\n", "SRC005"), ("a:\n\tb: 1\n", "SRC006"),
        ("\ufeffa: 1\n", "SRC007"), (b"\xef\xbb\xbfa: 1\n", "SRC007"), (b"a: \xff\n", "SRC008"),
        ("a: 1\n".encode("utf-16"), "SRC008"), ("1: a\n", "SRC011"), ("null: a\n", "SRC011"), ("true: a\n", "SRC011"),
        ("[a]: b\n", "SRC011"), ("- a\n", "SRC012"), ("", "SRC012"), ("# nothing\n", "SRC012"), ("text\n", "SRC012"),
        ("a: \x00\n", "SRC013"), ("a: \x85\n", "SRC013"), ("a: 1e999\n", "SRC014"), ("a: " + "9" * 401, "SRC014"),
        ("a: \u200bb\n", "SRC013"), ("a: x\u202eb\n", "SRC013"), ("a: \x1b[31m\n", "SRC013"), ("a: \u2028\n", "SRC013"),
        ("a: x\ufeff\n", "SRC013"), (b"a: x\x7f\n", "SRC013"), ("a: \ud800\n", "SRC013"), ("a: \ufffe\n", "SRC013"),
        ("a: \U000e0041\n", "SRC013"), ("a: b\u00a0\n", "SRC020"), ("a: 1\n\t\nb: 1\n", "SRC006"),
        ("a: 1e-999", "SRC014"),
        ("a: 0x" + "f" * 299, "SRC014"), ("a: 0o" + "7" * 4000, "SRC014"), ("a: " + "9" * 5000, "SRC014"),
        ("%YAML 1.1\n---\na: 1\n", "SRC017"), ("a: @b\n", "SRC001"), ("a: 'b\n", "SRC001"), ("a: b: c\n", "SRC001"),
    ],
)  # fmt: skip
def test_refused(raw: bytes | str, code: str) -> None:
    assert code in codes(raw)


def test_an_alias_is_named_and_nothing_unfolds() -> None:
    bomb = "a: &a [x,x]\n" + "".join(f"{b}: &{b} [*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    assert set(codes(bomb)) == {"SRC003", "SRC018"}


@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "? "])
@pytest.mark.parametrize("depth", [DEEPEST + 1, 10_000, 100_000])
def test_deep_nesting_is_a_finding_and_no_crash(opener: str, depth: int) -> None:
    assert set(codes(("a:\n  " + opener * depth)[:LARGEST_BYTES])) <= {"SRC009", "SRC001"}


def test_deep_block_nesting_is_a_finding() -> None:
    assert codes("".join(" " * level + f"k{level}:\n" for level in range(1000))) == ["SRC009"]


def test_the_deepest_allowed_nesting_is_read() -> None:
    assert codes("a: " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)) == []


def test_a_large_file_is_refused_by_its_size() -> None:
    assert codes(b"a" * (LARGEST_BYTES + 1)) == ["SRC010"]


def test_a_file_of_too_many_values_is_refused() -> None:
    assert codes("a: [" + "[], " * (MOST_EVENTS // 2) + "]") == ["SRC010"]
    assert codes("a: [" + "b, " * (MOST_EVENTS - 10) + "]") == []


def test_many_problems_are_all_told_and_in_order() -> None:
    with pytest.raises(SourceError) as caught:
        read_text("a: 1\na: 2\nb: &x 1\n0: 1\n", "f")
    assert [(f.code, f.place.line) for f in caught.value.findings] == [("SRC002", 2), ("SRC003", 3), ("SRC011", 4)]


def test_after_a_hundred_problems_the_rest_is_one_finding() -> None:
    found = codes("a: 1\n" * 200)
    assert found == ["SRC002"] * MOST_FINDINGS + ["SRC024"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("host:kimi\nservices: 1\n", 1, "no blank after the colon of host"),
        ("why: a: b\n", 1, "second colon"),
        ("a: 1\n b: 2\n", 2, "line 1 has one already"),
        ("a: [1, 2\nb: 1\n", 1, "not closed"),
        ("a: 'x\n", 1, "not closed"),
    ],
)
def test_common_mistakes_are_explained(text: str, line: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_text(text, "f")
    (finding,) = caught.value.findings
    assert finding.place.line == line
    assert words in finding.message
    assert finding.help


KEYS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=8)
TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


def dump(value: object) -> str:
    """Flow style YAML with every string in double quotes: what it means is not open to doubt."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{dump(key)}: {dump(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dump, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08x}" if not c.isalnum() or not c.isascii() else c for c in value) + '"'
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


@given(st.dictionaries(KEYS, TREES, min_size=1, max_size=4))
def test_what_was_written_is_read(data: dict[str, object]) -> None:
    lines = [f"{dump(key)}: {dump(value)}" for key, value in data.items()]
    document = read_text("\n".join(lines) + "\n", "f")
    assert document.data == data
    for number, key in enumerate(data, 1):
        assert document.place((key,), "key").line == number
        assert document.place((key,)).line == number


def routes(document: Document) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = []

    def walk(value: object, route: tuple[str | int, ...]) -> None:
        found.append(route)
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for step, inner in items:
            walk(inner, (*route, step))

    walk(document.data, ())
    return found


@given(st.dictionaries(KEYS, TREES, min_size=1, max_size=3))
def test_every_route_has_a_place_whose_text_is_there(data: dict[str, object]) -> None:
    text = "\n".join(f"{dump(key)}: {dump(value)}" for key, value in data.items())
    document = read_text(text, "f")
    for route in routes(document):
        place = document.place(route)
        line = text.split("\n")[place.line - 1]
        assert place.text == line
        value = data
        for step in route:
            value = value[step]  # type: ignore[index]
        if isinstance(value, str | int | float | bool) or value is None:
            written = line[place.column - 1 : place.end_column - 1]
            assert read_text(f"k: {written}", "f").data["k"] == value


@given(st.binary(max_size=200) | st.text(alphabet="ab:-[]{}&*!|>'\"%@`#,? \n\t\\~<0.e", max_size=80))
def test_whatever_comes_it_is_a_document_or_findings(raw: bytes | str) -> None:
    codes(raw)


HOST = (FLEET / "hosts/kimi-01/host.yaml").read_text()
DAMAGE = st.sampled_from([*"\t\n :[]{},#\"'%@\\\r\0\x85\u00a0\u201c\ufeff\U0001f600"]) | st.sampled_from(
    [
        ": ",
        "- ",
        "? ",
        "&a ",
        "*a",
        "!t ",
        "|\n",
        ">\n",
        "%YAML 1.2\n",
        "---\n",
        "...\n",
        " #",
        "\\x",
        "<<",
        "0x",
        "{{",
        "=======\n",
    ]
)


@given(st.lists(st.tuples(st.integers(0, len(HOST)), st.integers(0, 9), DAMAGE), min_size=1, max_size=5))
def test_a_damaged_host_is_a_document_or_findings_with_places(damage: list[tuple[int, int, str]]) -> None:
    text = HOST
    for at, length, piece in damage:
        text = text[:at] + piece + text[at + length :]
    try:
        document = read_text(text, "f")
    except SourceError as error:
        for finding in error.findings:
            assert finding.place.text is not None
            assert 1 <= finding.place.column <= len(finding.place.text) + 1
            assert "this is not YAML" not in finding.message
    else:
        assert [str(document.place(route)) for route in routes(document)]


def test_the_shipped_files_are_read() -> None:
    for path in [*FLEET.glob("hosts/*/*.yaml"), FLEET / "fleet.yaml"]:
        assert codes(path.read_bytes()) == [], path


def test_what_was_read_before_decides_nothing() -> None:
    """Plain scalars are remembered; how a number is spelled, and what quotes make of it, is each document's own."""
    for _ in range(2):
        assert read_text("a: 4\nb: x\nc: yes\n", "f").data == {"a": 4, "b": "x", "c": "yes"}
        assert not read_text("a: 4\n", "f").respelled
        for number in ("4.00", "0x4", "1e3", "+4"):
            assert read_text(f"a: {number}\n", "f").respelled
        quoted = read_text("a: '4'\nb: \"null\"\nc: |-\n  4\n", "f")
        assert quoted.data == {"a": "4", "b": "null", "c": "4"}
        with pytest.raises(SourceError):
            read_text("4: a\n", "f")
