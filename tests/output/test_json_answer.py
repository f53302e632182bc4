"""JSON that every parser takes, whatever bytes arguments, names of files and Git bring along."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.output.json_answer import json_text
from support.repository import git

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools/sgfleet"
FLEET = ROOT / "tests/data/fleet"
ANY = st.text(st.one_of(st.characters(), st.characters(categories=["Cs"]), st.sampled_from("\\udcx89\ud83d\ude00")))


def strict(text: str) -> object:
    """The data; a text with half of a surrogate pair is refused, as by parsers whose texts are UTF-8."""
    data = json.loads(text)
    json.dumps(data, ensure_ascii=False).encode()
    return data


@pytest.mark.parametrize("ascii_only", [True, False])
@given(text=ANY)
def test_text_stays_what_it_is_and_what_is_none_is_said(ascii_only, text):
    read = strict(json_text({"key": [text]}, ascii_only=ascii_only))["key"][0]
    joined = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass") if ascii_only else text
    assert read == "".join(
        each if not "\ud800" <= each <= "\udfff"
        else f"\\x{ord(each) - 0xDC00:02x}" if "\udc80" <= each <= "\udcff"
        else f"\\u{ord(each):04x}"
        for each in joined
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (os.fsdecode(b"a\xff\xfe"), r"a\xff\xfe"),
        ("\ud800", r"\ud800"),
        (r"\udcff", r"\udcff"),
        ("\\" + os.fsdecode(b"\xff"), r"\\xff"),
        ("😀", "😀"),
        ("\n\x7f\u2028", "\n\x7f\u2028"),
    ],
)
def test_examples(text, read):
    for ascii_only in (True, False):
        assert strict(json_text({text: text}, ascii_only=ascii_only)) == {read: read}


def test_nothing_else_writes_json_for_others():
    """Every JSON answer is made by the one function: in the layers that print, nobody else asks `json` to write."""
    inside = {"json_answer.py", "fields.py"}  # the page of fields shows constants of schemas
    for layer in ("cli", "output"):
        for path in sorted((TOOL / layer).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and ast.unparse(node) in {"json.dumps", "json.dump"}:
                    hashed = path.name == "sarif.py" and "sha256(json.dumps" in path.read_text()
                    assert path.name in inside or hashed, f"{path.relative_to(TOOL)}:{node.lineno}"


NAME = os.fsdecode(b"n\xff")


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A fleet with names that are no UTF-8 wherever a name can stand, in the working tree and in Git."""
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(FLEET, root, dirs_exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")
    for folder in ("hosts", "hosts/kimi-01", "units", "units/kimi-01", f"hosts/{NAME}", f"units/{NAME}"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / f"{NAME}.service").write_bytes(b"x")
        (root / folder / f"{NAME}.yaml").write_bytes(b"x")
    (root / f"hosts/{NAME}/host.yaml").write_bytes(b"host: \xff")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "names")
    (root / f"{NAME}.json").write_bytes(b"{}")
    return root


@pytest.mark.parametrize(
    "words",
    [
        "check --format json",
        "check --format sarif",
        "check --format gitlab",
        "render --check --format json",
        "plan HEAD~1 --format json",
        "plan HEAD~1..HEAD --format json",
        "memory --format json",
        "options --format json",
        "show --format json",
        f"model add {NAME}.json --format json",
        f"schema add --wheel {NAME}.json --format json",
        f"argv 0.5.9 --format json -- --model-path {NAME} --served-model-name {NAME}",
        f"argv 0.5.9 --format json -- --model-path m --nope={NAME}",
        f"argv 0.5.9 --format json -- --model-path m --config {NAME}",
        f"argv 0.5.9 --format json -- --model-path m --tp {NAME}",
        "explain --all --format json",
        "schema diff 0.5.9 0.5.23 --format json",
    ],
)
def test_answers_are_text_to_the_strictest(repository, words):
    call = [sys.executable, "-m", "sgfleet", *words.split(" ")]
    done = subprocess.run(call, cwd=repository, capture_output=True, check=False)
    assert done.returncode in (0, 1, 2, 3), done.stderr
    if done.stdout:
        strict(done.stdout.decode("utf-8"))
    told = words.startswith(("check", "argv", "plan"))
    assert not told or rb"\\xff" in done.stdout or b"%FF" in done.stdout or words.startswith("plan"), done.stdout


def test_a_batch_too():
    lines = b'["--model-path", "\\ud800"]\n["--model-path", "\xff"]\n["--nope\\udcff"]\n'
    done = subprocess.run(
        [sys.executable, "-m", "sgfleet", "argv", "0.5.9", "--batch"], input=lines, capture_output=True, check=True
    )
    answers = [strict(line) for line in done.stdout.decode().splitlines()]
    assert [each["ok"] for each in answers] == [True, False, False]
    assert answers[0]["values"] == {"model-path": r"\ud800"}
