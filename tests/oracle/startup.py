"""What releases' start-up checks say to the cases of tests/rules/combinations, and the record of it.

    PYTHONPATH=tests python -m oracle.startup        writes tests/rules/combinations/verdicts.json anew

Only verdicts are kept, none of SGLang's texts.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

from oracle.wheels import ROOT, wheel
from rules.combinations.cases import CASES, VERDICTS, words_of
from sgfleet.engine import store

WORKER = Path(__file__).with_name("startup_worker.py")
PYTHON = Path(os.environ.get("SGFLEET_ORACLE_PYTHON", ROOT / ".cache" / "oracle" / "bin" / "python"))


def verdicts(version):
    """Name of a case -> "starts", "refuses" or "no-flag", from the release itself."""
    release = store.load(version)
    asked, answers = {}, {}
    for name, case in CASES.items():
        words = words_of(release, case)
        if words is None:
            answers[name] = "no-flag"
        else:
            asked[name] = [words, case.get("environment", {})]
    with tempfile.TemporaryDirectory(prefix="sgfleet-oracle-") as folder:
        with zipfile.ZipFile(wheel(version)) as archive:
            members = [name for name in archive.namelist() if name.startswith("sglang/") and name.endswith(".py")]
            archive.extractall(Path(folder, "wheel"), members)
        Path(folder, "cases.json").write_text(json.dumps(list(asked.values())))
        run = subprocess.run(
            [PYTHON, "-I", WORKER, "wheel", "cases.json"], cwd=folder, capture_output=True, text=True, check=False
        )
        if run.returncode != 0:
            raise RuntimeError(f"{version}: the worker failed:\n{run.stderr[-3000:]}")
    return answers | dict(zip(asked, json.loads(run.stdout), strict=True))


def record():
    """Ask every release, and write for each case the spans of releases with the same verdict."""
    spans = {name: [] for name in CASES}
    for version in store.available():
        for name, verdict in verdicts(version).items():
            if spans[name] and spans[name][-1][2] == verdict:
                spans[name][-1][1] = version
            else:
                spans[name].append([version, version, verdict])
        print(version)
    lines = [f"{json.dumps(name)}: {json.dumps(spans[name])}" for name in sorted(spans)]
    VERDICTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    record()
