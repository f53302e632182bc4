"""What is worked out once and used again must be once, and must be that service's own. Counted, never timed."""

from __future__ import annotations

import pytest

from rules import views
from rules.memory.hosts import gpus, host
from sgfleet.memory import device
from sgfleet.rules import arguments
from sgfleet.rules.memory import shared_gpu


@pytest.fixture
def made(monkeypatch):
    found = []

    class Counted(arguments.Arguments):
        def __init__(self, *args):
            found.append(args)
            super().__init__(*args)

    monkeypatch.setattr(arguments, "Arguments", Counted)
    return found


def test_a_hosts_arguments_are_read_once_however_many_services_it_has(made):
    services = [views.service({"port": 20_000 + number}, name=f"s{number}") for number in range(200)]
    for _ in range(3):
        assert [arguments.arguments(view).value("port") for view in services] == [*range(20_000, 20_200)]
    assert len(made) == 200


def test_services_that_are_alike_do_not_ask_for_a_budget_a_pair(monkeypatch):
    asked = []
    real = device.gpu_budget
    flags = {"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": 0.3}
    known = views.facts(gpus=gpus(1), memory={"total-bytes": 2**40})
    _, view = host({f"s{number}": {"flags": {**flags, "port": 20_000 + number}} for number in range(12)}, known)
    monkeypatch.setattr(device, "gpu_budget", lambda *args: asked.append(args) or real(*args))
    found = list(shared_gpu.check(view))
    assert [problem.route[1] for problem in found] == [f"s{number}" for number in range(1, 12)]
    assert len(asked) <= 12
    for problem in found:  # the figures are those of the two alone
        names = [problem.related[0][1], problem.route[1]]
        pair = view._replace(services={name: view.services[name] for name in names})
        (alone,) = shared_gpu.check(pair)
        assert problem._replace(message="") == alone._replace(message="")
        assert problem.message.startswith(alone.message)
