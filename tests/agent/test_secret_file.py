"""Variables in files, read as systemd reads them."""

from __future__ import annotations

import os

import pytest

from sgfleet.agent.secret_file import SecretFileError, value_of, variable_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("KEY=plain", "plain"),
        ("KEY=  padded  \n", "padded"),
        ("# KEY=no\n;KEY=no\nKEY=yes\n", "yes"),
        ("KEY=first\nKEY=second\n", "second"),
        ('KEY="a b"', "a b"),
        ("KEY='a $b \\n'", "a $b \\n"),
        ('KEY="a\\"b\\\\c\\$d\\n"', 'a"b\\c$d\\n'),
        ("KEY=a\\\nb", "ab"),
        ("KEY=a\\bc", "abc"),
        ('KEY="two\nlines"\nOTHER=1', "two\nlines"),
        ("KEY=", ""),
        ("OTHER=KEY=x\n", None),
        ("KEYS=x\n", None),
        ("", None),
        ("KEY\n", None),
        ("KEY=50%$HOME\n", "50%$HOME"),
    ],
)
def test_a_line(text, value):
    assert variable_in(text, "KEY") == value


def test_the_last_file_counts(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("KEY=one\nONLY=here\n")
    second.write_text("KEY=two\n")
    assert value_of("KEY", [str(first), str(second)]) == "two"
    assert value_of("ONLY", [str(first), str(second)]) == "here"
    with pytest.raises(SecretFileError, match="NONE stands in none of"):
        value_of("NONE", [str(first), str(second)])


def test_what_is_no_plain_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "big").write_text("KEY=" + "x" * 2**20)
    for name, said in (("pipe", "no plain file"), ("big", "more than"), ("none", "no such file"), (".", "plain file")):
        with pytest.raises(SecretFileError, match=said):
            value_of("KEY", [str(tmp_path / name)])
