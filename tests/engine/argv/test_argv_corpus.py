"""The command lines of public reports: our verdict and the kind of refusal are those of each release's own parser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sgfleet.engine import store
from sgfleet.engine.argv.outcome import Parsed, Rejected
from sgfleet.engine.argv.parse import parse

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "corpus" / "commands.jsonl").read_text(encoding="utf-8").splitlines()
]
MESSAGES = {
    r"unrecognized arguments": {"unknown-option", "unexpected-word"},
    r"ambiguous option": {"ambiguous-option"},
    r"the following arguments are required": {"required-missing"},
    r"argument [^:]+: invalid choice": {"invalid-choice"},
    r"argument [^:]+: expected": {"missing-value"},
    r"argument [^:]+: ignored explicit": {"unexpected-value"},
    r"argument [^:]+: invalid \w+ value": {"invalid-type"},
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_verdict_is_the_release_s_own(case):
    for version, verdict in case["argparse"].items():
        outcome = parse(store.load(version), case["argv"])
        if verdict == "accepted":
            assert isinstance(outcome, Parsed), (version, outcome)
        else:
            message = verdict.removeprefix("launch_server: error: ")
            kinds = next(kinds for pattern, kinds in MESSAGES.items() if re.match(pattern, message))
            assert isinstance(outcome, Rejected), (version, verdict)
            assert outcome.kind in kinds, (version, verdict, outcome)
