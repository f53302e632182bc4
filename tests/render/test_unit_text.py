"""Units as data and as text. That systemd reads files as the reader does: tests/systemd/test_unit_reader_agrees.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.render.quoting import LINE_MAX_BYTES, environment_assignment, exec_lines, plain_value
from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.render.unit_text import Comment, Ignored, Section, Setting, UnitText, comments
from sgfleet.render.unquotable import Unquotable
from sgfleet.render.unquoting import read_environment, read_exec
from support.nasty import nasty_strings

TEXT = """\
# kimi-01/sglang-kimi
# Prefix cache fourfold.

[Unit]
Description=SGLang
After=network.target

[Service]
# argv as the spec has it
ExecStart=/usr/bin/python3 -m sglang.launch_server \\
    --tp-size 8 \\
    --served-model-name "kimi k2.5"
Environment="A=b c"

[Install]
WantedBy=multi-user.target
"""
UNIT = UnitText(
    header=(Comment("kimi-01/sglang-kimi"), Comment("Prefix cache fourfold.")),
    sections=(
        Section("Unit", (Setting.of("Description", "SGLang"), Setting.of("After", "network.target"))),
        Section(
            "Service",
            (
                Comment("argv as the spec has it"),
                Setting.wrapped(
                    "ExecStart",
                    ["/usr/bin/python3 -m sglang.launch_server", "--tp-size 8", '--served-model-name "kimi k2.5"'],
                ),
                Setting.of("Environment", '"A=b c"'),
            ),
        ),
        Section("Install", (Setting.of("WantedBy", "multi-user.target"),)),
    ),
)


def test_a_unit_as_text() -> None:
    assert UNIT.render() == TEXT


def test_a_text_as_unit() -> None:
    unit = parse_unit(TEXT)
    assert unit == UNIT
    lines = {item.key: item.line for section in unit.sections for item in section.items if isinstance(item, Setting)}
    assert lines == {"Description": 5, "After": 6, "ExecStart": 10, "Environment": 13, "WantedBy": 16}
    assert [section.line for section in unit.sections] == [4, 8, 15]


def test_nothing_renders_to_nothing() -> None:
    assert UnitText(()).render() == ""
    assert parse_unit("") == UnitText(())


fit = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp", "Cn"]), max_size=20)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,10}", fullmatch=True)
comment = st.builds(Comment, fit.map(str.rstrip))
value = fit.map(lambda text: text.strip(" ").rstrip("\\").strip(" "))
part = value.filter(lambda text: text and text[0] not in "#;")
setting = st.builds(Setting.of, names, value) | st.builds(
    Setting.wrapped, names, st.lists(part, min_size=1, max_size=4)
)
sections = st.builds(Section, names, st.lists(comment | setting, max_size=5).map(tuple))
units = st.builds(UnitText, st.lists(sections, max_size=4).map(tuple), st.lists(comment, max_size=3).map(tuple))


@given(units)
def test_reading_undoes_rendering(unit: UnitText) -> None:
    text = unit.render()
    assert parse_unit(text) == unit
    assert parse_unit(text).ignored == ()


@given(st.text() | st.text(alphabet="[]Ab=#;\\ \t\n\r\0\ufeff\uffff\udcff", max_size=40))
def test_any_text_is_read_or_refused_and_rendering_changes_nothing(text: str) -> None:
    try:
        unit = parse_unit(text)
    except UnitSyntaxError:
        return
    try:
        again = unit.render()
    except Unquotable:  # keys, sections and raw characters that this tool never writes
        return
    assert parse_unit(again) == unit


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1)),
    st.text(),
)
def test_a_command_comes_back_through_a_whole_unit(groups: list[list[str]], why: str) -> None:
    command = Setting.wrapped("ExecStart", exec_lines([["/x"], *groups]))
    try:
        text = UnitText((Section("Service", (command,)),), comments(why)).render()
    except Unquotable:  # only `why` can be at fault
        text = UnitText((Section("Service", (command,)),)).render()
    [found] = parse_unit(text).settings("Service")
    assert read_exec(found.value)[0].argv == ("/x", *(word for group in groups for word in group))


def test_no_nasty_text_becomes_a_second_setting() -> None:
    for text in nasty_strings():
        items = [
            Setting.of("Environment", environment_assignment("A", text)),
            Setting.wrapped("ExecStart", exec_lines([["/x"], [text, text], [text]])),
        ]
        for maybe in (lambda t=text: [Setting.of("Description", plain_value(t))], lambda t=text: [*comments(t)]):
            try:
                more = maybe()
                UnitText((Section("Unit", tuple(more)),)).render()
            except Unquotable:
                continue
            items += more
        unit = parse_unit(UnitText((Section("Service", tuple(items)),)).render())
        keys = [setting.key for setting in unit.settings("Service")]
        assert keys in (["Environment", "ExecStart"], ["Environment", "ExecStart", "Description"]), ascii(text)
        assert len(unit.sections) == 1
        assert unit.ignored == ()
        assert read_environment(unit.values("Service", "Environment")[0]).assignments[0].value == text


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (Setting.of("Description", "a\nUser=root"), "U+000A (a line break)"),
        (Setting.of("Description", "a\rUser=root"), "U+000D (a line break)"),
        (Setting.of("Description", "a\0User=root"), "U+0000 (NUL)"),
        (Setting.of("Description", "a\u2028b"), "U+2028 (a line break)"),
        (Setting.of("Description", "a\u202eb"), "U+202E (it changes the direction of the text after it)"),
        (Setting.of("Description", "a\uffffb"), "U+FFFF (a Unicode noncharacter)"),
        (Setting.of("Description", "a\udcffb"), "U+DCFF (half of a surrogate pair)"),
        (Setting.of("Description", "a\x1b[31m"), "U+001B (a control character)"),
        (Setting.of("Description", " a"), "starts or ends with a blank"),
        (Setting.of("Description", "a "), "starts or ends with a blank"),
        (Setting.of("Description", "a\\"), "ends in a backslash"),
        (Setting.wrapped("ExecStart", ["/x", "a\\", "b"]), None),
        (Setting("ExecStart", ("/x \\", "b")), "line 1 of ExecStart= ends in a backslash"),
        (Setting.wrapped("ExecStart", ["/x", "#b"]), "line 2 of ExecStart= starts with # or ;"),
        (Setting.wrapped("ExecStart", ["/x", ";", "b"]), "line 2 of ExecStart= starts with # or ;"),
        (Setting("ExecStart", ()), "starts or ends with a blank"),
        (Setting.of("Exec Start", "/x"), "a key of a unit is named 'Exec Start'"),
        (Setting.of("A=B", "x"), "a key"),
        (Setting.of("", "x"), "a key"),
        (Setting.of("[Service]", "x"), "a key"),
        (Comment("a\nb"), "a comment holds U+000A"),
        (Comment("a\rUser=root"), "a comment holds U+000D"),
        (Comment("a\0User=root"), "a comment holds U+0000"),
        (Comment("a "), "a comment ends with a blank"),
        (Setting.of("Description", "x" * (LINE_MAX_BYTES - len("Description="))), None),
        (
            Setting.of("Description", "x" * (LINE_MAX_BYTES - len("Description=") + 1)),
            "takes 1048576 bytes of the unit",
        ),
        (Setting.wrapped("ExecStart", ["/x"] + ["y" * 131_000] * 8), None),
        (Setting.wrapped("ExecStart", ["/x"] + ["y" * 131_100] * 8), "bytes of the unit"),
    ],
)
def test_what_must_not_stand_in_a_unit(item: Comment | Setting, reason: str | None) -> None:
    unit = UnitText((Section("Unit", (item,)),))
    if reason is None:
        assert parse_unit(unit.render()) == unit
        return
    with pytest.raises(Unquotable) as refused:
        unit.render()
    assert reason in refused.value.reason


@pytest.mark.parametrize("name", ["", "a]b", "a b", "[a", "a\nb", "É"])
def test_a_section_has_a_plain_name(name: str) -> None:
    with pytest.raises(Unquotable, match="a section of a unit"):
        UnitText((Section(name, ()),)).render()


def test_header_comments_are_held_to_the_same() -> None:
    with pytest.raises(Unquotable, match="a comment holds"):
        UnitText((), (Comment("a\rb"),)).render()


def test_free_text_becomes_comments() -> None:
    assert comments("") == comments(" \n ") == ()
    assert comments("one\ttab\r\ntwo \n\n  three\u2028four\x85") == tuple(
        Comment(line) for line in ("one tab", "two", "", "  three", "four")
    )


def test_lists_are_cleared_and_single_values_overridden() -> None:
    unit = parse_unit(
        "[Unit]\nAfter=a\nAfter=\nAfter=b\n[Service]\nType=simple\nType=exec\nUser=x\nUser=\n[Unit]\nAfter=c\n"
    )
    assert unit.values("Unit", "After") == ["b", "c"]
    assert unit.value("Service", "Type") == "exec"
    assert unit.value("Service", "User") is None
    assert unit.value("Service", "Group") is None
    assert unit.values("Install", "WantedBy") == []
    assert [setting.key for setting in unit.settings("Service")] == ["Type", "Type", "User", "User"]


def test_parts_are_values_without_layout() -> None:
    [setting] = parse_unit("[Service]\nExecStart = /x \\\n\t-a \\\n  b  \n").settings("Service")
    assert setting.parts == ("/x", "-a", "b")
    assert setting.value == "/x  \t-a    b"


def test_comments_between_continuations_are_kept_behind_the_setting() -> None:
    unit = parse_unit("[Service]\nExecStart=/x \\\n# why \\\n ; and\n  -a\nType=exec\n")
    assert unit.sections[0].items == (
        Setting("ExecStart", ("/x ", "  -a")),
        Comment("why \\"),
        Comment("and"),
        Setting.of("Type", "exec"),
    )
    assert [item.line for item in unit.sections[0].items] == [2, 3, 4, 6]


def test_what_systemd_drops_is_said() -> None:
    unit = parse_unit("Stray=1\n[Unit]\nno sign\n= no key\nDescription=x\n")
    assert unit.value("Unit", "Description") == "x"
    assert unit.ignored == (
        Ignored(1, "an assignment above the first section"),
        Ignored(3, "no = in the line"),
        Ignored(4, "no key before the ="),
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[Unit]\nDescription=a\uffff\n", 2),
        ("[Unit]\nDescription=a \\\n b\udcff\n", 2),
        ("[Unit]\n\n[Service\n", 3),
        ("[Unit]\nDescription=" + "x" * LINE_MAX_BYTES, 2),
        ("[Unit]\n#" + "x" * LINE_MAX_BYTES, 2),
        ("[Unit]\nDescription=" + ("x" * 1000 + "\\\n") * 1100, 2),
    ],
    ids=["noncharacter", "not UTF-8", "open header", "long line", "long comment", "long continuation"],
)
def test_what_systemd_refuses_whole(text: str, line: int) -> None:
    with pytest.raises(UnitSyntaxError) as refused:
        parse_unit(text)
    assert refused.value.line == line
