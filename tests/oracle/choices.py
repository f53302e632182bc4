"""What releases' own start-up makes of the cases of tests/memory/choices.py, and the record of some of it.

PYTHONPATH=tests python -m oracle.choices        writes tests/memory/choices.json anew
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import zipfile
from pathlib import Path

from memory.choices import RECORD, RECORDED, takes
from oracle.wheels import PYTHON, wheel
from sgfleet.engine import store

WORKER = Path(__file__).with_name("fractions_worker.py")


def theirs(version, asked):
    """[fraction, page size] for each case; None where the release refuses the flags."""
    with tempfile.TemporaryDirectory(prefix="sgfleet-oracle-") as folder:
        with zipfile.ZipFile(wheel(version)) as archive:
            members = [name for name in archive.namelist() if name.startswith("sglang/") and name.endswith(".py")]
            archive.extractall(Path(folder, "wheel"), members)
        Path(folder, "cases.json").write_text(json.dumps(asked))
        run = subprocess.run(
            [PYTHON, "-I", WORKER, "wheel", "cases.json"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr[-3000:]
        return json.loads(run.stdout)


def record():
    """Ask every release, and write for each case the spans of releases with the same answer."""
    spans = [[] for _ in RECORDED]
    for version in store.available():
        release = store.load(version)
        asked = [index for index, case in enumerate(RECORDED) if takes(release, case)]
        answers = dict(zip(asked, theirs(version, [RECORDED[index] for index in asked]), strict=True))
        for index, known in enumerate(spans):
            answer = answers.get(index)
            if known and known[-1][2] == answer:
                known[-1][1] = version
            else:
                known.append([version, version, answer])
        print(version)
    RECORD.write_text("[\n" + ",\n".join(map(json.dumps, spans)) + "\n]\n")


if __name__ == "__main__":
    record()
