"""`unit_reader` sees in a file what a real systemd sees in it, also where people wrote it oddly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from support.probe import Probe

READ = {
    "blanks around key and value": b" Description = spaced  value \t\n",
    "no line break at the end": b"Description=last",
    "carriage returns": b"Description=one\r\nDocumentation=man:x\r\n",
    "a carriage return alone ends a line": b"Description=one\rDescription=two\n",
    "NUL ends a line": b"Description=one\0Description=two\n",
    "a carriage return ends a comment": b"# why\rDescription=two\n",
    "line feed and carriage return are one end": b"Description=one \\\n\r two\n",
    "other separators are text": b"Description=a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\n",
    "a byte order mark": b"\xef\xbb\xbfDescription=marked\n",
    "a comment that is not UTF-8": b"# \xff\nDescription=x\n",
    "a comment with a backslash": b"# x \\\nDescription=after\n",
    "a semicolon comment": b"; Description=no\n  ; nor this\nDescription=yes\n",
    "not a comment": b"Description=a # b ; c\n",
    "two backslashes": b"Description=foo\\\\\nDocumentation=man:x\n",
    "three backslashes": b"Description=foo\\\\\\\nbar\n",
    "a backslash and a blank": b"Description=foo\\ \nDocumentation=man:x\n",
    "continued": b"Description=foo\\\n   bar \\\nbaz\n",
    "continued over a comment": b"Description=foo \\\n# no \\\n ; nor this\n bar\n",
    "continued to an empty line": b"Description=foo \\\n\nDescription=bar\n",
    "continued over blanks": b"Description=foo \\\n  \\\n bar\n",
    "continued to the end": b"Description=foo \\",
    "continued into a header": b"Description=foo \\\n[Service]\nDocumentation=man:x\n",
    "continued before the equals sign": b"Description \\\n = foo\n",
    "continued after the equals sign": b"Description= \\\n foo\n",
    "unknown escapes stay": b"Description=a\\qb \\x41\n",
    "several equals signs": b"Description=a=b=c\n",
    "lines that are dropped": b"no sign\n=no key\nDescription=x\n",
    "a key that is not known": "Déscription=y\nDescription=x\n".encode(),
    "the last one wins": b"Description=a\nDescription=b\n",
    "an unknown section": b"Description=a\n[Foo]\nDescription=b\n",
    "a section twice": b"Description=a\n[Service]\n[Unit]\nDescription=b\n",
    "a header with blanks": b"Description=a\n  [Service]  \n[Unit]\nDescription=b\n",
    "an odd header": b"Description=a\n[[Unit]]\nDescription=b\n[]\nDescription=c\n",
}
REFUSED = {
    "not UTF-8": b"Description=a\xff\n",
    "a noncharacter": b"Description=a\xef\xbf\xbf\n",
    "a surrogate": b"Description=a\xed\xa0\x80\n",
    "a header without its end": b"Description=a\n[Service\n",
}


def show_all(probe: Probe, bodies: Iterable[bytes]) -> list[dict[str, str]]:
    """What systemd has read of `[Unit]` and each body."""
    names = [
        probe.install(b"[Unit]\n" + body, f"reader-{number}.target", reload=False) for number, body in enumerate(bodies)
    ]
    probe.systemd.run("systemctl", "daemon-reload")
    return [probe.systemd.show(name, "Description", "LoadState") for name in names]


def text_of(body: bytes) -> str:
    return (b"[Unit]\n" + body).decode(errors="surrogateescape")


def test_what_a_file_says(probe: Probe) -> None:
    shown = dict(zip(READ, show_all(probe, READ.values()), strict=True))
    read = {kind: parse_unit(text_of(body)).value("Unit", "Description") for kind, body in READ.items()}
    assert shown == {kind: {"Description": value, "LoadState": "loaded"} for kind, value in read.items()}


def test_what_makes_a_file_useless(probe: Probe) -> None:
    assert {shown["LoadState"] for shown in show_all(probe, REFUSED.values())} == {"error"}
    for kind, body in REFUSED.items():
        with pytest.raises(UnitSyntaxError):
            pytest.fail(f"{kind}: {parse_unit(text_of(body))}")


def test_an_assignment_above_the_first_section(probe: Probe) -> None:
    text = "Description=stray\n[Unit]\nDocumentation=man:x\n"
    assert probe.systemd.show(probe.install(text, "stray.target"), "Description") == {"Description": "stray.target"}
    assert parse_unit(text).value("Unit", "Description") is None
