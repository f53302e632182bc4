"""What a help says about host pools can be followed to the letter: nothing is said any more, and all name one value."""

from __future__ import annotations

import re

import pytest

from rules.memory.hosts import gpus, host
from rules.views import facts
from sgfleet.findings import Severity
from sgfleet.memory.lines import host_lines
from sgfleet.memory.verdict import ram_statements, share_statements
from sgfleet.rules import registry

GIB = 2**30
H200 = facts(gpus=gpus(8, "NVIDIA H200", 143771, "9.0"), memory={"available-bytes": 2_100_000_000_000})
SPARSE = {"model-path": "deepseek-ai/DeepSeek-V3.2", "tp-size": 8, "mem-fraction-static": 0.85}
EAGLE = {"speculative-algorithm": "EAGLE", "speculative-num-steps": 3, "speculative-eagle-topk": 1,
         "speculative-num-draft-tokens": 4}  # fmt: skip
DENSE = {"model-path": "Qwen/Qwen3-8B", "tp-size": 2}
L40S = facts(gpus=gpus(4, nodes=(0, 0, 1, 1)), memory={"available-bytes": 400 * GIB})
HYBRID = {"model-path": "Qwen/Qwen3.5-27B", "tp-size": 2}
_CODES = {"MEM010", "MEM011", "MEM012", "MEM013", "MEM015", "MEM016"}


def found(flags, known, release, policy=None, **keys):
    """(what is said of host pools and is no note, the view of the host)"""
    flags = {**flags, "enable-hierarchical-cache": True}
    views, whole = host({"example": {"flags": flags, "release": release, **keys}}, known, policy)
    stages = (("machine", views["example"]), ("host", whole))
    said = [
        (each.rule.code, problem)
        for stage, view in stages
        for each in registry.checks()[stage]
        if each.rule.code in _CODES
        for problem in each.check(view)
        if (problem.severity or each.rule.severity) is not Severity.NOTE
    ]
    return said, whole


def follow(flag, flags, known, release, **keys):
    """Whether there was something to follow; it asserts that nothing is left."""
    said, whole = found(flags, known, release, **keys)
    grave = {each.weight for each in ram_statements(whole.memory().host)} - {"note"}
    assert bool(grave) == bool({code for code, _ in said} & {"MEM010", "MEM011"}), "memory says what check says"
    first = {code: re.search(rf"{flag} ([\d.]+)", problem.help or "") for code, problem in said}
    if not any(first.values()):
        return None
    named = {match[1] for code, match in first.items() if match and code != "MEM016"}
    if "it must be larger" not in str(said):
        assert len(named) <= 1, "one value"
    value = float(next(match for match in first.values() if match)[1])
    for _ in range(2):  # a size that fits may still be one that is rounded up
        said, whole = found({**flags, flag: int(value) if flag == "hicache-size" else value}, known, release, **keys)
        again = [re.search(rf"{flag} ([\d.]+)", problem.help or "") for code, problem in said if code == "MEM016"]
        if not again or not again[0]:
            break
        value = float(again[0][1])
    assert said == []
    statements = [*ram_statements(whole.memory().host), *share_statements(whole.memory().host.shares[0])]
    assert [each for each in statements if each.weight == "error"] == []
    return value


@pytest.mark.parametrize("release", ["0.5.9", "0.5.12", "0.5.14", "0.5.20", "0.5.23"])
@pytest.mark.parametrize("size", [1, 20, 100, 150, 200, 241, 270, 5000])
@pytest.mark.parametrize("more", [{}, EAGLE], ids=["plain", "draft"])
def test_sizes_of_several_pools(release, size, more):
    follow("hicache-size", {**SPARSE, **more, "hicache-size": size}, H200, release)


def test_sizes_that_are_too_large_have_one_that_fits():
    for release in ("0.5.9", "0.5.20", "0.5.23"):
        largest = follow("hicache-size", {**SPARSE, "hicache-size": 5000}, H200, release)
        assert largest is not None
        assert found({**SPARSE, "hicache-size": int(largest) + 1}, H200, release)[0] != []


@pytest.mark.parametrize("release", ["0.5.3", "0.5.9", "0.5.18", "0.5.23"])
@pytest.mark.parametrize("flags", [DENSE, HYBRID], ids=["dense", "hybrid"])
@pytest.mark.parametrize("size", [1, 20, 33, 40, 60, 100, 300])
def test_sizes_of_one_pool(release, flags, size):
    follow("hicache-size", {**flags, "hicache-size": size}, L40S, release)


@pytest.mark.parametrize("release", ["0.5.3", "0.5.9", "0.5.14", "0.5.20", "0.5.23"])
@pytest.mark.parametrize("flags", [DENSE, SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize("reserve", ["0GiB", "1GiB", "32GiB"])
@pytest.mark.parametrize("ratio", [2.0, 4.0, 7.0, 60.0])
def test_ratios(release, flags, reserve, ratio):
    known = L40S if flags is DENSE else H200
    policy = {"reserve": {"host-ram": reserve}}
    follow("hicache-ratio", {**flags, "hicache-ratio": ratio}, known, release, policy=policy)


@pytest.mark.parametrize("unit", [{"memory-max": "100GiB"}, {"memory-max": "200GiB"}, {"memory-high": "120GiB"}])
@pytest.mark.parametrize("asked", [{"hicache-ratio": 30.0}, {"hicache-ratio": 3.0}, {"hicache-size": 80}])
def test_limits_of_the_unit_bound_it_too(unit, asked):
    for release in ("0.5.9", "0.5.23"):
        follow(next(iter(asked)), {**DENSE, **asked}, L40S, release, unit=unit)


def test_the_error_of_the_pool_is_subtracted():
    policy = {"reserve": {"host-ram": "0GiB"}}
    said, whole = found({**DENSE, "hicache-ratio": 60.0}, L40S, "0.5.9", policy)
    share = whole.memory().host.shares[0]
    assert share.error_bytes > 0
    largest = share.largest.policy
    said, whole = found({**DENSE, "hicache-ratio": largest + 0.01}, L40S, "0.5.9", policy)
    assert whole.memory().host.left_bytes > 0, "it fits by the estimate"
    assert {code for code, _ in said} >= {"MEM010"}


def test_what_comes_on_top_is_a_note_without_another_size():
    flags = {**SPARSE, "enable-hierarchical-cache": True, "hicache-size": 150}
    views, _ = host({"example": {"flags": flags, "release": "0.5.23"}}, H200)
    (check,) = (each for each in registry.checks()["machine"] if each.rule.code == "MEM016")
    (problem,) = check.check(views["example"])
    assert problem.severity is Severity.NOTE
    assert problem.help is None
    assert "index keys come on top of it" in problem.message


@pytest.mark.parametrize(
    ("release", "flags", "words"),
    [
        ("0.5.23", SPARSE, ["", "and a page more"]),
        ("0.5.9", SPARSE, ["and a page of index keys more"]),
        ("0.5.3", DENSE, ["pinned as the next power of two"]),
        ("0.5.9", DENSE, [""]),
    ],
)
def test_why_a_pool_takes_more_than_its_tokens_is_said(release, flags, words):
    known = L40S if flags is DENSE else H200
    _, whole = found({**flags, "hicache-ratio": 2.0}, known, release)
    lines = host_lines(whole.memory().host.shares[0])[:-1]
    assert [line.detail.partition(" B")[2].removeprefix(", ") for line in lines] == words


WITHOUT = re.compile(r"(?:^|: )remove ([a-z, -]+?)(?:$|:|, or )")
WRITTEN = re.compile(r"`([a-z-]+): ([\d.]+)`")
_IDLE = "CMB044"


def idle(flags, known, release, **keys):
    """Flags without effect."""
    views, _ = host({"example": {"flags": flags, "release": release, **keys}}, known)
    (check,) = (each for each in registry.checks()["service"] if each.rule.code == _IDLE)
    return [problem.message for problem in check.check(views["example"])]


@pytest.mark.parametrize("release", ["0.5.3", "0.5.9", "0.5.12", "0.5.23"])
@pytest.mark.parametrize("unit", [{}, {"memory-max": "60GiB"}, {"memory-max": "20GiB"}])
@pytest.mark.parametrize("asked", [{"hicache-ratio": 60.0}, {"hicache-size": 5000}])
def test_where_no_size_fits_all_that_goes_is_named_and_a_fraction_that_works(release, unit, asked):
    flags = {**DENSE, **asked, "hicache-write-policy": "write_through"}
    known = facts(gpus=gpus(2, "NVIDIA H200", 143771, "9.0"), memory={"available-bytes": 200 * GIB})
    said, _ = found(flags, known, release, unit=unit)
    helps = {each.help for _, each in said if re.search("no (ratio|size)", each.help or "")}
    for help_ in helps:
        gone = re.split(r", | and ", WITHOUT.search(help_)[1])
        assert gone == ["enable-hierarchical-cache", *sorted(flags.keys() & {*asked, "hicache-write-policy"})]
        assert idle({name: flags[name] for name in flags if name not in gone}, known, release, unit=unit) == []
        written = {flag: float(value) for flag, value in WRITTEN.findall(help_)}
        if written:
            if "hicache-size" in written:
                written["hicache-size"] = int(written["hicache-size"])
            after, _ = found({**flags, **written}, known, release, unit=unit)
            assert [code for code, _ in after if code != "MEM016"] == []
        else:
            assert "no lower mem-fraction-static" in help_


@pytest.mark.parametrize("release", ["0.5.9", "0.5.12", "0.5.23"])
def test_a_size_beyond_the_unit_has_the_size_of_the_same_search(release):
    flags, unit = {**DENSE, "enable-hierarchical-cache": True, "hicache-size": 400}, {"memory-max": "100GiB"}
    views, _ = host({"example": {"flags": flags, "release": release, "unit": unit}}, L40S)
    (check,) = (each for each in registry.checks()["service"] if each.rule.code == "CMB004")
    (problem,) = check.check(views["example"])
    size = int(re.search(r"hicache-size (\d+) is the largest", problem.help)[1])
    assert [code for code, _ in found({**flags, "hicache-size": size}, L40S, release, unit=unit)[0]] == []
    assert found({**flags, "hicache-size": size + 1}, L40S, release, unit=unit)[0] != []


@pytest.mark.parametrize(
    ("model", "release", "first"),
    [("Qwen/Qwen3.5-27B", "0.5.6", "0.5.10"), ("deepseek-ai/DeepSeek-V3.2", "0.5.6", "0.5.9"),
     ("openai/gpt-oss-20b", "0.5.9", "0.5.13")],
)  # fmt: skip
def test_the_release_that_has_a_host_pool_is_named(model, release, first):
    flags = {"model-path": model, "tp-size": 8, "enable-hierarchical-cache": True, "hicache-ratio": 2.0}
    (check,) = (each for each in registry.checks()["machine"] if each.rule.code == "MEM017")
    views, _ = host({"example": {"flags": flags, "release": release}}, H200)
    (problem,) = check.check(views["example"])
    assert problem.help == f"remove enable-hierarchical-cache and hicache-ratio, or take release {first}"
    later, _ = host({"example": {"flags": flags, "release": first}}, H200)
    assert list(check.check(later["example"])) == []
