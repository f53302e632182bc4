"""docs/explanation/memory.md: its table of eras is the one in use. SGFLEET_GOLDEN=1 writes it anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sgfleet.memory.eras import RULES

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "memory.md"
BEGIN, END = "<!-- eras: written by tests/memory/test_page.py -->", "<!-- /eras -->"


def words_of(value):
    """A value of the table for a reader."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, frozenset | tuple):
        return ", ".join(str(each) for each in (sorted(value) if isinstance(value, frozenset) else value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table():
    """All rules, each with its eras."""
    lines = ["| rule | from | | read in |", "|---|---|---|---|"]
    for rule in RULES.values():
        for index, era in enumerate(rule.eras):
            what = rule.what if index == 0 else ""
            lines.append(f"| {what} | {era.since} | {words_of(era.value)} | `{era.source}` |")
    return "\n".join(lines)


def test_the_table_of_eras_is_the_one_that_is_used():
    text = PAGE.read_text()
    wanted = re.sub(
        f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: f"{BEGIN}\n{table()}\n{END}", text, flags=re.DOTALL
    )
    if os.environ.get("SGFLEET_GOLDEN"):
        PAGE.write_text(wanted)
    assert BEGIN in text
    assert PAGE.read_text() == wanted
