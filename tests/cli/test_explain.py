"""`sgfleet explain`: every rule has its page, in every form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main
from sgfleet.output import page
from sgfleet.rules.registry import entries

ROOT = Path(__file__).parents[2]


def test_list_names_every_rule(capsys):
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(entries())


@pytest.mark.parametrize("word", ["WVR001", "wvr001", "unused-waiver", "unused_waiver"])
def test_one_page(word, capsys):
    assert main(["explain", word]) == 0
    out = capsys.readouterr().out
    assert out.startswith("warning[WVR001] unused-waiver\n\nA waiver that matches no finding.\n")
    assert "\nBad\n" in out
    assert "```" not in out


def test_unknown_names_the_near_ones():
    with pytest.raises(UsageError, match="no rule 'unused-waver'") as error:
        main(["explain", "unused-waver"])
    assert error.value.help is not None
    assert "unused-waiver" in error.value.help


def test_json(capsys):
    assert main(["explain", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["format"] == 1
    assert [rule["code"] for rule in document["rules"]] == list(entries())
    assert all(rule["bad"] and rule["good"] and rule["what"] and rule["why"] for rule in document["rules"])


def test_markdown_of_one(capsys):
    assert main(["explain", "WVR001", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("## WVR001 unused-waiver\n")


def test_reference_is_fresh():
    """`sgfleet explain --all --format markdown > docs/reference/rules.md` after a rule has changed."""
    assert (ROOT / "docs/reference/rules.md").read_text() == page.reference(entries().values())
