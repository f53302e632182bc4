"""What was tried: lines that tests leave in `.cache/faults`; `make test-faults` makes a page of them in docs/.

`python -m agent.faults.tally` writes the page.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
LINES: Final = ROOT / ".cache" / "faults" / "tried.jsonl"
PAGE: Final = ROOT / "docs" / "reference" / "faults.md"
TITLES: Final = {
    "kills": "The agent is killed (SIGKILL) before or after anything it writes or does",
    "disk": "Disks, damaged files, clocks, reboots and power cuts",
    "git": "Git: what the remote can do, and who signed it",
    "engine": "The engine misbehaves",
    "spec": "The spec, and what stands on the host",
    "hostile": "A hostile repository against the host's own limits",
}
HEAD: Final = """# Faults that were tried

Written by `make test-faults`; edited by hand, the next run replaces it. Each row is a fault that tests in
`tests/agent/faults` bring about: the real agent in a process of its own, under a real systemd, with the stand-in for
the engine. A row is here only where every try of it ended as the row says.
"""


class Tally:
    """What one test tried."""

    def __init__(self, group: str, name: str, test: str) -> None:
        self._group = group
        self._name = name
        self._test = test
        self._counts: Counter[tuple[str, str]] = Counter()

    def count(self, what: str, outcome: str, tries: int = 1) -> None:
        """`what` was tried, and came out like this."""
        self._counts[what, outcome] += tries

    def keep(self) -> None:
        """Leave the lines; several test processes may do so at once."""
        counts = self._counts or Counter({(self._name.removeprefix("test_").replace("_", " "), ""): 1})
        LINES.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(
            json.dumps([self._test, self._group, what, outcome, tries]) + "\n"
            for (what, outcome), tries in counts.items()
        )
        file = os.open(LINES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


def page(lines: str) -> str:
    """The page of these lines."""
    tried = {
        (test, group, what, outcome): tries for test, group, what, outcome, tries in map(json.loads, lines.splitlines())
    }
    counts: Counter[tuple[str, str, str]] = Counter()
    for (_, *row), tries in tried.items():  # of a test that ran twice, the last run counts
        counts[row[0], row[1], row[2]] += tries
    parts = [HEAD, f"\n{sum(counts.values())} tries in all.\n"]
    for group, title in TITLES.items():
        rows = [(what, outcome, tries) for (each, what, outcome), tries in sorted(counts.items()) if each == group]
        parts.append(f"\n## {title}\n\n| tried | times | ends |\n|---|---:|---|\n")
        parts += [f"| {what} | {tries} | {outcome or 'as it says'} |\n" for what, outcome, tries in rows]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(LINES.read_text()))
