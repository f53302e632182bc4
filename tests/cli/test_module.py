"""`python -m sgfleet` is the command, for machines on which it stands on no path."""

from __future__ import annotations

import subprocess
import sys


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "sgfleet", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("sgfleet ")
