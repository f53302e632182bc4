"""Real Git repositories with the hosts of tests/data, and what `sgfleet plan` says of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sgfleet.cli.main import main
from support.repository import git

if TYPE_CHECKING:
    import pytest

DATA = Path(__file__).parents[1] / "data" / "fleet"
KIMI = "hosts/kimi-01/host.yaml"
MIXED = "hosts/mixed-01/host.yaml"


class Said(NamedTuple):
    """What a call printed, and its exit code."""

    code: int
    out: str
    errors: str

    @property
    def json(self) -> Any:
        """The answer as data."""
        return json.loads(self.out)


class Fleet:
    """A repository on branch main with one commit: three hosts, and their units."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    @classmethod
    def new(cls, root: Path, capsys: pytest.CaptureFixture[str], *hosts: str) -> Fleet:
        """With these hosts of tests/data, all of them by default."""
        root.mkdir(parents=True, exist_ok=True)
        shutil.copy(DATA / "fleet.yaml", root)
        for top in ("hosts", "units"):
            for folder in sorted(DATA.joinpath(top).iterdir()):
                if not hosts or folder.name in hosts:
                    shutil.copytree(folder, root / top / folder.name)
        git(root, "init", "-q", "-b", "main")
        fleet = cls(root, capsys)
        fleet.commit("hosts")
        return fleet

    def run(self, *words: str) -> Said:
        """A command of sgfleet in this repository."""
        from sgfleet.cli.main import _guarded  # the boundary that gives exit codes without ending the process

        code = _guarded([words[0], "--root", str(self.root), *words[1:]])
        captured = self._capsys.readouterr()
        return Said(code, captured.out, captured.err)

    def plan(self, *words: str) -> Said:
        """`sgfleet plan`."""
        return self.run("plan", *words)

    def data(self, *words: str) -> Any:
        """The plan as data."""
        return self.plan("--format", "json", *words).json

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that is there."""
        file = self.root / path
        text = file.read_text()
        assert old in text, (path, old)
        file.write_text(text.replace(old, new))

    def write(self, path: str, text: str) -> None:
        """A file with this text."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def render(self) -> None:
        """Units as the specifications say."""
        assert main(["render", "--root", str(self.root)]) in {0, 1}
        self._capsys.readouterr()

    def commit(self, message: str = "a change") -> str:
        """Everything as it is; the commit's id."""
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", message)
        return git(self.root, "rev-parse", "HEAD")

    def git(self, *words: str) -> str:
        """Git in this repository."""
        return git(self.root, *words)


def changes(plan: Any) -> dict[str, str]:
    """HOST/SERVICE -> what happens to it, of those to which anything does."""
    return {
        f"{host['host']}/{each['service']}": each["change"]
        for host in plan["hosts"]
        for each in host["services"]
        if each["change"] != "untouched"
    }


def reasons(plan: Any, subject: str) -> list[str]:
    """Why, as it is said."""
    host, _, service = subject.partition("/")
    found = next(each for each in plan["hosts"] if each["host"] == host)
    change = next(each for each in found["services"] if each["service"] == service)
    return [
        each["what"] if each["consequence"] is None else f"{each['what']}: {each['consequence']}"
        for each in change["reasons"]
    ]


def codes(plan: Any, which: str) -> list[str]:
    """Codes of the findings that are new, gone or kept."""
    return [each["code"] for each in plan["findings"][which]]
