"""tools/ci/plan on real repositories, as CI has them: a merge commit in a clone two commits deep."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sgfleet.cli.reference import story

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "tools/ci/plan"


@pytest.fixture
def origin(tmp_path):
    """A repository with the fleet on main, and a branch that is checked out."""
    folder = tmp_path / "origin"
    folder.mkdir()
    story.begin(ROOT, folder)
    story.git(folder, "switch", "-q", "-c", "change")
    return folder


def as_ci_has_it(origin: Path, tmp_path: Path) -> Path:
    """The commit that merging would make, as refs/pull/N/merge is checked out."""
    story.git(origin, "add", "-A")
    story.git(origin, "commit", "-q", "--allow-empty", "-m", "The change")
    story.git(origin, "switch", "-q", "main")
    (origin / "README.md").write_text("main went on\n")
    story.git(origin, "add", "-A")
    story.git(origin, "commit", "-q", "-m", "Something else")
    story.git(origin, "merge", "-q", "--no-ff", "-m", "Merge", "change")
    clone = tmp_path / "clone"
    story.git(tmp_path, "clone", "-q", "--depth", "2", f"file://{origin}", str(clone))
    return clone


def plan(clone: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [PLAN, folder, "HEAD^1..HEAD"],
        cwd=clone,
        env={**story.environment(), "SGFLEET": str(Path(sys.executable).parent / "sgfleet"), **environment},
        capture_output=True,
        text=True,
    )


def test_a_change(origin, tmp_path):
    story.edit(origin)
    clone, out = as_ci_has_it(origin, tmp_path), tmp_path / "out"
    summary = tmp_path / "summary.md"
    done = plan(clone, out, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == 0, done.stdout + done.stderr
    text = (out / "plan.md").read_text()
    assert text.startswith("<!-- sgfleet plan -->\n### sgfleet plan: 1 service restarts")
    assert "hicache-ratio 2.0 → 4.0: host pool 166.8 → 333.6 GiB over 8 ranks" in text
    assert "README" not in text  # what main did is not the change's doing
    assert (out / "changes").read_text() == "yes\n"
    assert summary.read_text() == text
    assert json.loads((out / "sgfleet.sarif").read_text())["version"] == "2.1.0"
    assert isinstance(json.loads((out / "code-quality.json").read_text()), list)


def test_nothing_changes(origin, tmp_path):
    host = origin / story.HOST
    host.write_text(host.read_text() + "# a remark\n")
    done = plan(as_ci_has_it(origin, tmp_path), tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out/changes").read_text() == "no\n"


def test_a_mistake_stops_it(origin, tmp_path):
    host = origin / story.HOST
    host.write_text(host.read_text().replace("hicache-ratio: 2.0", "hicache-ration: 2.0"))
    done = plan(as_ci_has_it(origin, tmp_path), tmp_path / "out")
    assert done.returncode == 1
    assert "hicache-ration" in done.stdout
    assert (tmp_path / "out/changes").read_text() == "yes\n"
    results = json.loads((tmp_path / "out/sgfleet.sarif").read_text())["runs"][0]["results"]
    assert "error" in {each["level"] for each in results}
    assert any(
        "hicache-ration" in each["description"] for each in json.loads((tmp_path / "out/code-quality.json").read_text())
    )


def test_units_that_were_not_rendered_stop_it(origin, tmp_path):
    unit = next((origin / "units/kimi-01").iterdir())
    unit.write_text(unit.read_text() + "# by hand\n")
    done = plan(as_ci_has_it(origin, tmp_path), tmp_path / "out")
    assert done.returncode == 1
    assert "RND" in done.stdout


def test_no_plan_at_all_is_said_in_the_comment(origin, tmp_path):
    clone = as_ci_has_it(origin, tmp_path)
    done = subprocess.run(
        [PLAN, tmp_path / "out", "no-such-branch..HEAD"],
        cwd=clone,
        env={**story.environment(), "SGFLEET": str(Path(sys.executable).parent / "sgfleet")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert (
        (tmp_path / "out/plan.md").read_text().startswith("<!-- sgfleet plan -->\n### sgfleet plan: none could be made")
    )
    assert subprocess.run([PLAN], capture_output=True).returncode == 2


def test_it_is_a_plain_posix_script():
    for shell in ("sh", "dash", "busybox"):
        program = next(
            (f"{folder}/{shell}" for folder in os.environ["PATH"].split(":") if Path(folder, shell).exists()), None
        )
        if program is not None:
            subprocess.run([program, *(["sh"] if shell == "busybox" else []), "-n", PLAN], check=True)
