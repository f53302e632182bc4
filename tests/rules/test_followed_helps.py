"""Helps of rules about flags, GPUs and ports are followed to the letter.

What is complained of is then gone, and no error stands there that did not stand there before. The services are those
whose verdicts are recorded, and hosts out of a seeded generator.
"""

from __future__ import annotations

import random

import pytest
import yaml

from rules.checking import check
from rules.combinations.cases import CASES
from rules.following import done, ways
from rules.views import service
from sgfleet.engine import store
from sgfleet.engine.argv.words import flags_to_argv
from sgfleet.findings import Severity
from sgfleet.rules.registry import checks

RULES = [each for each in checks()["service"] if each.rule.code.startswith("CMB")]
RELEASES = ("0.4.4", "0.4.6", "0.4.10.post2", "0.5.1", "0.5.3", "0.5.9", "0.5.13", "0.5.16", "0.5.21", "0.5.23")
FOLLOWED = ("HST001", "HST002", "SRV002", "SRV003", "SRV004", "SRV005", "CMB020", "CMB021", "CMB022", "CMB024")

NEXT = {("HST001", "CMB020"), ("MEM005", "CMB020")}
"""Errors that only now come to light, by what was put right: attention data parallelism takes a block of ports, and
what a service allocates on a GPU that another one takes too can be computed."""


def _found(case, flags, release):
    view = service(flags, release=release, environment=case.get("environment", {}))
    return [(each.rule, problem) for each in RULES for problem in each.check(view)]


def _errors(found):
    return {rule.code for rule, problem in found if (problem.severity or rule.severity) is Severity.ERROR}


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_recorded(release):
    schema = store.load(release)
    failures, followed = [], 0
    for name, case in CASES.items():
        if flags_to_argv(schema, case["flags"]).problems:
            continue
        before = _found(case, case["flags"], release)
        said = {problem.message for _, problem in before}
        for rule, problem in before:
            for change in ways(problem.help or "", schema.by_name, problem.route[-1]):
                followed += 1
                after = _found(case, done({"flags": case["flags"]}, change)["flags"], release)
                stays = [other.message for same, other in after
                         if (same.code, other.route) == (rule.code, problem.route)
                         and (other.message == problem.message or other.message not in said)]  # fmt: skip
                new = _errors(after) - _errors(before)
                if stays or new:
                    failures.append((name, rule.code, problem.message, problem.help, change, stays, new))
    assert failures == []
    assert followed


def _host(seed):
    """A host with mistakes about GPUs, sizes and ports."""
    pick = random.Random(seed).choice
    gpus = [{"index": index, "name": "NVIDIA H100 80GB HBM3", "memory-mib": 81559, "compute-capability": "9.0"}
            for index in range(pick((1, 2, 3, 4, 8)))]  # fmt: skip
    if pick((0, 0, 1)):
        pick(gpus)["problem"] = "it has fallen off the bus"
    model = pick(("Qwen/Qwen3-8B", None))
    facts = {"format": 1, "host": "h", "gpus": gpus, "memory": {"total-bytes": 10**12, "available-bytes": 9 * 10**11}}
    if model is not None:
        facts["checkpoints"] = [{"path": "/m", "model": model}]
    services = {}
    for number in range(pick((1, 2, 3, 4))):
        release = pick(("0.5.1", "0.5.9", "0.5.12", "0.5.23"))
        flags = {"model-path": "/m", "host": "127.0.0.1", "tp-size": pick((1, 1, 2, 3, 4, 8))}
        for name, values in (
            ("port", (30000, 30000, 30100, 30233)),
            ("nccl-port", (30000, 30200)),
            ("base-gpu-id", (1, 2)),
            ("gpu-id-step", (1, 2)),
            ("dp-size", (1, 2, 3)),
            ("ep-size", (2, 3)),
            ("enable-dp-attention", (True,)),
            ("page-size", (16, 48)),
            ("chunked-prefill-size", (2048, 100)),
        ):
            if pick((0, 0, 1)):
                flags[name] = pick(values)
        given = pick(("all", [0], [number], [0, 1], [1, 2], [0, 1, 2], [2, 2], [0, 9]))
        services[f"s{number}"] = {"release": release, "python": f"/opt/sglang-{release}/bin/python3", "gpus": given,
                                  "flags": flags}  # fmt: skip
    return services, facts


def _checked(folder, services, facts):
    host = {"host": "h", "services": services}
    return check(folder, {"hosts/h/host.yaml": yaml.safe_dump(host), "hosts/h/facts.yaml": yaml.safe_dump(facts)})


def _key(finding, code=True):
    return (finding.code if code else None, finding.service, finding.route)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_generated(tmp_path, seed):
    services, facts = _host(seed)
    before = _checked(tmp_path, services, facts)
    errors = {(each.code, each.service) for each in before if each.severity is Severity.ERROR}
    failures = []
    for finding in before:
        if finding.code not in FOLLOWED or finding.help is None:
            continue
        known = store.load(services[finding.service]["release"]).by_name
        one = services[finding.service]
        own = finding.route[-1]
        for change in ways(finding.help, known, own) or _item(finding, one):
            after = _checked(tmp_path, {**services, finding.service: done(one, change)}, facts)
            again = [each.message for each in after if _key(each) == _key(finding) and _same(each, finding)]
            new = {(each.code, each.service, each.message) for each in after if each.severity is Severity.ERROR
                   and (each.code, each.service) not in errors
                   and (each.code, finding.code) not in NEXT}  # fmt: skip
            if again or new:
                failures.append((finding.code, one, finding.message, finding.help, change, again, new))
    assert failures == []


def _item(finding, one):
    """A help about one item of `gpus:` changes that item."""
    if finding.code != "SRV003" or not finding.help.startswith("write "):
        return []
    gpus = list(one["gpus"])
    gpus[finding.route[-1]] = int(finding.help.split()[1])
    return [{"gpus": gpus}]


def _same(each, finding):
    """Several findings may stand at one place, about other services: only the one that was followed must go."""
    return finding.code != "HST001" or each.message.partition(": ")[2] == finding.message.partition(": ")[2]
