"""Completion in the real shells: what each offers at a place, in a repository, without starting Python."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from sgfleet.cli.grammar import grammar
from sgfleet.cli.main import commands

BIN = Path(sys.executable).parent
FORMATS: Final = {"text", "json", "github", "gitlab", "sarif"}
CASES: Final = [
    ("sgfleet ", {"check", "render", "memory", "completion"}, {"kimi-01", "--help"}),
    ("sgfleet comp", {"completion"}, {"check"}),
    ("sgfleet check --un", {"--units"}, {"--format"}),
    ("sgfleet check --format ", FORMATS, {"kimi-01", "check"}),
    ("sgfleet check --format s", {"sarif"}, {"text"}),
    ("sgfleet check ki", {"kimi-01", "kimi-01/sglang-kimi"}, {"box-02"}),
    ("sgfleet check --units box-02 ki", {"kimi-01"}, {"box-02"}),
    ("sgfleet check kimi-01/", {"kimi-01/sglang-kimi"}, {"kimi-01"}),
    ("sgfleet observe ", {"kimi-01/sglang-kimi"}, {"kimi-01"}),
    ("sgfleet memory --release 0.5.1", {"0.5.12"}, {"0.5.9", "kimi-01"}),
    ("sgfleet schema ", {"add", "list", "diff"}, {"check"}),
    ("sgfleet schema diff 0.5.9 0.5.1", {"0.5.12"}, {"0.5.9"}),
    ("sgfleet schema diff 0.5.9 0.5.12 ", set(), {"0.5.9", "add"}),
    ("sgfleet schema add --la", {"--latest"}, {"--format"}),
    ("sgfleet explain MEM00", {"MEM001", "MEM002"}, {"FLG001"}),
    ("sgfleet completion ", {"bash", "zsh", "fish"}, {"kimi-01"}),
    ("sgfleet check --root ELSEWHERE ", {"far-01"}, {"kimi-01"}),
    ("sgfleet argv 0.5.9 -- --al", set(), {"--all"}),
    ("sgfleet upgrade far-01 --root ELSEWHERE --to 0.5.2", {"0.5.20", "0.5.23"}, {"0.5.9", "far-01"}),
    ("sgfleet schema diff 0.5.2", {"0.5.20", "0.5.23"}, {"0.5.9"}),
    ("sgfleet memory --release 0.5.9.", {"0.5.9.9"}, {"0.5.9"}),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder below a repository of two hosts; one has a name that a shell would run."""
    root = tmp_path_factory.mktemp("repository")
    for host in ("kimi-01", "box-02", "$(touch ran)", "a b"):
        (root / "hosts" / host).mkdir(parents=True)
    unit = root / "units/kimi-01/sglang-kimi.service"
    unit.parent.mkdir(parents=True)
    unit.touch()
    for release in ("0.5.9", "0.5.12", "0.5.9.9"):
        schema = root / f"schema/sglang/{release}.json"
        schema.parent.mkdir(parents=True, exist_ok=True)
        schema.touch()
    (root / "schema/sglang/history.json").touch()
    (root / "elsewhere/hosts/far-01").mkdir(parents=True)
    below = root / "docs"
    below.mkdir()
    return below


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The three scripts in one folder, each under the name of its shell."""
    folder = tmp_path_factory.mktemp("scripts")
    for shell in ("bash", "zsh", "fish"):
        text = subprocess.run([BIN / "sgfleet", "completion", shell], check=True, capture_output=True).stdout
        (folder / shell).write_bytes(text)
    (folder / "fpath").mkdir()
    (folder / "fpath/_sgfleet").symlink_to(folder / "zsh")
    return folder


def present(shell: str) -> str:
    program = shutil.which(shell)
    if program is None:
        assert "CI" not in os.environ, f"{shell} is missing: .ci/run installs it"
        pytest.skip(f"{shell} is not installed")
    return program


def without_python(tmp_path: Path) -> dict[str, str]:
    """An environment in which every start of Python is noticed."""
    tmp_path.mkdir(exist_ok=True)
    for name in ("python", "python3", "sgfleet"):
        trap = tmp_path / name
        trap.write_text("#!/bin/sh\necho STARTED\n")
        trap.chmod(0o755)
    return {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb", "LC_ALL": "C.UTF-8"}


def in_bash(line: str, script: Path, place: Path, environment: dict[str, str]) -> set[str]:
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    call = f'COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _sgfleet; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        [present("bash"), "--norc", "-c",
         f'set -u; . "$1"; {call}', "bash", script / "bash"],
        cwd=place, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


def in_fish(line: str, script: Path, place: Path, environment: dict[str, str]) -> set[str]:
    done = subprocess.run(
        [present("fish"), "--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', script / "fish", line],
        cwd=place, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return {offer.split("\t")[0] for offer in done.stdout.splitlines()}


class Zsh:
    """An interactive zsh on a terminal of its own: completion works nowhere else."""

    START: Final = """\
PS1= PS2= RPS1= PROMPT_EOL_MARK= ; unset zle_bracketed_paste
autoload -Uz compinit; {load}
zle -C every complete-word _generic; bindkey '^T' every
zstyle ':completion:every:*' completer _all_matches _complete
zstyle ':completion:every:*' insert true
function sgfleet {{ print -rl -- BEGIN "$@" END }}
print -r -- 'RE''ADY'
"""

    LOAD: Final = {
        "sourced": "compinit -u -D; source {folder}/zsh",
        "in fpath": "fpath=({folder}/fpath $fpath); compinit -u -D",
    }

    def __init__(self, script: Path, how: str, place: Path, environment: dict[str, str]) -> None:
        self._program = present("zsh")
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.chdir(place)
            os.execve(self._program, ["zsh", "-f", "-i"], environment)
        self._type(self.START.format(load=self.LOAD[how].format(folder=script)))
        self._until("READY")

    def complete(self, line: str) -> set[str]:
        """Every match, by putting all of them on the line and running it."""
        self._type(f"{line}\x14\n")
        said = self._until("\nEND").split("BEGIN", 1)[1].split("\nEND", 1)[0]
        return set(said.split("\n")) - {""}

    def close(self) -> None:
        self._type("\x15exit\n")
        os.close(self._terminal)
        os.waitpid(self._process, 0)

    def _type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _until(self, mark: str) -> str:
        seen, end = "", time.monotonic() + 10
        while mark not in seen:
            ready, _, _ = select.select([self._terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"zsh did not come to {mark!r}: {seen!r}"
            seen += os.read(self._terminal, 65536).decode(errors="replace").replace("\r", "")
        return seen


@pytest.fixture(scope="module", params=Zsh.LOAD)
def zsh(request, script, place, tmp_path_factory):
    shell = Zsh(script, request.param, place, without_python(tmp_path_factory.mktemp("traps")))
    yield shell
    shell.close()


def held(found: set[str], wanted: set[str], unwanted: set[str]) -> None:
    assert wanted <= found, found
    assert not found & (unwanted | {"STARTED"}), found


@pytest.mark.parametrize(("line", "wanted", "unwanted"), CASES)
@pytest.mark.parametrize("shell", [in_bash, in_fish])
def test_offers(shell, line, wanted, unwanted, script, place, tmp_path):
    line = line.replace("ELSEWHERE", str(place.parent / "elsewhere"))
    held(shell(line, script, place, without_python(tmp_path / "traps")), wanted, unwanted)


@pytest.mark.parametrize(("line", "wanted", "unwanted"), CASES)
def test_offers_in_zsh(line, wanted, unwanted, zsh, place):
    line = line.replace("ELSEWHERE", str(place.parent / "elsewhere"))
    given = {word for word in line.split(" ")[1:-1] if word not in wanted}
    held(zsh.complete(line) - given, wanted, unwanted - given)


@pytest.mark.parametrize(
    ("words", "wanted", "unwanted"),
    [
        ("sgfleet upgrade box-02 --to = 0.5.2", {"0.5.20", "0.5.23"}, {"0.5.9", "box-02"}),
        ("sgfleet upgrade box-02 --to =", {"0.5.9", "0.5.23"}, {"box-02"}),
        ("sgfleet upgrade box-02 --to=0.5.2", {"--to=0.5.20", "--to=0.5.23"}, {"0.5.20", "--to=0.5.9"}),
        ("sgfleet upgrade --to = 0.5.23 box", {"box-02"}, {"kimi-01", "0.5.23"}),
        ("sgfleet upgrade --to=0.5.23 box", {"box-02"}, {"kimi-01"}),
        ("sgfleet check --format = s", {"sarif"}, {"text"}),
        ("sgfleet check --format=s", {"--format=sarif"}, {"--format=text"}),
        ("sgfleet check --nope=s", set(), {"--nope=sarif", "box-02"}),
        ("sgfleet check --root = ELSEWHERE ", {"far-01"}, {"kimi-01"}),
        ("sgfleet check --root=ELSEWHERE ", {"far-01"}, {"kimi-01"}),
    ],
)
def test_bash_completes_behind_an_equals_sign(words, wanted, unwanted, script, place, tmp_path):
    """As three words, which is what readline makes of it, and as one, where COMP_WORDBREAKS was changed."""
    words = words.replace("ELSEWHERE", str(place.parent / "elsewhere"))
    held(in_bash(words, script, place, without_python(tmp_path / "traps")), wanted, unwanted)


def test_zsh_and_fish_complete_behind_an_equals_sign(zsh, script, place, tmp_path):
    line = "sgfleet upgrade box-02 --to=0.5.2"
    for found in (zsh.complete(line), in_fish(line, script, place, without_python(tmp_path / "traps"))):
        offered = {word.removeprefix("--to=") for word in found}
        assert {"0.5.20", "0.5.23"} <= offered
        assert "0.5.9" not in offered


@pytest.mark.parametrize("shell", [in_bash, in_fish])
def test_names_of_folders_run_nothing(shell, script, place, tmp_path):
    shell("sgfleet check ", script, place, without_python(tmp_path / "traps"))
    assert not (place / "ran").exists()


def test_every_command_is_known():
    assert [command.words[0] for command in grammar().commands] == commands()


def test_every_command_says_its_exit_codes():
    for command in grammar().commands:
        assert {0, 2} <= {code for code, _ in command.exits}, f"{command.name}: the docstring has no `Exit codes: 0 …`"
