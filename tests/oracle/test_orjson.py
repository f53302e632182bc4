"""JSON as orjson reads it: our reader against the real one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.json_texts import texts
from oracle.wheels import PYTHON
from sgfleet.engine.argv import orjson_text

pytestmark = pytest.mark.oracle

COUNT = 200_000


def ours(text):
    try:
        return repr(orjson_text.loads(text))
    except ValueError:
        return None


def test_orjson_agrees(monkeypatch):
    asked = list(texts(1, COUNT))
    worker = Path(__file__).with_name("orjson_worker.py")
    text = "".join(json.dumps(item) + "\n" for item in asked)
    ran = subprocess.run([PYTHON, "-I", worker], input=text, capture_output=True, text=True, check=True)
    theirs = [json.loads(line) for line in ran.stdout.splitlines()]
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)  # for the repr of what is nested deeply
    try:
        wrong = [(one, ours(one), real) for one, real in zip(asked, theirs, strict=True) if ours(one) != real]
    finally:
        sys.setrecursionlimit(before)
    assert not wrong, wrong[:10]
    assert COUNT // 4 < sum(real is not None for real in theirs) < COUNT * 3 // 4
