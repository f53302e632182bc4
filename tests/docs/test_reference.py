"""Generated pages are what the code of now writes; they name every command, field, variable and file that there is."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from sgfleet.cli.grammar import grammar, split_exits
from sgfleet.cli.main import commands, module_of, overview
from sgfleet.cli.reference.environment import VARIABLES
from sgfleet.cli.reference.files import FILES
from sgfleet.cli.reference.pages import EXAMPLES, pages
from sgfleet.output.manual.fields import headings, rows, type_of
from sgfleet.output.terminal import COLUMNS, as_svg
from sgfleet.source.read import read_text
from sgfleet.spec.models.facts import Facts
from sgfleet.spec.models.fleet import Fleet
from sgfleet.spec.models.host import Host
from sgfleet.spec.models.service import Service

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools/sgfleet"
PAGES = pages(ROOT)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says(name: str) -> None:
    assert (ROOT / name).is_file(), f"{name} is missing: make docs"
    assert (ROOT / name).read_text() == PAGES[name], f"{name} is stale: make docs"


def test_nothing_is_left_over() -> None:
    """A page that says it is written, and that nothing writes, would be stale for ever."""
    said = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "docs").rglob("*.md")
        if "Written by `make docs`" in path.read_text()
    }
    assert said <= PAGES.keys()


def test_every_command_and_option_is_on_the_page() -> None:
    page, manual = PAGES["docs/reference/commands.md"], PAGES["docs/man/sgfleet.1"].replace("\\-", "-")
    for command in grammar().walk():
        for option in command.options:
            for name in option.names:
                assert name in page or name == "-h"
                assert name in manual or name == "-h"
        if command.words:
            assert f"# {command.name}\n" in page
            assert f".SS {command.name}\n" in manual


def test_exit_codes_are_read_from_docstrings() -> None:
    text, codes = split_exits("Do it.\n\nExit codes: 0 done, 1 not done, because\nof something, 2 usage.\n\nMore.\n")
    assert text == "Do it.\n\nMore."
    assert codes == ((0, "done"), (1, "not done, because of something"), (2, "usage"))
    assert split_exits("Do it.") == ("Do it.", ())


@pytest.mark.parametrize("name", ["host", "facts", "fleet"])
def test_the_example_has_every_key_and_is_right(name: str, tmp_path: Path) -> None:
    model = {"host": Host, "facts": Facts, "fleet": Fleet}[name]
    text = (ROOT / EXAMPLES / f"{name}.yaml").read_text()
    document = read_text(text, f"{name}.yaml").data
    model.model_validate(document)
    if name == "host":
        for service in document["services"].values():
            Service.model_validate(service)
    for line in PAGES[f"docs/reference/{name}.md"].split("## Keys")[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and "](#" not in cells[1]:  # what has a section of its own is shown there
            assert cells[3], f"{EXAMPLES}/{name}.yaml has no example of {cells[0]}"


def test_tables_go_into_what_is_inside() -> None:
    schema = {
        "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {"b": {"$ref": "#/$defs/X"}}}}}
    }
    definitions = {"X": {"type": ["integer", "null"]}}
    assert headings(schema, definitions) == {"X": "a.b"}
    assert [path for path, _, _ in rows(schema, {"X": "a.b"})] == ["a", "a[].b"]
    assert (
        type_of({"anyOf": [{"enum": ["x", None]}, {"type": "array", "items": {"type": "string"}}]}, {})
        == "`x` or list of text"
    )


def variables_in(path: Path) -> set[str]:
    """Names that a module takes from the environment of the process: `os.environ`, or a name that stands for it."""
    tree = ast.parse(path.read_text())
    aliases = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "os.environ"
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=owner, attr="get" | "pop"), args=[ast.Constant(value=str(name)), *_]
            ):
                pass
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(name)), ctx=ast.Load()):
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="os"), attr="getenv"), args=[ast.Constant(value=str(name)), *_]
            ):
                found.add(name)
                continue
            case _:
                continue
        if ast.unparse(owner) == "os.environ" or (isinstance(owner, ast.Name) and owner.id in aliases):
            found.add(name)
    return found


def test_every_variable_that_is_read_is_on_the_page() -> None:
    read = {name: path for path in TOOL.rglob("*.py") for name in variables_in(path)}
    assert {"NO_COLOR", "TERM", "FORCE_COLOR"} <= read.keys()
    known = {each.name for each in VARIABLES}
    for name, path in read.items():
        assert name in known, f"{path.relative_to(ROOT)} reads {name}: say so in cli/reference/environment.py"
    named = {name for name in known if re.fullmatch(r"[A-Z_]+", name)}
    assert named <= read.keys(), "a variable on the page that nothing reads"


def writes(path: Path) -> bool:
    """Whether a module puts something on the disk."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        if name in {"replace_file", "write_text", "write_bytes", "NamedTemporaryFile", "mkstemp", "mkdtemp"}:
            return True
        if name == "open" and "O_CREAT" in ast.unparse(node):
            return True
        modes = [ast.unparse(each) for each in [*node.args, *(keyword.value for keyword in node.keywords)]]
        if name == "open" and any(re.fullmatch(r"'[wax]b?\+?'", mode) for mode in modes):
            return True
    return False


def test_every_module_that_writes_is_on_the_page() -> None:
    known = {module for each in FILES for module in each.modules}
    # The hand itself, and what `make docs` writes.
    apart = {"source.replace", "cli.reference.__main__", "cli.reference.story", "spec.models.__main__"}
    found = {".".join(path.relative_to(TOOL).with_suffix("").parts) for path in TOOL.rglob("*.py") if writes(path)}
    assert "cli.commands.render" in found
    missing = found - known - apart
    assert not missing, f"say in cli/reference/files.py what {', '.join(sorted(missing))} writes"


def manual(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        assert "CI" not in os.environ, f"{program} is missing: .ci/run installs it"
        pytest.skip(f"{program} is not installed")
    return found


def test_the_man_page_has_no_fault_in_mandoc() -> None:
    done = subprocess.run(
        [manual("mandoc"), "-T", "lint", "-W", "warning", ROOT / "docs/man/sgfleet.1"], capture_output=True, text=True
    )
    # With a date the page would differ from one day to the next.
    faults = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
    assert not faults


def test_the_man_page_has_no_fault_in_man() -> None:
    done = subprocess.run(
        [manual("man"), "--warnings", "-E", "UTF-8", "-l", "-P", "cat", ROOT / "docs/man/sgfleet.1"],
        capture_output=True,
        text=True,
        env={**os.environ, "MANWIDTH": "100"},
    )
    assert done.returncode == 0
    assert done.stderr == ""
    plain = re.sub(r"\x08.|\x1b\[[0-9;]*m", "", done.stdout)
    assert "GitOps for GPU hosts that serve LLMs with SGLang under systemd" in plain


def test_the_picture_is_well_formed_and_says_what_the_command_said() -> None:
    picture = ElementTree.fromstring(PAGES["docs/terminal.svg"])
    text = " ".join(each.text or "" for each in picture.iter("{http://www.w3.org/2000/svg}text"))
    assert "$ sgfleet memory kimi-01 --set hicache-ratio=4" in text
    assert "333.57" in text
    assert "62.43 GiB are left" in text


def test_a_picture_of_anything() -> None:
    picture = as_svg(f"\x1b[1;31merror\x1b[0m: <&> {'word ' * 60}\n{'x' * (COLUMNS + 5)}\n\n", "<title>")
    texts = [(float(each.get("x")), each.text) for each in ElementTree.fromstring(picture) if each.tag.endswith("text")]
    assert all(len(text) <= COLUMNS for _, text in texts)
    assert "".join("".join(text.split()) for _, text in texts) == "".join(
        f"error:<&>{'word' * 60}{'x' * (COLUMNS + 5)}".split()
    )


def test_who_tells_how_commands_end_tells_of_those_that_differ() -> None:
    """2 is usage but for commands that name another code, REFUSED: wherever the list stands that holds for all."""
    different = {name: module_of(name).REFUSED for name in commands() if hasattr(module_of(name), "REFUSED")}
    assert different == {"plan": 1}
    lists = {
        "README": re.search(r"^Exit codes: .*", (ROOT / "README.md").read_text(), re.MULTILINE)[0],
        "--help": overview().format_help(),
        "page": PAGES["docs/reference/exit-codes.md"],
        "man": PAGES["docs/man/sgfleet.1"].replace("\\-", "-"),
    }
    for where, text in lists.items():
        for name, code in different.items():
            assert re.search(rf"`?{name}`?: {code}, because\s+2 says there", text), where
