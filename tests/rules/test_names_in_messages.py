"""Findings call a flag as the file does, whichever of its names a rule knows."""

from __future__ import annotations

import re

import pytest

from rules.checking import check
from sgfleet.engine import store

RELEASE = store.available()[-1]

CASES = {
    "more ranks than GPUs": {"tp-size": 8},
    "absurd": {"tp-size": 10**19},
    "no divisor": {"tp-size": 3, "enable-dp-attention": True, "dp-size": 2},
    "uneven heads": {"tp-size": 3},
    "hicache": {"enable-hierarchical-cache": True, "hicache-size": 500, "tp-size": 2, "disable-radix-cache": True},
    "pipeline": {"pp-size": 2, "speculative-algorithm": "EAGLE", "speculative-draft-model-path": "d"},
    "experts": {"ep-size": 3, "tp-size": 2},
    "fraction": {"mem-fraction-static": 0.05},
    "nodes": {"nnodes": 3, "tp-size": 2},
}
"""Flags that several rules have something to say of."""

FACTS = """format: 1
host: h
gpus:
  - {index: 0, name: NVIDIA H100, memory-mib: 81559, compute-capability: "9.0"}
  - {index: 1, name: NVIDIA H100, memory-mib: 81559, compute-capability: "9.0"}
memory: {total-bytes: 540000000000, available-bytes: 528000000000}
"""


def _findings(root, flags):
    lines = [
        f"      {name}: {str(value).lower() if isinstance(value, bool) else value}" for name, value in flags.items()
    ]
    host = f'host: h\nservices:\n  s:\n    release: "{RELEASE}"\n    python: /p/python3\n    flags:\n'
    files = {"hosts/h/host.yaml": host + "\n".join(lines) + "\n", "hosts/h/facts.yaml": FACTS}
    return [each for each in check(root, files) if not each.code.startswith("FLG")]


@pytest.mark.parametrize("case", CASES)
def test_the_name_of_the_file(case, tmp_path):
    declared = store.load(RELEASE).by_name
    flags = {"model-path": "Qwen/Qwen3-32B", **CASES[case]}
    others = {name: [each for each in declared[name].names if each != name] for name in flags if name in declared}
    turns = [flags] + [
        {other if key == name else key: value for key, value in flags.items()}
        for name, names in others.items()
        for other in names
    ]
    said = 0
    for number, turn in enumerate(turns):
        for finding in _findings(tmp_path / str(number), turn):
            said += 1
            text = " ".join((finding.message, *finding.arithmetic, finding.help or ""))
            for name in turn:
                for alias in declared[name].names:
                    if alias != name and "-" in alias:
                        assert not re.search(rf"(?<![\w/.-]){alias}(?![\w/-])", text), (finding.code, alias, text)
    assert said
