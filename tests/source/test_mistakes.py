"""What is said about files that are no YAML, or not the YAML that this project takes: input and answer side by side.

`mistakes.txt` holds a case a paragraph: `#` and what the mistake is, the file behind bars, and the findings. With
SGFLEET_ACCEPT=1 the findings are written anew: read the diff.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sgfleet.rules.registry import entries
from sgfleet.source.problems import SourceError
from sgfleet.source.read import read_text

FILE = Path(__file__).with_name("mistakes.txt")
CASES = [case for case in FILE.read_text().split("\n\n") if case.startswith("#")]
NAMES = [case.partition("\n")[0].removeprefix("# ") for case in CASES]


def source(case: str) -> str:
    return "".join(f"{line[1:].removeprefix(' ')}\n" for line in case.splitlines() if line.startswith("|"))


def findings(case: str):
    try:
        read_text(source(case), "f")
    except SourceError as error:
        return error.findings
    return ()


def said(case: str) -> str:
    """The case with what is said about it."""
    lines = [line for line in case.splitlines() if line.startswith(("#", "|"))]
    for each in findings(case):
        lines.append(f"{each.code} {each.place.line}:{each.place.column}-{each.place.end_column} {each.message}")
        lines += [f"  at {place.line}:{place.column}: {words}" for place, words in each.related]
        lines.append(f"  help: {each.help}")
    return "\n".join(lines) + "\n"


def test_what_is_said():
    text = "\n".join(map(said, CASES))
    if os.environ.get("SGFLEET_ACCEPT"):
        FILE.write_text(text)
    assert text == FILE.read_text()


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_every_finding_is_fit_to_be_shown(case):
    found = findings(case)
    assert found
    for each in found:
        assert each.severity == entries()[each.code].rule.severity
        assert each.help
        assert each.place.text is not None
        assert 1 <= each.place.column < each.place.end_column <= len(each.place.text) + 2
        for words in (each.message, each.help):
            assert not words.endswith(".")
            assert "\n" not in words
            assert not re.search(r"libyaml|scann|pars|token|node|indicator|did not find|mapping values", words)


def test_names_are_told_apart():
    assert len(NAMES) == len(set(NAMES)) > 80
