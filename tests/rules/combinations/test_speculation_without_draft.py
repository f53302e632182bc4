"""EAGLE without a draft model, by what is known of the target."""

from __future__ import annotations

import pytest

from rules.memory.hosts import gpus, one
from rules.said import said
from rules.views import facts, service
from sgfleet.findings import Severity

KNOWN = facts(gpus=gpus(8, "NVIDIA H200", 143771, "9.0"), memory={"total-bytes": 2**41})


def _found(model, release, **flags):
    flags = {key.replace("_", "-"): value for key, value in flags.items()}
    view = one({"model-path": model, "tp-size": 8, "speculative-algorithm": "EAGLE", **flags}, KNOWN, release=release)
    return said("combinations.speculation_without_draft", view)


@pytest.mark.parametrize("release", ["0.5.9", "0.5.12", "0.5.18", "0.5.23"])
@pytest.mark.parametrize(
    ("model", "flags", "found"),
    [
        ("Qwen/Qwen3-32B", {}, True),
        ("Qwen/Qwen3-32B", {"speculative_algorithm": "NEXTN"}, True),
        ("Qwen/Qwen3-30B-A3B", {}, True),
        ("meta-llama/Meta-Llama-3.1-70B", {}, True),
        ("Qwen/Qwen3-32B", {"speculative_draft_model_path": "/srv/models/draft"}, False),
        # What other rules judge.
        ("Qwen/Qwen3-32B", {"speculative_algorithm": "EAGLE3"}, False),
        ("Qwen/Qwen3-32B", {"speculative_algorithm": "NGRAM"}, False),
        # Layers of their own.
        ("deepseek-ai/DeepSeek-V3", {}, False),
        ("Qwen/Qwen3.5-27B", {}, False),
        ("zai-org/GLM-5", {}, False),
        # An architecture that may have them.
        ("XiaomiMiMo/MiMo-V2-Flash", {}, False),
        ("/models/nobody-knows", {}, False),
    ],
)
def test_who_is_told(model, flags, found, release):
    assert bool(_found(model, release, **flags)) is found


@pytest.mark.parametrize(
    ("algorithm", "release", "found"),
    [
        ("DSPARK", "0.5.16", True),
        ("FROZEN_KV_MTP", "0.5.12", True),
        ("STANDALONE", "0.5.9", True),
        ("NGRAM", "0.5.9", False),
    ],
)
def test_algorithms_that_need_a_draft_whatever_the_model(algorithm, release, found):
    view = service({"speculative-algorithm": algorithm}, release=release)
    problems = [each for each in said("combinations.speculation_conflict", view) if "draft-model" in each.message]
    assert [each.severity for each in problems] == ([Severity.WARNING] if found else [])


V3 = "deepseek-ai/DeepSeek-V3"


@pytest.mark.parametrize(
    ("release", "model", "flags", "severities"),
    [
        ("0.4.1.post4", "Qwen/Qwen3-32B", {}, [Severity.ERROR]),
        ("0.4.5", "Qwen/Qwen3-32B", {}, [Severity.ERROR]),
        ("0.4.5", "/models/nobody-knows", {}, [Severity.ERROR]),
        ("0.4.5", V3, {"speculative_algorithm": "NEXTN"}, [Severity.ERROR]),
        ("0.4.5", V3, {"speculative_draft_model_path": "/srv/models/draft"}, []),
        ("0.4.6.post2", V3, {}, []),
        ("0.4.6.post2", "Qwen/Qwen3-32B", {}, [Severity.ERROR]),
        ("0.4.6.post2", "/models/nobody-knows", {}, []),
        ("0.4.6.post3", "Qwen/Qwen3-32B", {}, [None]),
        ("0.4.6.post3", V3, {}, []),
    ],
)
def test_releases_that_take_nothing_in_its_place(release, model, flags, severities):
    assert [each.severity for each in _found(model, release, **flags)] == severities
