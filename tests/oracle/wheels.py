"""Where the wheels are (a folder that is filled already, the cache, or through pip), and what runs their code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = Path(os.environ.get("SGFLEET_WHEELS", ROOT / ".cache" / "wheels"))
"""SGFLEET_WHEELS names a folder that holds wheels already; what it lacks is fetched into it."""

PYTHON = Path(os.environ.get("SGFLEET_ORACLE_PYTHON", ROOT / ".cache" / "oracle" / "bin" / "python"))
"""The interpreter of the oracle's own environment, which runs the releases' code."""

TAG = "3.11"
"""The newest releases come as one wheel for each Python; the sources in them are the same."""


def wheel(release):
    """The path of the release's wheel, fetched if need be."""
    found = sorted(CACHE.glob(f"sglang-{release}-*.whl"))
    if not found:
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--only-binary=:all:", "--python-version", TAG, "--dest", CACHE, f"sglang=={release}"],
            check=True,
        )  # fmt: skip
        found = sorted(CACHE.glob(f"sglang-{release}-*.whl"))
    return found[0]
