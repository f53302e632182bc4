"""A folder that looks like a Python environment with a release of SGLang in it."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

TESTS = Path(__file__).parents[2]
_SCRIPT = """#!{python} -IS
import sys
sys.path[:0] = [{tools!r}, {tests!r}]
sys.path.append({packages!r})
sys.dont_write_bytecode = True
from support.stand_in.engine import main
main({release!r}, {root!r})
"""


def environment(folder: Path, release: str) -> Path:
    """Make the environment, and return its interpreter: the `python:` of a spec. Facts read the release from it."""
    interpreter = folder / "bin" / "python3"
    interpreter.parent.mkdir(parents=True, exist_ok=True)
    script = _SCRIPT.format(
        python=sys.executable,
        tools=str(TESTS.parent / "tools"),
        tests=str(TESTS),
        packages=sysconfig.get_path("purelib"),
        release=release,
        root=str(TESTS.parent),
    )
    interpreter.write_text(script)
    interpreter.chmod(0o755)
    metadata = folder / "lib" / "python3.11" / "site-packages" / f"sglang-{release}.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True, exist_ok=True)
    metadata.write_text(f"Metadata-Version: 2.1\nName: sglang\nVersion: {release}\n")
    return interpreter
