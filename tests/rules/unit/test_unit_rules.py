"""The unit and its environment."""

from __future__ import annotations

import pytest

from rules.said import messages, said
from rules.views import facts, service
from sgfleet.findings import Severity


@pytest.mark.parametrize(
    ("value", "wrong"),
    [("/a:$PATH", True), ("${HOME}/x", True), ("/a/b", False), ("cost $5", False), ("a$", False), ("%h", False)],
)
def test_variables_in_the_environment(value, wrong):
    assert bool(said("unit.unexpanded_variable", service(environment={"X": value}))) == wrong


def test_path_gets_the_path_that_was_meant():
    (problem,) = said("unit.unexpanded_variable", service(environment={"PATH": "/opt/bin:${PATH}"}))
    assert problem.help == "write /opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@pytest.mark.parametrize(
    ("unit", "budget", "message"),
    [
        ({"restart": "no", "start-limit-burst": 0}, None, None),
        ({}, None, None),
        ({}, "15m", None),
        ({"start-limit-burst": 0}, None, "restart on-failure without a limit: start-limit-burst 0"),
        ({"start-limit-interval-sec": "0s"}, None, "restart on-failure without a limit: start-limit-interval-sec 0"),
        ({"restart-sec": "20m"}, None, "the start limit is never reached"),
        ({"restart-sec": "19m"}, None, None),
        ({}, "20m", "the start limit is never reached when loads fail late"),
        (
            {"restart": "always", "restart-sec": "1s", "start-limit-interval-sec": "3s"},
            None,
            "restart always without an end",
        ),
        ({"restart": "always", "restart-sec": "1s", "start-limit-interval-sec": "4s"}, None, None),
    ],
)
def test_restart_limits(unit, budget, message):
    start = {"budget": budget} if budget else {}
    problems = messages("unit.endless_restarts", service(unit=unit, start=start))
    assert len(problems) == (message is not None)
    assert all(message in problem for problem in problems)


@pytest.mark.parametrize(
    ("unit", "start"),
    [({"restart-sec": "20m"}, {}), ({}, {"budget": "20m"}), ({"start-limit-burst": 100}, {"budget": "15m"})],
)
def test_the_interval_that_is_proposed_is_long_enough(unit, start):
    (problem,) = said("unit.endless_restarts", service(unit=unit, start=start))
    interval = problem.help.split("`")[1].partition(": ")[2]
    mended = service(unit={**unit, "start-limit-interval-sec": interval}, start=start)
    assert said("unit.endless_restarts", mended) == []


@pytest.mark.parametrize(
    ("flags", "limit", "severity"),
    [
        ({}, "8MiB", None),
        ({"enable-hierarchical-cache": True}, "infinity", None),
        ({"enable-hierarchical-cache": True}, "64GiB", "default"),
        ({"enable-hierarchical-cache": True, "hicache-size": 100}, "64GiB", Severity.ERROR),
        ({"enable-hierarchical-cache": True, "hicache-size": 10}, "64GiB", "default"),
        ({"disaggregation-transfer-backend": "mooncake"}, "64GiB", None),
        ({"disaggregation-mode": "prefill"}, "64GiB", "default"),
        ({"disaggregation-mode": "decode", "disaggregation-transfer-backend": "nixl"}, "64GiB", "default"),
        (
            {"hicache-storage-backend": "mooncake", "disaggregation-decode-enable-offload-kvcache": True},
            "64GiB",
            "default",
        ),
        ({"hicache-storage-backend": "mooncake"}, "64GiB", None),
        ({"hicache-storage-backend": "file"}, "64GiB", None),
    ],
)
def test_memlock(flags, limit, severity):
    problems = said("unit.finite_memlock", service(flags, unit={"limit-memlock": limit}))
    assert [problem.severity or "default" for problem in problems] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("gpus", "variable", "words"),
    [
        ("all", "0,1", "narrows gpus all"),
        ([0, 1], "0,1", "says what gpus says already"),
        ([0, 1], "2,3", "is lost"),
        ([0], "GPU-deadbeef", "is lost"),
        ("all", 0, "narrows gpus all"),
    ],
)
def test_gpus_said_twice(gpus, variable, words):
    (message,) = messages(
        "unit.gpus_in_environment", service(gpus=gpus, environment={"CUDA_VISIBLE_DEVICES": variable})
    )
    assert words in message


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("sglang-kimi", False), ("docker", True), ("systemd-resolved", True), ("kimi.service", True), ("a.timer", True),
     ("kimi-2.5", False), ("ssh-tunnel", False), ("nvidia-persistenced", True)],
)  # fmt: skip
def test_unit_names(name, wrong):
    assert bool(said("unit.unit_name", service(name=name))) == wrong


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ({}, 0),
        ({"restart": "no"}, 0),
        ({"restart": "no", "restart-sec": "5s"}, 1),
        ({"memory-high": "64GiB", "memory-max": "32GiB"}, 1),
        ({"memory-high": "32GiB", "memory-max": "64GiB"}, 0),
        ({"after": ["network-online.target"], "wants": []}, 1),
        ({"after": ["network-online.target"], "wants": [], "requires": ["network-online.target"]}, 0),
        ({"after": ["network.target"], "wants": []}, 0),
    ],
)
def test_settings_without_effect(unit, count):
    assert len(said("unit.idle_directive", service(unit=unit))) == count


@pytest.mark.parametrize(
    ("seconds", "words"), [("0s", "no timeout"), ("5s", "kills ranks"), ("10s", None), ("60s", None)]
)
def test_stop_timeouts(seconds, words):
    problems = messages("unit.stop_timeout", service(unit={"timeout-stop-sec": seconds}))
    assert bool(problems) == (words is not None)
    assert all(words in problem for problem in problems)


@pytest.mark.parametrize(
    ("user", "port", "wrong"), [("sglang", 443, True), ("root", 443, False), ("sglang", 1024, False)]
)
def test_privileged_ports(user, port, wrong):
    assert bool(said("unit.privileged_port", service({"port": port}, user=user))) == wrong


@pytest.mark.parametrize(
    ("keys", "count"),
    [
        ({"python": "/root/env/bin/python3"}, 0),
        ({"python": "/root/env/bin/python3", "user": "sglang"}, 1),
        ({"python": "/rooted/bin/python3", "user": "sglang"}, 0),
        ({"working_directory": "/root", "user": "sglang"}, 1),
        ({"flags": {"model-path": "/root/m", "tokenizer-path": "/root/t"}, "user": "sglang"}, 2),
    ],
)
def test_paths_of_root(keys, count):
    assert len(said("unit.path_of_root", service(**keys))) == count


def test_gpu_order_needs_facts_and_two_products():
    mixed = facts(gpus=[{"index": 0, "name": "NVIDIA L4"}, {"index": 1, "name": "NVIDIA H100"}])
    assert len(said("unit.gpu_order", service(gpus=[0], known=mixed))) == 1
    assert said("unit.gpu_order", service(gpus="all", known=mixed)) == []
    assert said("unit.gpu_order", service(gpus=[0])) == []
    assert said("unit.gpu_order", service(gpus=[0], known=facts(gpus=2))) == []


@pytest.mark.parametrize("unit_type", ["exec", "simple"])
def test_start_timeout(unit_type):
    view = service(unit={"type": unit_type, "timeout-start-sec": "90m"})
    (problem,) = said("unit.start_timeout_without_effect", view)
    assert "type " + unit_type in problem.message
    assert problem.help == "write `start: {budget: 1h30m}` instead"
