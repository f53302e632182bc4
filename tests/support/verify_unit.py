"""`systemd-analyze verify` for tests: the agent's own, skipped where it is not installed."""

from __future__ import annotations

import shutil

from sgfleet.systemd.verify import verify
from support.systemd_plugin import skip_or_fail


def verify_unit(text: str, name: str) -> list[str]:
    """What systemd has against the unit, a line each; empty for a clean one. `name` is its file name."""
    if shutil.which("systemd-analyze") is None:
        skip_or_fail("systemd-analyze is not installed")
    return list(verify(name, text.encode()))
