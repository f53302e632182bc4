"""The table of agent.toml's keys, and the file that is shown, are what the agent reads."""

from __future__ import annotations

import re
from pathlib import Path

from sgfleet.agent.local import _KEYS, parse

PAGE = (Path(__file__).parents[2] / "docs/how-to/run-the-agent.md").read_text()


def test_every_key_is_in_the_table_with_its_kind() -> None:
    rows = dict(re.findall(r"^\| `([a-z.-]+)` \| ([^|]+) \| [^|]+\. \|$", PAGE, flags=re.MULTILINE))
    known = {
        f"{table}.{key}" if table else key: kind.value for table, keys in _KEYS.items() for key, kind in keys.items()
    }
    assert rows == known


def test_the_file_that_is_shown_is_one() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    local = parse(text)
    assert local.host == "box-01"
    assert local.limits.ports == (30000, 30999)
