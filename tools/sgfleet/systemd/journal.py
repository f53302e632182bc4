"""The last lines that one run of a unit logged."""

from __future__ import annotations

import re
from typing import Final

from sgfleet.systemd.port import INVOCATION_ID, Failure, SystemdError
from sgfleet.systemd.program import failure, run

PROGRAM: Final = "journalctl"
TIMEOUT_SECONDS: Final = 20.0
MOST_BYTES: Final = 64 * 2**10
MOST_LINE_CHARACTERS: Final = 2000
_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
"""What a terminal obeys: colours and cursor moves, titles and links, two-letter commands."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of text; the tab stays."""


def last_lines(invocation_id: str, lines: int, environment: dict[str, str]) -> tuple[str, ...]:
    """Oldest first; bounded to 64 KiB as they come from the journal.

    What the run's processes wrote, and what systemd (the system's or the user's) said of that run.

    Raises:
        SystemdError: NOT_RUNNING, TIMEOUT or REFUSED, also for what is no invocation id.
    """
    if not INVOCATION_ID.fullmatch(invocation_id):
        raise SystemdError(Failure.REFUSED, f"{invocation_id[:40]!r} is no invocation id")
    fields = ("_SYSTEMD_INVOCATION_ID", "INVOCATION_ID", "USER_INVOCATION_ID")
    matches = [word for field in fields for word in (f"{field}={invocation_id}", "+")][:-1]
    # Newest first: where there is too much, the oldest is what is left out.
    options = ("--quiet", "--no-pager", "--reverse", "--output=cat", f"--lines={max(1, lines)}")
    answer = run(
        PROGRAM, *options, *matches, environment=environment, timeout_seconds=TIMEOUT_SECONDS, most_bytes=MOST_BYTES
    )
    if answer.code and not answer.cut:
        raise failure("journal", answer)
    entries = answer.output.decode(errors="replace").rstrip("\n").split("\n")
    return tuple(clean(line) for line in reversed(entries[:lines]) if line)


def clean(line: str) -> str:
    """The line as it can be shown: what a terminal would obey is gone, what is too long is cut."""
    cut = _CONTROL.sub("", _SEQUENCE.sub("", line)).rstrip()
    return cut if len(cut) <= MOST_LINE_CHARACTERS else f"{cut[:MOST_LINE_CHARACTERS]} …"
