"""From YAML to the process: what a spec says is what the server is started with, on a real systemd."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from render.hosts import render_text
from sgfleet.engine.store import load
from support.nasty import nasty_strings
from support.probe import DUMP, Arrived, Probe

if TYPE_CHECKING:
    from pathlib import Path

RELEASE = "0.5.23"


def quoted(value: object) -> str:
    """YAML in flow style. Not JSON: surrogate pairs are no YAML, so every character that could matter is escaped."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)}: {quoted(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(quoted, value)) + "]"
    return '"' + "".join(c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in str(value)) + '"'


def spec(python: Path, **more: object) -> str:
    """A host with one service, as YAML."""
    service = {"release": RELEASE, "python": str(python), "user": "root", **more}
    return quoted({"host": "box-01", "services": {"sglang-a": service}})


def interpreter(probe: Probe, out: Path) -> Path:
    """A stand-in for the environment's Python that writes down what it was started with."""
    path = out.with_name(out.name + "-python")
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {DUMP} {out} "$@"\n')
    path.chmod(0o755)
    return path


def start(probe: Probe, text: str, name: str) -> None:
    """Start the unit as a oneshot, so that systemd waits for the end of its process."""
    unit = text.replace("Type=exec", "Type=oneshot").replace("Restart=on-failure", "Restart=no")
    assert unit != text
    probe.systemd.start(probe.install(unit, name))


def text_flags() -> list[str]:
    """Flags that take any text."""
    return [
        flag.name
        for flag in load(RELEASE).flags
        if flag.type == "str"
        and flag.nargs is None
        and flag.choices is None
        and not flag.opaque
        and flag.action == "store"
    ]


def test_nasty_values_arrive_through_a_whole_spec(probe: Probe, tmp_path: Path) -> None:
    texts = [text for text in nasty_strings() if 0 < len(text) < 4000 and text != "--"]
    assert len(texts) >= 300
    names = text_flags()
    for number in range(0, len(texts), len(names)):
        batch = texts[number : number + len(names)]
        out = probe.out()
        flags = dict(zip(names, batch, strict=False)) | {"model-path": "/srv/m"}
        environment = {f"V{index}": text for index, text in enumerate(batch)}
        text = render_text(tmp_path, spec(interpreter(probe, out), flags=flags, environment=environment))
        start(probe, text, f"arrives-{number}.service")
        arrived = Arrived.read(out)
        assert given(arrived.argv[2:]) == flags
        for name, value in environment.items():
            assert arrived.environment[name.encode()].decode() == value


def given(words: list[bytes]) -> dict[str, str]:
    """Flag -> value, from the words behind the entry module."""
    found = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.decode().removeprefix("--").partition("=")
        found[name] = value if equals else next(rest).decode()
    return found


def test_a_secret_becomes_exactly_one_word_whatever_it_holds(probe: Probe, tmp_path: Path) -> None:
    secret = "a b  $HOME %h \"quoted\" 'x' --port 1 \\ ;"
    file = probe.systemd.share / "secrets.env"
    escaped = secret.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("`", "\\`")
    file.write_text(f'KEY="{escaped}"\n')
    out = probe.out()
    text = render_text(
        tmp_path,
        spec(
            interpreter(probe, out),
            flags={"model-path": "/srv/m"},
            secrets={"api-key": "KEY"},
            **{"environment-files": [str(file)]},
        ),
    )
    assert secret not in text
    start(probe, text, "secret.service")
    argv = [word.decode() for word in Arrived.read(out).argv]
    assert argv[argv.index("--api-key") + 1] == secret
    assert len([word for word in argv if word.startswith("--")]) == 2 + secret.startswith("--")
