"""Every format, byte for byte. `SGFLEET_GOLDEN=write pytest tests/output` writes the files anew: read the diff."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from output.samples import FAILURES, HOSTS, summary
from sgfleet.findings import Severity
from sgfleet.output.colour import coloured
from sgfleet.output.github import GitHub
from sgfleet.output.gitlab import GitLab
from sgfleet.output.json_format import Json
from sgfleet.output.sarif import Sarif
from sgfleet.output.text import Text
from sgfleet.rules.registry import Entry
from sgfleet.rules.rule import Rule

GOLDEN = Path(__file__).parent / "golden"
MANUAL = {
    "FLG001": Entry(
        Rule("FLG001", "unknown-flag", Severity.ERROR, "service"),
        "flags",
        "Summary.\n\n## What it does\nLooks.\n\n## Why\nBecause.\n\n"
        "## Bad\n```yaml\na: 1\n```\n\n## Good\n```yaml\na: 2\n```\n",
    )
}
FORMATS = {
    "text.txt": lambda stream: Text(stream),
    "colour.txt": lambda stream: Text(stream, coloured),
    "check.json": lambda stream: Json(stream, "0.0.0"),
    "github.txt": lambda stream: GitHub(stream),
    "gitlab.json": lambda stream: GitLab(stream),
    "check.sarif": lambda stream: Sarif(stream, "0.0.0", MANUAL),
}


def write(name: str) -> str:
    stream = io.StringIO()
    writer = FORMATS[name](stream)
    writer.begin()
    for findings in HOSTS:
        writer.add(findings)
    writer.end(summary(), FAILURES)
    return stream.getvalue()


@pytest.mark.parametrize("name", FORMATS)
def test_golden(name):
    path = GOLDEN / name
    if os.environ.get("SGFLEET_GOLDEN") == "write":
        path.write_text(write(name), encoding="utf-8", newline="")
    assert write(name) == path.read_bytes().decode()


def test_summary():
    assert str(summary()) == "5 errors, 2 warnings, 2 notes in 2 of 41 hosts (1 waived)"
