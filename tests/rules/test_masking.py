"""A secret is in no finding of its host, in no format."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from output.test_output_golden import FORMATS
from sgfleet.findings import Finding, Place, Severity
from sgfleet.output.summary import Summary
from sgfleet.rules.masking import BLOT, SIGN, Secret, mask

PATH = "hosts/h/host.yaml"
KEY = "sk-0123456789abcdef"
LINE = f"    flags: {{api-key: {KEY}, tp: 8}}"


def at(text, marked, line=5, path=PATH):
    column = text.index(marked) + 1
    return Place(path, line, column, line, column + len(marked), text)


SECRET = Secret(at(LINE, KEY), KEY)
OWN = Finding("FLG090", Severity.ERROR, "a secret stands in the repository", SECRET.place, "h", "s")
NEIGHBOUR = Finding(
    "FLG001",
    Severity.ERROR,
    "no flag tp",
    at(LINE, "tp"),
    "h",
    "s",
    arithmetic=(f"beside {KEY}",),
    help=f"write tp-size, not {KEY}",
    based_on=(KEY,),
    related=((at(LINE, "api-key"), KEY),),
    waived=f"we know {KEY}",
)


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_shows_it(name):
    stream = io.StringIO()
    writer = FORMATS[name](stream)
    writer.begin()
    writer.add(mask([OWN, NEIGHBOUR, NEIGHBOUR._replace(waived=None)], [SECRET]))
    writer.end(Summary(), ())
    assert KEY not in stream.getvalue()
    assert KEY[:6] not in stream.getvalue()
    assert "FLG001" in stream.getvalue()


def test_columns_stay_true():
    own, neighbour = mask([OWN, NEIGHBOUR], [SECRET])
    assert own.place.text == LINE.replace(KEY, SIGN * len(KEY))
    assert neighbour.place.text == own.place.text
    assert neighbour.place.text[neighbour.place.column - 1 : neighbour.place.end_column - 1] == "tp"
    assert neighbour.help == f"write tp-size, not {BLOT}"


def test_other_lines_and_files_stay():
    text = "    flags: {api-key: short, tp: 8}"
    secret = Secret(at(text, "short"), "short")
    others = [OWN._replace(place=at(text, "tp", line=6)), OWN._replace(place=at(text, "tp", path="fleet.yaml"))]
    assert mask(others, [secret]) == others


def test_the_same_secret_under_another_name():
    line = f"    other: {KEY}  # {KEY}"
    (told,) = mask([OWN._replace(place=at(line, "other", path="fleet.yaml"))], [SECRET])
    assert told.place.text == line.replace(KEY, SIGN * len(KEY))


def test_quoted_and_escaped():
    line = r'  token: "a\x62cdefgh"'
    secret = Secret(at(line, r'"a\x62cdefgh"'), "abcdefgh")
    (told,) = mask([OWN._replace(message=r"abcdefgh, written a\x62cdefgh", place=secret.place)], [secret])
    assert told.message == f"{BLOT}, written {BLOT}"


def test_over_several_lines():
    secret = Secret(Place(PATH, 5, 10, 7, 4, "    key: |"))
    texts = ["    key: |-", "      one two", "      x y", "  other: 1"]
    told = mask(
        [OWN._replace(place=Place(PATH, 5 + index, 1, 5 + index, 2, text)) for index, text in enumerate(texts)],
        [secret],
    )
    assert [each.place.text for each in told] == [
        "    key: " + SIGN * 2,
        SIGN * len(texts[1]),
        SIGN * 3 + "   x y",
        texts[3],
    ]


def test_a_common_word_is_no_needle():
    line = "  api-key: 8"
    (told,) = mask([OWN._replace(message="8 ranks", place=at(line, "8"))], [Secret(at(line, "8"), "8")])
    assert told.message == "8 ranks"
    assert told.place.text == "  api-key: " + SIGN


@given(st.text(min_size=8), st.text(), st.text(), st.text())
def test_nothing_of_it_is_left(secret, before, between, after):
    line = before + secret + after
    place = Place(PATH, 1, len(before) + 1, 1, len(before) + len(secret) + 1, line)
    (told,) = mask([OWN._replace(place=place, message=between + secret + between)], [Secret(place, secret)])
    assert told.place.text[len(before) : len(before + secret)] == SIGN * len(secret)
    assert len(told.place.text) == len(line)
    assert secret not in told.place.text
    assert len(told.message) <= 2 * len(between) + 2 * len(BLOT)
