"""What reading one host imports: nothing that other commands need."""

from __future__ import annotations

import subprocess
import sys

READ = """
import sys
from pathlib import Path
from sgfleet.source.tree import WorkTree
from sgfleet.spec.repository import Repository
made = Repository(WorkTree(Path(sys.argv[1])))
host = made.host("h")
assert host.services and host.facts and not host.findings and not made.findings, host
print(*sorted(sys.modules))
"""
FILES = {
    "fleet.yaml": "policy: {}\n",
    "hosts/h/host.yaml": 'host: h\nservices:\n  a: {release: "0.5.9", python: /opt/python}\n',
    "hosts/h/facts.yaml": "format: 1\nhost: h\n",
}


def test_imports(tmp_path):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    done = subprocess.run([sys.executable, "-c", READ, tmp_path], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    # importlib.metadata: pydantic's search for plugins. sgfleet.spec.docstrings: reading sources, for export alone.
    for heavy in ("importlib.metadata", "email", "sgfleet.spec.docstrings", "sgfleet.spec.export", "jsonschema"):
        assert heavy not in loaded


SPARED = """
import sgfleet.source, sgfleet.spec
import pydantic_core.core_schema, yaml
assert not hasattr(pydantic_core.core_schema.IntSchema, "__total__"), "pydantic's core declares no TypedDict there now"
assert type(yaml.reader.Reader.NON_PRINTABLE).__module__ == "sgfleet.source.lean", "PyYAML compiles nothing there now"
"""


def test_what_pydantic_and_pyyaml_are_spared_is_still_there_to_spare():
    """A later version may be lean by itself, or heavy in another way: spec/lean.py and source/lean.py have to go."""
    done = subprocess.run([sys.executable, "-c", SPARED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


OTHERS = """
import datetime, re, typing
import sgfleet.source, sgfleet.spec
import pydantic, typing_extensions, yaml
for declared in (typing.TypedDict, typing_extensions.TypedDict):
    made = declared("made", {"left": typing_extensions.Required[int]}, total=False)
    assert made.__required_keys__ == {"left"}
adapter = pydantic.TypeAdapter(made)
assert adapter.validate_python({"left": 1}) == {"left": 1}
assert adapter.json_schema()["required"] == ["left"]
assert type(re.compile("a")) is re.Pattern
assert yaml.safe_load("when: 2026-01-02\\nn: 1_000\\n") == {"when": datetime.date(2026, 1, 2), "n": 1000}
try:
    yaml.safe_load("a: \\x01")
except yaml.reader.ReaderError:
    print("sound")
"""


def test_both_are_whole_for_others_in_the_same_process():
    done = subprocess.run([sys.executable, "-c", OTHERS], capture_output=True, text=True, check=False)
    assert done.stdout == "sound\n", done.stderr
