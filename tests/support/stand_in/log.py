"""Log lines in the form that the releases give them."""

from __future__ import annotations

import sys
import time


def log(text: str, rank: str = "") -> None:
    """One line on stderr, with the time and the rank in front."""
    print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}{rank and ' ' + rank}] {text}", file=sys.stderr, flush=True)
