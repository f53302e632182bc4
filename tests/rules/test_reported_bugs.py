"""Configurations that failed for somebody, and the rule that says so before they are merged.

The cases come from public reports (the numbers are those of this project's collection), in words and figures of ours.
"""

from __future__ import annotations

import pytest

from rules.views import facts, host, service
from sgfleet.rules.registry import checks


def codes(*stages, of):
    return {each.rule.code for stage in stages for each in checks()[stage] if list(each.check(of))}


def said_of(view):
    return codes("service", "machine", of=view)


HICACHE = {"enable-hierarchical-cache": True}
MOONCAKE = {**HICACHE, "hicache-storage-backend": "mooncake", "hicache-mem-layout": "layer_first"}

BUGS = [
    ("B002", "FLG003", "0.5.5", {"tp-size": 8, "reasoning_parser": "kimi_k2"}, {}),
    ("B005", "FLG001", "0.5.9", {"served-model-name": "m", "ulysses-degree": 8}, {}),
    ("B007", "FLG008", "0.5.9", {"reasoning-parser": "kimik2"}, {}),
    ("B022", "CMB005", "0.4.5", {**HICACHE, "mem-fraction-static": 0.95, "hicache-ratio": 2}, {}),
    ("B042", "UNT004", "0.5.9", {}, {"unit": {"kill-mode": "process"}}),
    ("B045", "CMB013", "0.5.9", {"speculative-algorithm": "EAGLE", "mem-fraction-static": 0.85}, {}),
    ("B060", "UNT005", "0.5.9", MOONCAKE, {"unit": {"limit-memlock": "8MiB"}}),
    ("B067", "CMB006", "0.5.3", MOONCAKE, {}),
    ("B067", "CMB006", "0.4.10.post2", MOONCAKE, {}),
    ("B077", "UNT007", "0.5.9", {"tp-size": 4}, {"environment": {"CUDA_VISIBLE_DEVICES": "4,5,6,7"}}),
    ("B080", "CMB042", "0.4.5", {"attention-backend": "fa3", "kv-cache-dtype": "fp8_e4m3"}, {}),
    ("B090", "CMB004", "0.5.9", {**HICACHE, "hicache-size": 32, "tp-size": 8}, {"unit": {"memory-max": "64GiB"}}),
    ("B090", "CMB004", "0.5.9", {**HICACHE, "hicache-size": 32, "tp-size": 8}, {}),
    ("B092", "CMB002", "0.5.9", {**HICACHE, "hicache-ratio": 0.8}, {}),
]


@pytest.mark.parametrize(("code", "release", "flags", "keys"), [pytest.param(*bug[1:], id=bug[0]) for bug in BUGS])
def test_found(code, release, flags, keys):
    assert code in said_of(service(flags, release=release, **keys))


def test_gpus_that_two_services_share():  # B075
    known = facts(gpus=8)
    services = {
        "a": service({"tp-size": 8}, name="a", known=known),
        "b": service({"port": 30100}, name="b", known=known, gpus=[0]),
    }
    assert "HST002" in codes("host", of=host(services, known))


def test_the_unit_of_a_forum_post():
    found = said_of(
        service(
            {
                "model": "/models/gpt-oss-120b",
                "model-path": None,
                "host": "0.0.0.0",
                "tp": 4,
                "mem-fraction-static": 0.85,
            },
            environment={"PATH": "/opt/sglang-env/bin:/usr/local/cuda/bin:$PATH", "CUDA_VISIBLE_DEVICES": "0,1,2,3"},
            unit={"restart": "always", "restart-sec": "10s", "start-limit-interval-sec": "10s", "start-limit-burst": 5},
        ),
    )
    assert {"UNT001", "UNT003", "UNT007", "FLG002", "CMB043"} <= found


def test_what_is_no_fault_of_the_configuration():  # B027, B085
    flags = {**HICACHE, "hicache-storage-backend": "file", "tp-size": 2}
    assert said_of(service(flags, gpus=[0, 1])) == set()
