"""What a start may cost, as facts and not as timings: which modules a light command imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FLEET = Path(__file__).parents[1] / "data" / "fleet"

HEAVY = (
    "pydantic",
    "yaml",
    "jsonschema",
    "sgfleet.engine",
    "sgfleet.rules",
    "sgfleet.spec",
    "sgfleet.source",
    "difflib",
    "dataclasses",
    "inspect",
)


def imported(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom sgfleet.cli.main import main\n"
        f"try: main({list(arguments)!r})\nexcept SystemExit: pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines())


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["render", "--help"], ["argv", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    assert not {name for name in imported(*arguments) if name.startswith(HEAVY)}


def test_argv_needs_no_yaml_and_no_models() -> None:
    modules = imported("argv", "0.5.9", "--", "--model-path", "m")
    assert "sgfleet.engine.argv.parse" in modules
    assert not {
        name for name in modules if name.startswith(("pydantic", "yaml", "sgfleet.spec.models.base", "sgfleet.rules"))
    }


def test_check_needs_no_validator_library() -> None:
    modules = imported("check", "kimi-01", "--root", str(FLEET))
    assert not {name for name in modules if name.startswith(("jsonschema", "ruamel", "git"))}


@pytest.mark.parametrize("arguments", [["check", "kimi-01"], ["check", "--units", "kimi-01"], ["render", "--check"]])
def test_what_is_right_needs_no_models(arguments: list[str]) -> None:
    """Its core alone validates (spec/valid): pydantic and the models are imported for what is wrong."""
    modules = imported(*arguments, "--root", str(FLEET))
    assert "pydantic_core._pydantic_core" in modules
    known = ("pydantic", "pydantic_core", "typing_extensions", "sgfleet.spec.models")
    assert not {name for name in modules - {"pydantic_core._pydantic_core"} if name.startswith(known)}


def test_check_makes_few_dataclasses() -> None:
    """Each frozen one costs half a millisecond of every start; a named tuple costs a tenth of it."""
    code = (
        "import dataclasses, sys\nfrom sgfleet.cli.main import main\n"
        "main(['check', 'kimi-01', '--root', sys.argv[1]])\n"
        "modules = [m for name, m in sys.modules.items() if name.startswith('sgfleet.')]\n"
        "made = {c for m in modules for c in vars(m).values() if isinstance(c, type) and dataclasses.is_dataclass(c)}\n"
        "print(*sorted(c.__module__ for c in made if c.__module__.startswith('sgfleet.')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(FLEET)], capture_output=True, text=True, check=True)
    assert 5 < len(done.stderr.splitlines()[-1].split()) < 40, done.stderr


SPARED = """
import sys
from sgfleet.cli.main import main
main(["check", "kimi-01", "--root", sys.argv[1]])
import yaml
assert type(yaml.reader.Reader.NON_PRINTABLE).__module__ == "sgfleet.fleet.lean", "PyYAML compiles nothing there now"
"""


def test_what_pyyaml_is_spared_is_still_there_to_spare() -> None:
    """A later version may be lean by itself, or heavy in another way: fleet/lean.py has to go."""
    done = subprocess.run([sys.executable, "-c", SPARED, FLEET], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


OTHERS = """
import datetime, re
import sgfleet.fleet
import yaml
assert type(re.compile("a")) is re.Pattern
assert yaml.safe_load("when: 2026-01-02\\nn: 1_000\\n") == {"when": datetime.date(2026, 1, 2), "n": 1000}
try:
    yaml.safe_load("a: \\x01")
except yaml.reader.ReaderError:
    print("sound")
"""


def test_pyyaml_is_whole_for_others_in_the_same_process() -> None:
    done = subprocess.run([sys.executable, "-c", OTHERS], capture_output=True, text=True, check=False)
    assert done.stdout == "sound\n", done.stderr
