"""Why a model is not known: `check` says what `memory` says."""

from __future__ import annotations

import pytest

from rules.memory.hosts import gpus, one
from rules.said import said
from rules.views import facts
from sgfleet.memory.of_host import Unknown


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (
            "/srv/models/DeepSeek-V3.1",
            "could be one of several models: deepseek-ai/DeepSeek-V3, deepseek-ai/DeepSeek-V3.2",
        ),
        ("/srv/models/somebodys-finetune", "is a model of which nothing is known"),
        ("org/unknown", "is a model of which nothing is known"),
    ],
)
def test_the_reason_is_the_one_of_the_budget(path, reason):
    view = one({"model-path": path}, facts(gpus=gpus(1), memory={"total-bytes": 2**38}))
    (problem,) = said("memory.memory_not_checked", view)
    unknown = view.memory().budget("example")
    assert isinstance(unknown, Unknown)
    assert problem.message.endswith(unknown.message)
    assert f"{path}: {reason}" in problem.message
    assert problem.help == unknown.help


def test_a_path_that_a_terminal_would_act_on_is_quoted():
    path = "/srv/models/\x1b[31mred"
    view = one({"model-path": path}, facts(gpus=gpus(1), memory={"total-bytes": 2**38}))
    (problem,) = said("memory.memory_not_checked", view)
    assert problem.message.isprintable()
