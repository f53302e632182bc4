"""What `quoting` writes reaches a process of a real systemd byte for byte, and its limits are the real ones."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import pytest

from sgfleet.render.quoting import (
    LINE_MAX_BYTES,
    PROCESS_MAX_BYTES,
    PROCESS_RESERVE_BYTES,
    WORD_MAX_BYTES,
    blinds_systemctl,
    environment_assignment,
    exec_word,
    executable,
    path_value,
    plain_value,
    refuse_oversize,
    unit_list,
    unit_name,
)
from sgfleet.render.unit_text import Section, Setting, UnitText, comments
from sgfleet.render.unquotable import Unquotable
from sgfleet.render.unquoting import split_words
from support.nasty import NONCHARACTERS, nasty_strings
from support.probe import oneshot
from support.verify_unit import verify_unit

if TYPE_CHECKING:
    from support.probe import Probe

NASTY = nasty_strings()


def test_there_are_enough_of_them() -> None:
    assert len(NASTY) >= 300


def test_all_arguments_on_one_line(probe: Probe) -> None:
    out = probe.out()
    line = " ".join(map(exec_word, [*probe.command(out), *NASTY]))
    name = probe.install(f"[Service]\nType=oneshot\nExecStart={line}\n")
    probe.systemd.start(name)
    assert out.read_bytes().split(b"\0")[:-1] == [text.encode() for text in NASTY]
    assert probe.systemd.show(name, "Result") == {"Result": "success"}


def test_one_argument_a_line(probe: Probe) -> None:
    arrived = probe.run([], [[text] for text in NASTY])
    assert arrived.argv == [text.encode() for text in NASTY]


def test_one_flag_a_line_with_its_values(probe: Probe) -> None:
    groups = [[f"--flag-{number}", *NASTY[number : number + 3]] for number in range(0, len(NASTY), 3)]
    arrived = probe.run([], groups)
    assert arrived.argv == [word.encode() for group in groups for word in group]


def test_every_variable(probe: Probe) -> None:
    expected = {f"NASTY_{number}": text for number, text in enumerate(NASTY)}
    arrived = probe.run([Setting.of("Environment", environment_assignment(*pair)) for pair in expected.items()], [])
    found = {name.decode(): value.decode() for name, value in arrived.environment.items() if name.startswith(b"NASTY_")}
    assert found == expected


def test_variables_over_those_of_systemd(probe: Probe) -> None:
    names = ("PATH", "HOME", "USER", "LANG", "INVOCATION_ID", "SHELL")
    arrived = probe.run([Setting.of("Environment", environment_assignment(name, "$ours %n")) for name in names], [])
    assert {name: arrived.environment[name.encode()] for name in names} == dict.fromkeys(names, b"$ours %n")


def test_systemd_has_nothing_against_any_of_it() -> None:
    settings = [Setting.of("Environment", environment_assignment(f"A{n}", text)) for n, text in enumerate(NASTY)]
    command = Setting.wrapped("ExecStart", ["/usr/bin/true", *map(exec_word, NASTY)])
    assert verify_unit(oneshot(*settings, command), "nasty.service") == []


def test_noncharacters_arrive_and_blind_systemctl(probe: Probe) -> None:
    for text in NONCHARACTERS:
        assert blinds_systemctl(text) is not None
    assert probe.run([], [list(NONCHARACTERS)]).argv == [text.encode() for text in NONCHARACTERS]
    name = probe.install(f"[Service]\nType=oneshot\nExecStart=/usr/bin/true {exec_word(NONCHARACTERS[0])}\n")
    probe.systemd.start(name)
    done = probe.systemd.run("systemctl", "show", "--property=ActiveState", name, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Invalid argument" in done.stderr


def test_systemd_drops_variables_with_noncharacters(probe: Probe) -> None:
    escaped = {f"A{n}": "".join(f"\\x{byte:02x}" for byte in text.encode()) for n, text in enumerate(NONCHARACTERS)}
    arrived = probe.run([Setting.of("Environment", f'"{name}={value}"') for name, value in escaped.items()], [])
    assert not {name.encode() for name in escaped} & set(arrived.environment)
    for text in NONCHARACTERS:
        with pytest.raises(Unquotable):
            environment_assignment("A", text)


def test_systemd_drops_variables_with_such_names(probe: Probe) -> None:
    names = ["1A", "A-B", "A.B", "É", ""]
    arrived = probe.run([Setting.of("Environment", f'"{name}=dropped"') for name in names], [])
    assert b"dropped" not in arrived.environment.values()
    for name in names:
        with pytest.raises(Unquotable):
            environment_assignment(name, "dropped")


def test_the_longest_argument_and_variable(probe: Probe) -> None:
    longest = ["x" * WORD_MAX_BYTES, "é" * (WORD_MAX_BYTES // 2)]
    value = "x" * (WORD_MAX_BYTES - 2)
    arrived = probe.run([Setting.of("Environment", environment_assignment("A", value))], [longest])
    assert arrived.argv == [text.encode() for text in longest]
    assert arrived.environment[b"A"] == value.encode()


EXIT_EXEC = "203"
"""What systemd's child exits with when the kernel does not start the program."""


@pytest.mark.parametrize("setting", ["Environment=A={}", "ExecStart=/usr/bin/true {}"])
def test_a_byte_more_does_not_start(probe: Probe, setting: str) -> None:
    longer = "x" * (WORD_MAX_BYTES + 1)
    name = probe.install(f"[Service]\nType=oneshot\nExecStart=/usr/bin/true\n{setting.format(longer)}\n")
    assert probe.systemd.start(name, check=False).returncode
    # Not what the journal says: of a process that is gone it may no longer know the unit.
    assert probe.systemd.show(name, "ExecMainStatus")["ExecMainStatus"] == EXIT_EXEC


def test_as_many_arguments_as_there_is_room_for(probe: Probe) -> None:
    argv = ["/usr/bin/true"]
    room = PROCESS_MAX_BYTES - PROCESS_RESERVE_BYTES
    argv += ["a"] * ((room - 2 * len("/usr/bin/true ") - 8) // (len("a ") + 8))
    refuse_oversize(argv, {})
    with pytest.raises(Unquotable):
        refuse_oversize([*argv, "a"], {})
    probe.systemd.start(probe.install(f"[Service]\nType=oneshot\nExecStart={' '.join(argv)}\n"))
    argv += ["a"] * (PROCESS_RESERVE_BYTES // 10)
    name = probe.install(f"[Service]\nType=oneshot\nExecStart={' '.join(argv)}\n")
    assert probe.systemd.start(name, check=False).returncode
    # Not what the journal says: of a process that is gone it may no longer know the unit.
    assert probe.systemd.show(name, "ExecMainStatus")["ExecMainStatus"] == EXIT_EXEC


@pytest.mark.parametrize("joined", [" ", None], ids=["one line", "continued"])
def test_the_longest_line(probe: Probe, joined: str | None) -> None:
    def command(filler: int) -> Setting:
        words = ["/usr/bin/true", *["y" * 100_000] * 10, "z" * filler]
        return Setting.wrapped("ExecStart", [joined.join(words)] if joined else words)

    room = LINE_MAX_BYTES - sum(map(len, command(1).lines())) + 1
    assert 0 < room < WORD_MAX_BYTES
    probe.systemd.start(probe.install(oneshot(command(room))))
    with pytest.raises(Unquotable, match="1048576 bytes of the unit"):
        oneshot(command(room + 1))


def test_a_byte_more_does_not_load(probe: Probe) -> None:
    longer = "y" * (LINE_MAX_BYTES - len("Description=") + 1)
    name = probe.install(f"[Unit]\nDescription={longer}\n[Service]\nType=oneshot\nExecStart=/usr/bin/true\n")
    assert probe.systemd.show(name, "LoadState") == {"LoadState": "error"}


NAMES = (
    "plain",
    "two words",
    "a$b",
    "a$HOME",
    "50%",
    "%h",
    "é",
    "日本",
    "a;b",
    "#a",
    "a#b",
    "a=b",
    "a*b",
    "[a]",
    "a\u202eb",
)
NAMES += ("a\x85b", "a,b", "-a", "@a", "a{b}", "~a", "a&b", "a|b", "$", "%")


def test_executables_under_such_names_start(probe: Probe) -> None:
    folder = probe.systemd.share / "bin"
    folder.mkdir()
    outs = {folder / name: probe.out() for name in NAMES}
    for path, out in outs.items():
        path.write_text(f"#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/cmdline > '{out}'\n")
        path.chmod(0o755)
    commands = [Setting.of("ExecStart", f"{executable(str(path))} end") for path in outs]
    probe.systemd.start(probe.install(oneshot(*commands)))
    for path, out in outs.items():
        assert out.read_text().split("\n")[:-1] == ["/bin/sh", str(path), "end"]


def test_executables_under_such_names_are_refused_by_systemd_too(probe: Probe) -> None:
    for name in ("a'b", 'a"b', "a\\b", "a\tb", "a\nb", "a\x01b", "a\x7fb", "a/"):
        with pytest.raises(Unquotable):
            executable(f"/opt/{name}")
        escaped = "".join(f"\\x{ord(character):02x}" for character in name)
        unit = probe.install(f'[Service]\nType=oneshot\nExecStart="/opt/{escaped}"\n')
        assert probe.systemd.show(unit, "LoadState") == {"LoadState": "bad-setting"}, ascii(name)


@pytest.mark.parametrize("name", ["a${HOME}b", "a$$b"])
def test_argv0_would_not_be_the_path(probe: Probe, name: str) -> None:
    with pytest.raises(Unquotable):
        executable(f"/opt/{name}")
    path, out = probe.systemd.share / name, probe.out()
    path.symlink_to("/bin/sh")
    unit = probe.install(
        f"[Service]\nType=oneshot\nExecStart={path} -c \"tr '\\\\0' '\\\\n' < /proc/$$$$/cmdline > {out}\"\n"
    )
    probe.systemd.start(unit)
    assert out.read_text().splitlines()[0] != str(path)


def test_plain_values(probe: Probe) -> None:
    texts: list[str] = []
    for text in ("100% of it", "%n", "$HOME ${X}", "'quoted' \"x\" \\x41", "a;b #c", "é 日本 🤖", "a\\\\", "=", *NASTY):
        with contextlib.suppress(Unquotable):
            if plain_value(text) and len(text) < 1000:
                texts.append(text)
    assert len(texts) > 100
    for number, text in enumerate(texts):
        description = Section("Unit", (Setting.of("Description", plain_value(text)),))
        unit = UnitText((description, Section("Service", (Setting.of("ExecStart", "/usr/bin/true"),)))).render()
        probe.install(unit, f"plain-{number}.service", reload=False)
    probe.systemd.run("systemctl", "daemon-reload")
    names = [f"plain-{number}.service" for number in range(len(texts))]
    shown = probe.systemd.run("systemctl", "show", "--property=Description", *names).stdout
    assert [line.removeprefix("Description=") for line in shown.split("\n") if line] == texts


def test_working_directories(probe: Probe) -> None:
    names = ("50% off", "%n", "two words", "a\"b'c", "a\\x41", "$HOME", "é", "a;b", "-a", "~")
    units = {}
    for name in names:
        folder, out = probe.systemd.share / name, probe.out()
        folder.mkdir()
        command = Setting.of("ExecStart", f'/bin/sh -c "pwd > {out}"')
        unit = oneshot(Setting.of("WorkingDirectory", path_value(str(folder))), command)
        units[probe.install(unit, reload=False)] = (folder, out)
    probe.systemd.run("systemctl", "daemon-reload")
    probe.systemd.run("systemctl", "start", *units)
    assert [out.read_text() for _, out in units.values()] == [f"{folder}\n" for folder, _ in units.values()]


def test_environment_files(probe: Probe) -> None:
    names = ("a.env", "50%.env", "%n.env", "two words.env", "é.env", "$HOME.env", 'a"b.env', "-a.env")
    files = {f"FROM_{number}": probe.systemd.share / name for number, name in enumerate(names)}
    for variable, file in files.items():
        file.write_text(f"{variable}=yes\n")
    settings = [Setting.of("EnvironmentFile", path_value(str(file), globbed=True)) for file in files.values()]
    arrived = probe.run(settings, []).environment
    assert {name for name in arrived if name.startswith(b"FROM_")} == {name.encode() for name in files}


def test_dependencies(probe: Probe) -> None:
    names = ["network.target", "a-b_c:d.service", "x@y.service", "dev-a\\x2db.device", "x@a@b.service", "9.timer"]
    name = probe.install(f"[Unit]\nAfter={unit_list(names)}\n[Service]\nExecStart=/usr/bin/true\n")
    assert set(names) <= set(split_words(probe.systemd.show(name, "After")["After"]))


def test_dependencies_that_systemd_drops(probe: Probe) -> None:
    names = ["x@.service", "é.service", "a/b.service", "x.tgt", "x" * 248 + ".service", "@x.service"]
    lines = "".join(f"After={name}\n" for name in names)
    unit = probe.install(f"[Unit]\nAfter=good.service\n{lines}[Service]\nExecStart=/usr/bin/true\n")
    after = set(split_words(probe.systemd.show(unit, "After")["After"]))
    assert "good.service" in after
    assert not after & set(names)
    for name in names:
        with pytest.raises(Unquotable):
            unit_name(name)


def test_a_comment_cannot_become_a_setting(probe: Probe) -> None:
    """systemd ends a line at a carriage return and at NUL, also in a comment."""
    for end in ("\r", "\0"):
        smuggled = f"[Unit]\n# why{end}Description=smuggled\n[Service]\nExecStart=/usr/bin/true\n"
        assert probe.systemd.show(probe.install(smuggled), "Description") == {"Description": "smuggled"}
    text = UnitText((Section("Unit", comments("why\rDescription=smuggled")),)).render()
    name = probe.install(text + "[Service]\nExecStart=/usr/bin/true\n")
    assert re.fullmatch(r"probe-\d+\.service", probe.systemd.show(name, "Description")["Description"])
