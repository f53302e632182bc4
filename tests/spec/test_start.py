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
    # The models and pydantic are for what is wrong (tests/cli/test_start.py).
    for heavy in (
        "importlib.metadata",
        "email",
        "pydantic",
        "sgfleet.spec.models.base",
        "sgfleet.spec.export",
        "jsonschema",
    ):
        assert heavy not in loaded
