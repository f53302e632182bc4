"""A waiver of a rule about memory may look unused because there was no budget to decide from."""

from __future__ import annotations

import json

import pytest

from rules.checking import check
from rules.memory.hosts import gpus
from sgfleet.findings import Severity


@pytest.mark.parametrize(
    ("model", "severity"), [("/models/nobody-knows", Severity.NOTE), ("Qwen/Qwen3-8B", Severity.WARNING)]
)
def test_waiver_without_a_finding(model, severity, tmp_path):
    waiver = {"code": "MEM003", "reason": "measured under load, it has room"}
    service = {"release": "0.5.9", "python": "/opt/p", "flags": {"model-path": model}, "waive": [waiver]}
    host = {"host": "a", "services": {"s": service}}
    known = {"format": 1, "host": "a", "gpus": gpus(1), "memory": {"total-bytes": 2**38}}
    found = check(tmp_path, {"hosts/a/host.yaml": json.dumps(host), "hosts/a/facts.yaml": json.dumps(known)})
    assert [each.severity for each in found if each.code == "WVR001"] == [severity]
