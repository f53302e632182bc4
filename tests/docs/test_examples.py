"""Every example in the pages is run: what stands there is what a reader would see.

Before each ```console block stands what it is:
- `<!-- example: NAME -->`: run in a fresh repository, which `BEFORE[NAME]` has set up
- `<!-- then -->`: run in the repository of the example before it on the page
- `<!-- not run: REASON -->`: needs a GPU, root or a network; its form is looked at
A block behind `<!-- file: PATH -->` is a file that the reader writes. In an answer a line `…` stands for any lines, and
names of commits may differ.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from sgfleet.cli.main import commands, parser_of
from sgfleet.cli.reference import story

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
BLOCK = re.compile(
    r"(?:<!-- (?P<what>example|then|not run|file)(?:: (?P<name>[^>]+?))? -->\n)?"
    r"^(?P<indent> *)```(?P<language>[a-z]*)\n(?P<text>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)
COMMIT = re.compile(r"\b[0-9a-f]{12}\b")
LONGEST_LINE = 180


class Block(NamedTuple):
    what: str
    name: str
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    found = []
    for match in BLOCK.finditer(page.read_text()):
        text = "".join(line.removeprefix(match["indent"]) for line in match["text"].splitlines(keepends=True))
        found.append(Block(match["what"] or "", match["name"] or "", match["language"], text))
    return found


def sessions(page: Path) -> list[tuple[str, list[Block]]]:
    """(what the repository is before, files and examples in their order) for every example that begins anew."""
    found: list[tuple[str, list[Block]]] = []
    for block in blocks(page):
        if block.what == "example":
            found.append((block.name, [block]))
        elif block.what in {"then", "file"}:
            assert found, f"{page.name}: nothing stands before `<!-- {block.what} -->`"
            found[-1][1].append(block)
    return found


SESSIONS = [
    pytest.param(name, session, id=f"{page.relative_to(ROOT)}-{name}")
    for page in PAGES
    for name, session in sessions(page)
]


def fleet(root: Path) -> None:
    shutil.copytree(ROOT / "tests/data/fleet", root, dirs_exist_ok=True)


def shipped(root: Path) -> None:
    fleet(root)
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "The fleet")):
        story.git(root, *words)


def bad_edit(root: Path) -> None:
    fleet(root)
    host = root / "hosts" / "llama-70b-01" / "host.yaml"
    text = host.read_text()
    for old, new in (
        ("enable-metrics: true", "enable-metric: true"),
        ("quantization: modelopt_fp8", "quantization: modelopt-fp8"),
    ):
        assert old in text
        text = text.replace(old, new)
    host.write_text(text)


BEFORE = {"fleet": fleet, "shipped": shipped, "bad-edit": bad_edit, "empty": lambda _: None}


@pytest.mark.parametrize(("name", "session"), SESSIONS)
def test_example(name: str, session: list[Block], tmp_path: Path) -> None:
    BEFORE[name](tmp_path)
    for block in session:
        if block.what == "file":
            path = tmp_path / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
            continue
        for command, answer in calls(block.text):
            said = run(command, tmp_path)
            assert matches(answer, said), f"{command}\n--- the page\n{answer}\n--- what it said\n{said}"


def calls(text: str) -> list[tuple[str, str]]:
    """(command, its answer on the page)."""
    parts = re.split(r"^\$ (.+)\n", text, flags=re.MULTILINE)
    assert not parts[0], "a block begins with a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def run(command: str, folder: Path) -> str:
    environment = story.environment()
    environment["PATH"] = f"{BIN}:{environment['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


def matches(page: str, said: str) -> bool:
    """Whether an answer is what the page shows, with `…` for what it leaves out."""
    parts = re.split(r"^ *…\n", COMMIT.sub("COMMIT", page), flags=re.MULTILINE)
    pattern = "(?:.*\n)*".join(map(re.escape, parts))
    return re.fullmatch(pattern, COMMIT.sub("COMMIT", said)) is not None


def test_what_matches() -> None:
    assert matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert matches("…\nd\n", "d\n")
    assert not matches("a\n…\nd\n", "a\nb\nc\n")
    assert not matches("a\n", "a\nb\n")
    assert matches("main (0123456789ab)\n", "main (ba9876543210)\n")


def test_there_are_examples() -> None:
    assert len(SESSIONS) >= 4
    assert sum(len(session.values[1]) for session in SESSIONS) >= 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_console_block_says_whether_it_is_run(page: Path) -> None:
    for block in blocks(page):
        if block.language == "console":
            assert block.what, f"{page.name}: no `<!-- example: … -->` before\n{block.text}"
        if block.what == "not run":
            assert block.name, "a reason"
            for command, answer in calls(block.text):
                assert command == command.strip()
                for line in answer.splitlines():
                    assert line == line.rstrip()
                    assert len(line) <= LONGEST_LINE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_that_are_not_run_could_be(page: Path) -> None:
    """What stands behind `sgfleet` is taken by the command's own parser."""
    for block in blocks(page):
        if block.language not in {"console", "sh"}:
            continue
        for line in block.text.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True) if re.match(r"(\$ )?\S*sgfleet ", line) else []
            if not words or words[1].startswith("-"):
                continue
            assert words[1] in commands(), line
            own = words[2 : words.index("--") if "--" in words else None]
            complaint = io.StringIO()
            with contextlib.redirect_stderr(complaint), contextlib.suppress(SystemExit):
                _, unknown = parser_of(words[1]).parse_known_args(own)
                assert not unknown, line
            assert not complaint.getvalue(), f"{line}\n{complaint.getvalue()}"
