"""The hooks in a scratch repository, with the real Git and the real pre-commit.

The hooks' definitions are those of `.pre-commit-hooks.yaml`; only their language is changed, so that no environment has
to be installed from a package index: `system`, and the program of the environment that runs this test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FLEET = ROOT / "tests" / "data" / "fleet"
BIN = Path(sys.executable).parent
HOST = "hosts/kimi-01/host.yaml"
UNIT = "units/kimi-01/sglang-kimi.service"


class Clone:
    """A scratch repository with the hosts of tests/data, and `pre-commit install` done."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        return subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", *arguments],
            cwd=self.path,
            env=environment | {"PATH": f"{BIN}:{os.environ['PATH']}", "PRE_COMMIT_COLOR": "never"},
            capture_output=True,
            text=True,
            check=check,
        )

    def edit(self, old: str, new: str) -> None:
        file = self.path / HOST
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def commit(self) -> subprocess.CompletedProcess[str]:
        return self.git("commit", "-m", "change", check=False)

    def committed(self, path: str) -> str:
        return self.git("show", f"HEAD:{path}").stdout


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit-home"))
    path = tmp_path / "fleet"
    shutil.copytree(FLEET, path)
    shutil.copytree(ROOT / "schema", path / "schema")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        assert hook["language"] == "python"
        hook["language"] = "system"
        program, _, rest = hook["entry"].partition(" ")
        hook["entry"] = f"{BIN / program} {rest}"
    (path / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    clone = Clone(path)
    clone.git("init", "-q", "-b", "main")
    clone.git("add", "-A")
    clone.git("commit", "-qm", "start")
    subprocess.run([BIN / "pre-commit", "install"], cwd=path, check=True, capture_output=True)
    return clone


def test_a_bad_flag_is_stopped_with_the_finding(clone: Clone) -> None:
    clone.edit("hicache-ratio: 4.0", "hicache-ration: 4.0")
    clone.git("add", "-A")
    done = clone.commit()
    assert done.returncode != 0
    shown = done.stdout + done.stderr
    assert "error[FLG" in shown
    assert "hicache-ration" in shown
    assert "help: did you mean hicache-ratio?" in shown
    assert "hicache-ratio: 4.0" in clone.committed(HOST)


def test_a_good_edit_gets_its_unit_rendered_and_asks_for_it(clone: Clone) -> None:
    clone.edit("hicache-ratio: 4.0", "hicache-ratio: 3.0")
    clone.git("add", HOST)
    stopped = clone.commit()
    assert stopped.returncode != 0
    assert f"git add {UNIT}" in stopped.stdout + stopped.stderr
    assert "--hicache-ratio 3.0" in (clone.path / UNIT).read_text()

    clone.git("add", UNIT)
    done = clone.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "--hicache-ratio 3.0" in clone.committed(UNIT)


@pytest.mark.parametrize("words", [("-a",), (HOST,), ("--include", HOST)], ids=["all", "named", "included"])
def test_the_help_finishes_a_commit_that_brought_an_index_of_its_own(clone: Clone, words: tuple[str, ...]) -> None:
    """Git throws that index away when a hook stops it: the unit alone would be added beside the old host.yaml."""
    clone.edit("hicache-ratio: 4.0", "hicache-ratio: 3.0")
    stopped = clone.git("commit", "-m", "change", *words, check=False)
    assert stopped.returncode != 0
    shown = stopped.stdout + stopped.stderr
    assert f"help: git add {HOST} {UNIT}\n" in shown
    clone.git(*shown.partition("help: git ")[2].splitlines()[0].split())
    done = clone.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "hicache-ratio: 3.0" in clone.committed(HOST)
    assert "--hicache-ratio 3.0" in clone.committed(UNIT)
    assert not clone.git("status", "--porcelain").stdout


def test_a_host_that_nobody_added_is_named_beside_its_unit(clone: Clone) -> None:
    new = HOST.replace("kimi-01", "kimi-02")
    (clone.path / new).parent.mkdir()
    (clone.path / new).write_text((clone.path / HOST).read_text().replace("kimi-01", "kimi-02"))
    stopped = clone.git("commit", "-m", "change", "--allow-empty", check=False)
    assert f"help: git add {new} {UNIT.replace('kimi-01', 'kimi-02')}\n" in stopped.stdout + stopped.stderr


def test_what_is_not_meant_for_the_commit_is_not_named(clone: Clone) -> None:
    """pre-commit puts it aside: the unit is rendered from what is staged."""
    clone.edit("hicache-ratio: 4.0", "hicache-ratio: 3.0")
    clone.git("add", HOST)
    clone.edit("hicache-ratio: 3.0", "hicache-ratio: 2.0")
    stopped = clone.commit()
    assert f"help: git add {UNIT}\n" in stopped.stdout + stopped.stderr


def test_a_new_service_whose_unit_nobody_added_is_stopped_again(clone: Clone) -> None:
    """The unit is there and right, but untracked: without it in the commit, main would be without it."""
    clone.edit("  sglang-kimi:", "  sglang-renamed:")
    clone.git("add", HOST)
    assert clone.commit().returncode != 0
    again = clone.commit()
    assert again.returncode != 0
    assert "git add" in again.stdout + again.stderr

    clone.git("add", "-A", "units")
    done = clone.commit()
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        clone.git("ls-tree", "--name-only", "HEAD", "units/kimi-01/").stdout == "units/kimi-01/sglang-renamed.service\n"
    )


def test_a_unit_edited_by_hand_is_put_right(clone: Clone) -> None:
    unit = clone.path / UNIT
    right = unit.read_text()
    unit.write_text(right.replace("RestartSec=30", "RestartSec=1"))
    clone.git("add", UNIT)
    done = clone.commit()
    assert done.returncode != 0
    assert unit.read_text() == right


def test_a_commit_that_only_deletes_is_looked_at(clone: Clone) -> None:
    clone.git("rm", "-q", UNIT)
    done = clone.commit()
    assert done.returncode != 0
    assert (clone.path / UNIT).exists()


def test_the_shipped_configurations_are_valid() -> None:
    for command, file in (
        ("validate-config", ".pre-commit-config.yaml"),
        ("validate-manifest", ".pre-commit-hooks.yaml"),
    ):
        subprocess.run([BIN / "pre-commit", command, ROOT / file], check=True)
