"""Facts that cannot be: each slip is said with the value that was meant, and real machines are left alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from facts.recorded import MACHINES, RecordedMachine
from rules.checking import check
from rules.said import said
from rules.views import facts, host
from sgfleet.facts.probe import probe
from sgfleet.findings import Severity
from sgfleet.memory import cards
from sgfleet.source.read import read_text

GIB = 2**30
L40S = {"index": 0, "name": "NVIDIA L40S", "memory-mib": 46068, "compute-capability": "8.9"}
RULES = {
    "FCT009": "implausible_gpu_memory",
    "FCT010": "implausible_ram",
    "FCT011": "implausible_compute_capability",
    "FCT012": "implausible_checkpoint",
    "FCT013": "implausible_observation",
    "FCT014": "implausible_link",
    "FCT015": "implausible_version",
}
RAM = {"total-bytes": 540_000_000_000, "available-bytes": 528_000_000_000}
WRITE = re.compile(r"(?:[Ww]rite|and) ([a-z-]+): (\"[^\"]+\"|[\d.]+?)(?=,| and|;|$)")
ROOT = Path(__file__).parents[3]


def problems(known):
    """Code and problem of all that these rules say."""
    view = host({}, facts(**known))
    return [(code, each) for code, rule in RULES.items() for each in said(f"facts.{rule}", view)]


def gpu(**changes):
    return {"gpus": [{**L40S, **{key.replace("_", "-"): value for key, value in changes.items()}}]}


def seen(**figures):
    entry = {"release": "0.5.9", **{key.replace("_", "-"): value for key, value in figures.items()}}
    return {"gpus": [L40S], "memory": RAM, "observed": {"chat": entry}}


def memory(**sizes):
    return {"gpus": [L40S], "memory": {key.replace("_", "-"): value for key, value in sizes.items()}}


SURE, DOUBTFUL = Severity.ERROR, Severity.WARNING
SLIPS = [
    ("FCT010", memory(total_bytes=540), SURE, 540 * GIB),
    ("FCT010", memory(total_bytes=515_000), SURE, 515_000 * 2**20),
    ("FCT010", memory(total_bytes=24_000), SURE, 24_000 * 2**20),
    ("FCT010", memory(total_bytes=528_000_000), SURE, 528_000_000 * 1024),
    ("FCT010", memory(total_bytes=2), SURE, 2 * 1024 * GIB),
    ("FCT010", memory(total_bytes=0), SURE, None),
    ("FCT010", memory(total_bytes=2**50), SURE, None),
    ("FCT010", {"gpus": [], "memory": {"total-bytes": 64}}, SURE, 64 * GIB),
    ("FCT010", {"gpus": [{**L40S, "memory-mib": 183359, "name": "NVIDIA B200", "compute-capability": "10.0", "index": n}
                         for n in range(8)], "memory": {"total-bytes": 2 * GIB}}, SURE, 2048 * GIB),
    ("FCT010", memory(total_bytes=540_000_000_000, available_bytes=490), SURE, 490 * GIB),
    ("FCT010", memory(total_bytes=540_000_000_000, available_bytes=528), SURE, 528 * 10**9),
    ("FCT010", memory(total_bytes=540_000_000_000, available_bytes=0), SURE, None),
    ("FCT010", memory(total_bytes=540_000_000_000, available_bytes=515_000_000), DOUBTFUL, 515_000_000 * 1024),
    ("FCT010", memory(available_bytes=396), SURE, 396 * GIB),
    ("FCT010", memory(**{key.replace("-", "_"): size for key, size in RAM.items()}, swap_total_bytes=8), SURE, 8 * GIB),
    ("FCT010", memory(hugepages=4, hugepage_bytes=2048), SURE, 2 * 2**20),
    ("FCT010", memory(hugepages=4, hugepage_bytes=1048576), SURE, GIB),
    ("FCT010", memory(hugepages=4, hugepage_bytes=1), SURE, GIB),
    ("FCT010", {"memory": RAM, "numa": [{"node": 0, "total-bytes": 251}]}, SURE, 251 * GIB),
    ("FCT010", {"memory": RAM, "numa": [{"node": 0, "total-bytes": 527_000_000}]}, SURE, 527_000_000 * 1024),
    ("FCT010", {"memory": RAM, "numa": [{"node": n, "total-bytes": 400 * GIB} for n in range(2)]}, DOUBTFUL, None),
    ("FCT010", {"memory": RAM, "numa": [{"node": 0, "total-bytes": 500 * 1024 * GIB}]}, SURE, None),
    ("FCT010", {"gpus": [L40S], "limits": {"memory-bytes": 64}}, SURE, 64 * GIB),
    ("FCT010", {"gpus": [L40S], "limits": {"memory-bytes": 67_108_864}}, DOUBTFUL, 64 * GIB),
    ("FCT010", {"limits": {"memlock-bytes": 64}}, SURE, 64 * 1024),
    ("FCT010", {"limits": {"memlock-bytes": 8192}}, DOUBTFUL, 8192 * 1024),
    ("FCT011", gpu(compute_capability="12.5"), SURE, '"8.9"'),
    ("FCT011", gpu(name="NVIDIA RTX PRO 6000 Blackwell Server Edition", memory_mib=97887, compute_capability="10.0"),
     SURE, '"12.0"'),
    ("FCT011", gpu(name="a card of tomorrow", compute_capability="90.0"), SURE, '"9.0"'),
    ("FCT011", gpu(name="a card of tomorrow", compute_capability="120.0"), SURE, '"12.0"'),
    ("FCT011", gpu(name="a card of tomorrow", compute_capability="999.9"), SURE, None),
    ("FCT012", {"checkpoints": [{"path": "/m", "total-bytes": 547}]}, SURE, 547 * 10**9),
    ("FCT012", {"checkpoints": [{"path": "/m", "total-bytes": 16}]}, SURE, 16 * 10**9),
    ("FCT012", {"checkpoints": [{"path": "/m", "total-bytes": 0}]}, SURE, None),
    ("FCT012", {"checkpoints": [{"path": "/m", "total-bytes": 2**50}]}, SURE, None),
    ("FCT013", seen(kv_pool_gib=10670.0), SURE, "10.42"),
    ("FCT013", seen(weights_gib=11188441088.0), SURE, "10.42"),
    ("FCT013", seen(free_before_gib_min=139.8), DOUBTFUL, None),
    ("FCT013", seen(graphs_gib=83.36), DOUBTFUL, None),
    ("FCT013", seen(host_pool_gb=20_850.0), SURE, "20.85"),
    ("FCT013", seen(host_pool_gb=700.0), DOUBTFUL, None),
    ("FCT013", seen(load_seconds=612_000), SURE, "612"),
    ("FCT013", seen(load_seconds_at_least=600_000), SURE, "600"),
    ("FCT013", seen(kv_tokens=159, kv_pool_gib=10.42), SURE, "159000"),
    ("FCT013", {"observed": {"chat": {"release": "0.5.9", "kv-pool-gib": 10670.0}}}, SURE, "10.42"),
    ("FCT014", gpu(pcie={"generation": 16, "width": 4}), DOUBTFUL, "4"),
    ("FCT014", gpu(pcie={"generation": 4, "width": 64}), DOUBTFUL, None),
    ("FCT014", gpu(pcie={"generation": 4, "width": 16, "current-width": 5}), DOUBTFUL, None),
    ("FCT014", gpu(nvlinks=900), DOUBTFUL, None),
    ("FCT015", {"software": {"driver": "12.8"}}, DOUBTFUL, None),
    ("FCT015", {"software": {"cuda": "570.133.20"}}, DOUBTFUL, None),
    ("FCT015", {"software": {"cuda": "12080"}}, DOUBTFUL, '"12.8"'),
    ("FCT015", {"software": {"kernel": "24.04"}}, DOUBTFUL, None),
    ("FCT015", {"software": {"systemd": 25215}}, DOUBTFUL, None),
    ("FCT015", {"software": {"systemd": 9999}}, DOUBTFUL, None),
    ("FCT015", {"software": {"systemd": 999}}, DOUBTFUL, None),
    ("FCT010", memory(total_bytes=RAM["total-bytes"], hugepage_bytes=3), SURE, None),
    ("FCT010", memory(total_bytes=RAM["total-bytes"], hugepage_bytes=3 * 2**20), SURE, None),
    ("FCT010", memory(total_bytes=RAM["total-bytes"], hugepage_bytes=4096), SURE, None),
    ("FCT013", seen(load_seconds=30, load_seconds_at_least=600), DOUBTFUL, None),
    ("FCT009", gpu(mig=True, mig_instances=[{"profile": "1g.10gb", "memory-mib": 10}]), SURE, 9536),
    ("FCT009", gpu(mig=True, mig_instances=[{"memory-mib": 10}]), SURE, None),
    ("FCT009", gpu(name="NVIDIA L40S-8Q", memory_mib=8), SURE, "8192"),
    ("FCT009", gpu(name="NVIDIA H100 80GB HBM3 MIG 1g.10gb", memory_mib=81559, compute_capability="9.0"), SURE, "9536"),
    ("FCT009", gpu(name="NVIDIA H100 80GB HBM3 MIG 3g.40gb", memory_mib=40, compute_capability="9.0"), SURE, "38146"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "known", "severity", "meant"), SLIPS)
def test_a_slip_is_one_finding_with_what_was_meant(code, known, severity, meant):
    found = problems(known)
    assert {each for each, _ in found} == {code}
    for _, problem in found:
        assert (problem.severity or (SURE if code not in {"FCT014", "FCT015"} else DOUBTFUL)) is severity
        assert "sgfleet" in problem.help
        assert "write " in problem.help.lower()
        assert problem.based_on
    values = [value for _, problem in found for _, value in WRITE.findall(problem.help)]
    assert values[:1] == ([] if meant is None else [str(meant)])


@pytest.mark.parametrize(("code", "known", "severity", "meant"), [each for each in SLIPS if each[3] is not None])
def test_what_is_meant_followed_to_the_letter(tmp_path, code, known, severity, meant):
    """The whole of `check`, at the place that the finding names."""
    document = {"format": 1, "host": "h", **known}
    files = {
        "hosts/h/host.yaml": 'host: h\nservices:\n  chat:\n    release: "0.5.9"\n    python: /opt/python3\n'
        "    flags: {model-path: /m}\n",
        "hosts/h/facts.yaml": yaml.safe_dump(document),
    }
    for _ in range(3):
        found = [each for each in check(tmp_path, files) if each.code == code]
        if not found:
            return
        finding = found[0]
        at = document
        for step in finding.route[:-1]:
            at = at[step]
        for key, value in WRITE.findall(finding.help):
            assert key in {finding.route[-1], "width"}
            at[key] = yaml.safe_load(value)
        files["hosts/h/facts.yaml"] = yaml.safe_dump(document)
    pytest.fail(f"{code} is still there: {finding.help}")


@pytest.mark.parametrize(
    "known",
    [
        seen(load_seconds=700, load_seconds_at_least=600),
        {"software": {"systemd": 260}},
        memory(total_bytes=RAM["total-bytes"], hugepage_bytes=2 * 2**20),
        memory(total_bytes=RAM["total-bytes"], hugepage_bytes=256 * 2**20),
    ],
)
def test_what_may_be(known):
    assert problems(known) == []


@pytest.mark.parametrize("name", sorted(path.stem for path in MACHINES.iterdir()))
def test_what_machines_say_of_themselves(name):
    assert problems(probe(RecordedMachine.of(name), with_ids=True).parts) == []


@pytest.mark.parametrize(
    "path",
    sorted(str(path.relative_to(ROOT)) for path in [
        *ROOT.glob("hosts/*/facts.yaml"), *ROOT.glob("tests/**/facts.yaml"), ROOT / "docs/reference/examples/facts.yaml"
    ]),
)  # fmt: skip
def test_files_of_real_hosts(path):
    known = {**read_text((ROOT / path).read_text(), path).data, "host": "example-01"}
    assert problems({key: value for key, value in known.items() if key not in {"format", "host"}}) == []


@pytest.mark.parametrize("name", json.loads(Path(cards.__file__).with_name("cards.json").read_text()))
def test_cards_as_they_are(name):
    mib, capability, *_ = json.loads(Path(cards.__file__).with_name("cards.json").read_text())[name]
    for count in (1, 8):
        known = [{"index": n, "name": name, "memory-mib": mib, "compute-capability": capability} for n in range(count)]
        for ram_gib in (16, 64, 512, 4096):
            sizes = {"total-bytes": ram_gib * GIB, "available-bytes": ram_gib * GIB * 9 // 10}
            assert problems({"gpus": known, "memory": sizes}) == []


@pytest.mark.parametrize(
    ("name", "mib", "capability"),
    [
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 9856, "9.0"),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb+me", 9856, "9.0"),
        ("NVIDIA H100 80GB HBM3 MIG 3g.40gb", 40448, "9.0"),
        ("NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb", 40448, "9.0"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 4864, "8.0"),
        ("NVIDIA A100-SXM4-40GB MIG 7g.40gb", 40192, "8.0"),
        ("MIG 1g.5gb", 4864, "8.0"),
    ],
)
def test_an_instance_is_held_against_its_profile(name, mib, capability):
    one = {"index": 0, "name": name, "memory-mib": mib, "compute-capability": capability}
    assert problems({"gpus": [one]}) == []
    assert cards.card(name, 1).memory_mib is None, "the card's memory is not the instance's"


@pytest.mark.parametrize(
    "name",
    ["NVIDIA H100 NVL", "NVIDIA H200 NVL", "NVIDIA L40", "NVIDIA GH200 480GB", "NVIDIA GB200", "NVIDIA A10",
     "NVIDIA L20", "NVIDIA RTX A6000", "NVIDIA GeForce RTX 3060 Laptop GPU", "NVIDIA GeForce RTX 5090 D", "Tesla T4",
     "GRID A100-4C"],
)  # fmt: skip
def test_a_card_is_not_taken_for_another_one(name):
    own = {
        "H100": "9.0", "H200": "9.0", "L40": "8.9", "GH200": "9.0", "GB200": "10.0", "A10": "8.6", "L20": "8.9",
        "A6000": "8.6", "3060": "8.6", "5090": "12.0", "T4": "7.5", "A100-4C": "8.0",
    }  # fmt: skip
    capability = next(own[word] for word in re.findall(r"[A-Z0-9-]+", name) if word in own)
    assert problems({"gpus": [{"index": 0, "name": name, "compute-capability": capability}]}) == []


LOGS = [json.loads(line) for line in (ROOT / "tests/corpus/logs.jsonl").read_text().splitlines()]
KEYS = {
    "kv_tokens": "kv-tokens", "kv_size_gb": "kv-pool-gib", "weights_mem_usage_gb": "weights-gib",
    "avail_mem_after_weights_gb": "free-after-weights-gib-min", "avail_mem_after_pool_gb": "free-after-gib-min",
    "hicache_host_gb_per_rank": "host-pool-gb", "draft_weights_gb": "draft-weights-gib",
}  # fmt: skip


@pytest.mark.parametrize("entry", LOGS, ids=[entry["id"] for entry in LOGS])
def test_what_real_starts_logged(entry):
    figures = {KEYS[key]: value for key, value in entry["logged"].items() if key in KEYS and value is not None}
    card = cards.card(entry["gpu"] or "", 1, entry["facts"].get("gpu_mem_gb"))
    one = {"index": 0, "name": entry["gpu"] or "x", **({"memory-mib": card.memory_mib} if card.memory_mib else {})}
    assert problems({"gpus": [one], "observed": {"chat": {"release": "0.5.9", **figures}}}) == []
