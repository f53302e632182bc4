"""`unquoting` reads what people write as a real systemd does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgfleet.render.unquoting import read_environment, read_exec
from support.probe import Arrived

if TYPE_CHECKING:
    from support.probe import Probe

VARIABLES = {"A": "one  two 'th ree'", "EMPTY": "", "Q": 'say "hi"', "P": "30000", "_1": "x"}
# Rows by kind: one text a line would hide them.
# fmt: off
ARGUMENTS = (
    # Words and quotes.
    "plain", "a  b\tc", "'a b' c", "a'b c'd", '"a"b', '"" x', "''", "~ * ? [a-z] {a,b}", '{"a":1}', '{"a": 1}',
    # Escapes.
    r"'a\x41\"b'", r'"a\x41\"b"', r"\x41\101\s\t\a\b\f\v\n\r", r"\u00e9 \U0001f916", r'"\u202e" "\u0085"', r"\377 \xff",
    r"\q", r"\$A", r"a\ b", r"'\q'", r'"\x00 \000 \400 \x4 \u12"', r"\\ \\\\ \\x41", r"\"x\" \'y\'", "\u00a0 \u3000x",
    # Variables.
    "$A", "x$A", "$A.x", "${A}", "x${A}y${P}", "$EMPTY", "${EMPTY}", "$Q", "${Q}", "$P", "$$A", "$$", '"$$$$"', '"a$"',
    "${A", '"${A b}"', "${A:-x}", "${A:${P}", "${A${P}", "${A$$x", "$_1", "${_1}", "a$$b", "$${A}", "$$${P}", "'$A'",
    '"$A"', "'${A}'", '"a b"$A', "a $A b", "${}", "$ x", "$1 ${1}",
    # Specifiers, and what comes of them.
    "100%%", "%%n", '"%%"', '"%"', "'%' x", "%%%%", "%n %p %N", r"\x25n", r"\x24A", "$A$P", "$$A$P", "${A}$P",
    # Separators, comments, prefixes.
    r"\;", '";"', "a\\;", r"\; x", "a;b", ";a", "# x", "'#'", "-- -x @y +z !w :v |u", "=x A=B",
)
ASSIGNMENTS = (
    "V=1", "'V=a b'", '"V=a b"', "V='a b'", 'V="a b"c', r"V=a\x41\u00e9", "V=$A ${A}", '"V=$A ${A} $$"', "V=", '"V="',
    "V=100%%", "V=%n", r'"V=a\nb\tc"', r"V=\q", r"V=a\\b", "V=a=b", "V=1 W=2 V=3", "V=é日🤖", "V='\"'", "V=\u00a0",
    "'V'=1", "V=1 W", "V=1 1W=2 X=3", r"V=1 W=\xff X=\xef\xbf\xbf", "V=$ W=$$",
    r"V=1 W=\q X=2", '"V=1" "W=x X=2', r"V=1 W=\ X=2", "V=1 W=%", r'"V=\""x W=1',
)
# fmt: on


def test_arguments(probe: Probe) -> None:
    outs = [probe.out() for _ in ARGUMENTS]
    variables = "".join(f"Environment={name}='{value}'\n" for name, value in VARIABLES.items() if "'" not in value)
    variables += f'Environment="A={VARIABLES["A"]}"\n'
    commands = [f"{' '.join(probe.command(out))} {text}" for out, text in zip(outs, ARGUMENTS, strict=True)]
    lines = "".join(f"ExecStart={command}\n" for command in commands)
    name = probe.install(f"[Service]\nType=oneshot\n{variables}{lines}")
    probe.systemd.start(name)
    specifiers = {"n": name, "p": name.removesuffix(".service"), "N": name.removesuffix(".service")}
    for text, command, out in zip(ARGUMENTS, commands, outs, strict=True):
        [read] = read_exec(command, VARIABLES, specifiers)
        assert read.unresolved == (), text
        words = [word.encode(errors="surrogateescape") for word in read.argv]
        assert words[words.index(str(out).encode()) + 1 :] == Arrived.read(out).argv, text


def test_assignments(probe: Probe) -> None:
    outs = [probe.out() for _ in ASSIGNMENTS]
    names = [
        probe.install(
            f"[Service]\nType=oneshot\nEnvironment={text}\nExecStart={' '.join(probe.command(out))}\n",
            f"assignment-{number}.service",
            reload=False,
        )
        for number, (text, out) in enumerate(zip(ASSIGNMENTS, outs, strict=True))
    ]
    probe.systemd.run("systemctl", "daemon-reload")
    probe.systemd.run("systemctl", "start", *names)
    for text, out, name in zip(ASSIGNMENTS, outs, names, strict=True):
        arrived = Arrived.read(out).environment
        read = {a.name: a.value for a in read_environment(text, {"n": name}).assignments}
        assert {key.decode(): arrived[key].decode() for key in arrived if key in (b"V", b"W", b"X")} == read, text


@pytest.mark.parametrize("prefixes", ["", "@", "-", ":", "-:@", "+", "!", "!!"])
def test_prefixes(probe: Probe, prefixes: str) -> None:
    out = probe.out()
    script = f"tr '\\\\0' '|' </proc/{'$$' if ':' in prefixes else '$$$$'}/cmdline >{out}"
    command = f'{prefixes}/bin/sh {"other" if "@" in prefixes else ""} -c "{script}" $$x'
    probe.systemd.start(probe.install(f"[Service]\nType=oneshot\nExecStart={command}\n"))
    [read] = read_exec(command)
    assert (read.prefixes, read.path) == (prefixes, "/bin/sh")
    assert out.read_text() == "|".join((*read.argv, ""))


def test_several_commands_on_a_line(probe: Probe) -> None:
    outs = [probe.out(), probe.out()]
    value = " ; ".join(f"{' '.join(probe.command(out))} {out.name} ';'" for out in outs)
    probe.systemd.start(probe.install(f"[Service]\nType=oneshot\nExecStart={value}\n"))
    for command, out in zip(read_exec(value), outs, strict=True):
        assert [word.encode() for word in command.argv[-2:]] == Arrived.read(out).argv
