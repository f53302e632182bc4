"""What the releases' own parsers answered, as `make record-oracle` wrote it down, against ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from oracle import compare
from oracle.lines import Line
from sgfleet.engine import store

FILES = sorted((Path(__file__).parent / "recorded").glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_recorded_answers(path):
    release = store.load(path.stem)
    recorded = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {item["answer"]["ok"] for item in recorded} == {True, False}
    for item in recorded:
        line = Line(item["argv"], item["files"])
        assert compare.disagreement(compare.answer(release, line), item["answer"]) is None, line


def test_the_sample_spans_the_releases():
    stems = {path.stem for path in FILES}
    assert len(stems) >= 16
    assert {"0.4.0", store.available()[-1]} <= stems
