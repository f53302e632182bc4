"""Quoting, held against its pure inverse. What a real systemd makes of it: tests/systemd/test_quoting.py."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sgfleet.render.characters import unfit
from sgfleet.render.quoting import (
    PROCESS_MAX_BYTES,
    PROCESS_RESERVE_BYTES,
    WORD_MAX_BYTES,
    blinds_systemctl,
    environment_assignment,
    exec_lines,
    exec_word,
    executable,
    path_value,
    plain_value,
    refuse_oversize,
    unit_list,
    unit_name,
)
from sgfleet.render.unquotable import Unquotable
from sgfleet.render.unquoting import read_environment, read_exec
from support.nasty import NONCHARACTERS, nasty_strings

carried = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
"""Any text that a process can receive."""


@given(carried)
@example("")
@example("\\")
@example("$")
@example("%")
@example(";")
def test_an_argument_comes_back(text: str) -> None:
    [command] = read_exec(f"/x {exec_word(text)}")
    assert command.argv == ("/x", text)
    assert not command.unresolved


def test_nasty_arguments_come_back() -> None:
    texts = [*nasty_strings(), *NONCHARACTERS]
    assert len(texts) >= 300
    written = {text: exec_word(text) for text in texts}
    assert [t for t, word in written.items() if read_exec(f"/x {word} end")[0].argv != ("/x", t, "end")] == []
    assert [t for t, word in written.items() if unfit(word) or word.startswith(("#", ";"))] == []


@given(st.lists(st.lists(carried, min_size=1), min_size=1))
def test_groups_are_layout_only(groups: list[list[str]]) -> None:
    lines = exec_lines([["/x"], *groups])
    assert len(lines) == len(groups) + 1
    assert read_exec(" ".join(lines))[0].argv == ("/x", *(word for group in groups for word in group))


@given(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True), carried)
def test_a_variable_comes_back_or_is_refused(name: str, value: str) -> None:
    if blinds_systemctl(value) is not None:
        with pytest.raises(Unquotable, match="noncharacter"):
            environment_assignment(name, value)
        return
    written = environment_assignment(name, value)
    [assignment] = read_environment(written).assignments
    assert (assignment.name, assignment.value, assignment.unresolved) == (name, value, ())
    assert not unfit(written)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", '""'),
        ("--tp-size", "--tp-size"),
        ("/models/kimi-k2.5,x=1:2@3+4^5", "/models/kimi-k2.5,x=1:2@3+4^5"),
        ("two words", '"two words"'),
        ("it's", '"it\'s"'),
        ('{"a": 1}', "'{\"a\": 1}'"),
        ('"it\'s"', '"\\"it\'s\\""'),
        ("100% $HOME", '"100%% $$HOME"'),
        ("C:\\x", '"C:\\\\x"'),
        ("a\tb\nc\rd\x1b", '"a\\tb\\nc\\rd\\x1b"'),
        ("\x85\u202e\u00a0\U000e0041", '"\\u0085\\u202e\\u00a0\\U000e0041"'),
        ("日本語 🤖", '"日本語 🤖"'),
        ("\uffff", '"\\xef\\xbf\\xbf"'),
    ],
)
def test_how_an_argument_is_written(text: str, written: str) -> None:
    assert exec_word(text) == written


def test_how_a_variable_is_written() -> None:
    assert environment_assignment("CUDA_HOME", "/usr/local/cuda-13.0") == "CUDA_HOME=/usr/local/cuda-13.0"
    assert environment_assignment("A", "$B 5%") == '"A=$B 5%%"'
    assert environment_assignment("A", '{"b": 1}') == "'A={\"b\": 1}'"
    assert environment_assignment("A", "") == "A="


@pytest.mark.parametrize(
    ("text", "reason", "at"),
    [
        ("a\0b", "an argument holds U+0000 (NUL): no process can receive it", 1),
        ("\ud800", "an argument holds U+D800 (half of a surrogate pair): no process can receive it", 0),
        ("ok\udc80", "an argument holds U+DC80 (half of a surrogate pair): no process can receive it", 2),
        ("x" * (WORD_MAX_BYTES + 1), "an argument of 131072 bytes: the kernel takes at most 131071 in one", None),
        ("é" * 65_536, "an argument of 131072 bytes: the kernel takes at most 131071 in one", None),
    ],
)
def test_an_argument_that_cannot_arrive(text: str, reason: str, at: int | None) -> None:
    with pytest.raises(Unquotable) as refused:
        exec_word(text)
    assert (refused.value.reason, refused.value.at) == (reason, at)


def test_the_longest_argument() -> None:
    assert len(exec_word("x" * WORD_MAX_BYTES)) == WORD_MAX_BYTES
    assert exec_word("é" * 65_535)


def test_a_refusal_never_repeats_the_value() -> None:
    with pytest.raises(Unquotable) as refused:
        environment_assignment("TOKEN", "hunter2\0")
    assert "hunter2" not in str(refused.value)
    assert refused.value.reason.startswith("the environment variable TOKEN holds U+0000")


@pytest.mark.parametrize("name", ["", "1A", "A-B", "A.B", "A B", "A=B", "É", "A\n", "A%", "$A"])
def test_a_name_that_systemd_drops(name: str) -> None:
    with pytest.raises(Unquotable, match="systemd drops the assignment"):
        environment_assignment(name, "x")


def test_the_longest_variable_counts_its_name() -> None:
    environment_assignment("AB", "x" * (WORD_MAX_BYTES - 3))
    with pytest.raises(Unquotable, match="131072 bytes with its name"):
        environment_assignment("AB", "x" * (WORD_MAX_BYTES - 2))


@pytest.mark.parametrize(
    "path", ["/usr/bin/python3", "/opt/my env/bin/python", "/opt/a$b/x", "/opt/50%/x", "/opt/é;#/x"]
)
def test_an_executable_comes_back(path: str) -> None:
    [command] = read_exec(f"{executable(path)} x")
    assert (command.prefixes, command.path, command.argv) == ("", path, (path, "x"))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "must be absolute"),
        ("python3", "must be absolute"),
        ("@/usr/bin/x", "must be absolute"),
        ("-/usr/bin/x", "must be absolute"),
        ("/", "ends in a slash"),
        ("/usr/bin/", "ends in a slash"),
        ("/a\nb", "U+000A (a line break): systemd refuses the unit"),
        ("/a'b", "U+0027 ('): systemd refuses the unit"),
        ('/a"b', "systemd refuses the unit"),
        ("/a\\b", "systemd refuses the unit"),
        ("/a\x7f", "systemd refuses the unit"),
        ("/a\0b", "no process can receive it"),
        ("/a\uffff", "systemctl could not read"),
        ("/a${HOME}", "holds ${: systemd would resolve it"),
        ("/a$$b", "holds $$: systemd would resolve it"),
        ("/" + "a" * 4095, "has 4096 bytes"),
    ],
)
def test_an_executable_that_systemd_does_not_take(path: str, reason: str) -> None:
    with pytest.raises(Unquotable) as refused:
        executable(path)
    assert reason in refused.value.reason


def test_a_command_needs_a_word() -> None:
    for nothing in ([], [[]], [[], []]):
        with pytest.raises(Unquotable, match="without words"):
            exec_lines(nothing)


def test_the_first_word_is_the_executable_whatever_group_it_is_in() -> None:
    with pytest.raises(Unquotable, match="must be absolute"):
        exec_lines([[], ["python3", "-m", "x"]])


def test_a_process_has_one_limit_for_arguments_and_variables() -> None:
    room = PROCESS_MAX_BYTES - PROCESS_RESERVE_BYTES
    # /x counts twice with its NULs and once with a pointer, and so do the two bytes of A=, its NUL and its pointer.
    filler = "a" * 100_000
    argv = ["/x"]
    argv += [filler] * ((room - 1000) // (len(filler) + 9))
    used = sum(len(word) + 9 for word in argv) + len("/x") + 1
    rest = room - used - len("A=") - 9
    refuse_oversize(argv, {"A": "b" * rest})
    with pytest.raises(Unquotable, match=f"take {room + 1} bytes"):
        refuse_oversize(argv, {"A": "b" * (rest + 1)})


@given(carried)
def test_a_plain_value_is_itself_but_for_specifiers(text: str) -> None:
    try:
        written = plain_value(text)
    except Unquotable:
        assert unfit(text) or text != text.strip(" ") or text.endswith("\\")
    else:
        assert written.replace("%%", "%") == text


@pytest.mark.parametrize(
    "text", ["a\nb", "a\rb", "a\0b", "\x1b[0m", "a\tb", "\x85", "\u2028", "\u202e", "\uffff", "\udc80"]
)
def test_a_plain_value_has_no_escapes(text: str) -> None:
    with pytest.raises(Unquotable, match="the setting has no way to write it"):
        plain_value(text)


@pytest.mark.parametrize(
    ("text", "reason", "at"),
    [(" a", "a blank", 0), ("a ", "a blank", 1), ("a\\", "backslash", 1), ("a\\\\\\", "backslash", 3)],
)
def test_a_plain_value_that_systemd_would_change(text: str, reason: str, at: int) -> None:
    with pytest.raises(Unquotable, match=reason) as refused:
        plain_value(text)
    assert refused.value.at == at


def test_an_even_number_of_backslashes_ends_a_plain_value() -> None:
    assert plain_value("a\\\\") == "a\\\\"


def test_paths() -> None:
    assert path_value("/srv/50% of it") == "/srv/50%% of it"
    assert path_value("/etc/sgfleet/kimi.env", globbed=True) == "/etc/sgfleet/kimi.env"
    assert path_value("/srv/[a]") == "/srv/[a]"
    for path, globbed in (
        ("srv", False),
        ("-/srv", False),
        ("~", False),
        ("/a/*.env", True),
        ("/a[b]", True),
        ("/a\\b", True),
    ):
        with pytest.raises(Unquotable):
            path_value(path, globbed=globbed)


def test_unit_lists() -> None:
    assert unit_list([]) == ""
    assert unit_list(["network.target", "dev-disk\\x2dby.device", "a@b.service"]) == (
        "network.target dev-disk\\x2dby.device a@b.service"
    )


@pytest.mark.parametrize(
    "name",
    [
        *("", "network", "network.tgt", "a b.service", "a.service b.service", "a/b.service", "%n.service", "é.service"),
        *(".service", "a@.service", "@b.service", "a\n.service", "a.service\n", "x" * 248 + ".service"),
    ],
)
def test_a_name_that_no_unit_has(name: str) -> None:
    with pytest.raises(Unquotable):
        unit_name(name)


def test_the_longest_unit_name() -> None:
    assert unit_name("x" * 247 + ".service")
