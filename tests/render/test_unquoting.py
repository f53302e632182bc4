"""Reading what people wrote. That systemd reads it the same way: tests/systemd/test_unquoting_agrees.py."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.render.unquoting import (
    Assignment,
    Command,
    Unreadable,
    Variables,
    read_environment,
    read_exec,
    split_words,
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", []),
        (" \t ", []),
        ("a  b\tc", ["a", "b", "c"]),
        ("'a b' \"c d\"", ["a b", "c d"]),
        ("a'b c'd", ["ab cd"]),
        ('""', [""]),
        ('{"a": 1}', ["{a:", "1}"]),
        (r"\x41\102\u00e9\U0001f916\s\t", ["ABé🤖 \t"]),
        (r"'\x41\''", ["A'"]),
        (r"\q \$x \x00 \000 \400 \x4 \u0000", [r"\q", r"\$x", r"\x00", r"\000", r"\400", r"\x4", r"\u0000"]),
        (r"\xff", ["\udcff"]),
        ("\u00a0 x", ["\u00a0", "x"]),
    ],
)
def test_words(value: str, words: list[str]) -> None:
    assert split_words(value) == words


@pytest.mark.parametrize("value", ["'a", 'x "a b', "a\\"])
def test_words_that_do_not_end(value: str) -> None:
    with pytest.raises(Unreadable):
        split_words(value)


def test_a_command_with_all_that_systemd_resolves() -> None:
    value = r"-@/usr/bin/%p sglang -m $ARGS ${PORT}0 $$HOME x$HOME 5%% \; %i"
    [command] = read_exec(value, {"ARGS": "--a 'b c'", "PORT": "3000"}, {"p": "env"})
    assert command == Command(
        "-@", "/usr/bin/env", ("sglang", "-m", "--a", "b c", "30000", "$HOME", "x$HOME", "5%", ";", "%i"), ("%i",)
    )


def test_variables_stay_where_their_values_are_not_known() -> None:
    [command] = read_exec("/x $A ${B}c")
    assert command.argv == ("/x", "$A", "${B}c")
    assert command.unresolved == ("$A", "${B}")


def test_variables_that_cannot_be_set() -> None:
    assert read_exec("/x $ $1 $A.x a${}b ${1}", {})[0] == Command("", "/x", ("/x", "ab", ""))


def test_a_colon_keeps_variables() -> None:
    [command] = read_exec(":/x $A ${B} $$", {"A": "1", "B": "2"})
    assert command.argv == ("/x", "$A", "${B}", "$$")


def test_several_commands() -> None:
    commands = read_exec('/x a ; /y ";" ; ;')
    assert [c.argv for c in commands] == [("/x", "a"), ("/y", ";")]
    assert read_exec("") == []


def test_an_argv0_must_follow_its_switch() -> None:
    with pytest.raises(Unreadable, match="second word"):
        read_exec("@/x")


def test_several_variables_in_one_line() -> None:
    assert read_environment('A=1 "B=x y" C=%h:%%') == Variables(
        (Assignment("A", "1"), Assignment("B", "x y"), Assignment("C", "%h:%", ("%h",)))
    )


@pytest.mark.parametrize("word", ["A", "=x", "1A=x", "A-B=x", "É=x", r"A=\xff", r"A=\xef\xbf\xbf"])
def test_words_that_set_nothing_are_dropped_alone(word: str) -> None:
    read = read_environment(f"B=1 {word} C=2")
    assert [a.name for a in read.assignments] == ["B", "C"]
    assert read.dropped == (word,)


@pytest.mark.parametrize("rest", [r"C=\q D=1", '"C=x D=1', "C=\\"])
def test_at_a_syntax_error_all_the_rest_is_dropped(rest: str) -> None:
    read = read_environment(f"B=1 {rest}")
    assert read == Variables((Assignment("B", "1"),), (rest,))


@given(st.text())
def test_anything_is_read_or_refused(value: str) -> None:
    for read in (split_words, read_exec, read_environment):
        with contextlib.suppress(Unreadable):
            read(value)
