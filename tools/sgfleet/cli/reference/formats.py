"""The JSON answers: which command has which schema, and the keys of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sgfleet.output.manual.fields import tables
from sgfleet.output.manual.markdown import WRITTEN, anchor, table

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.output.manual.grammar import Command

FOLDER: Final = "schema/output"
_HEAD: Final = """\
A command with `--format json` prints one JSON document on standard output; everything else goes to standard error. Its
first key `format` is the version of the form: it changes when a reader of the older form would go wrong, and only then;
new keys may come without a change. Bytes and tokens are whole numbers and names carry their unit. What is no text, as
a file's name may be, is said in text: a byte that is no UTF-8 as `\\\\xff`, which is `\\xff` when it is read. Each form
has a JSON Schema, and a test holds real answers against it.
"""


def formats_page(root: Path, commands: Command) -> str:
    """Every schema of schema/output as a section of one page."""
    schemas = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((root / FOLDER).glob("*.schema.json"))
    }
    known = {"-".join(command.words): command.name for command in commands.walk()}
    titles = {name: known.get(name, schema["title"]) for name, schema in schemas.items()}
    index = [
        (f"[{title}](#{anchor(title)})", _version(schemas[name]), f"[`{name}`](../../{FOLDER}/{name}.schema.json)")
        for name, title in titles.items()
    ]
    sections = [
        tables(title, _said_once(schemas[name]), schemas[name].get("$defs", {})) for name, title in titles.items()
    ]
    parts = [
        f"# JSON formats\n\n{WRITTEN}\n\n{_HEAD.strip()}",
        table(("Command", "Format", "Schema"), index),
        *sections,
    ]
    return "\n\n".join(parts) + "\n"


def _version(schema: dict[str, Any]) -> str:
    return str(schema["properties"].get("format", {}).get("const", ""))


def _said_once(schema: dict[str, Any]) -> dict[str, Any]:
    """What every schema says of its version stands at the head of the page."""
    first, _, _ = schema["description"].partition(" A change of `format`")
    return {**schema, "description": first}
