"""What the budget promises, of the hosts that this repository ships and of changes to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgfleet.agent.promise import KvTokens, promise_of
from sgfleet.engine import store
from sgfleet.fleet.workspace import Workspace
from sgfleet.memory.of_host import HostMemory
from sgfleet.spec.models.facts import Facts
from sgfleet.spec.models.fleet import Policy
from sgfleet.spec.models.service import Service

ROOT = Path(__file__).parents[2]
WORKSPACE = Workspace(ROOT)


def promised(host, name, *, known=True, facts=True, **flags):
    """The promise with some flags set otherwise; `known` says whether its release has a flag schema."""
    spec = WORKSPACE.repository.host(host)
    service = spec.services[name].service
    given = {key.replace("_", "-"): value for key, value in flags.items()}
    service = service.model_copy(update={"flags": {**service.flags, **given}})
    release_of = WORKSPACE.release if known else lambda _: None
    read = spec.facts if facts else None
    memory = HostMemory({name: service}, release_of, read, WORKSPACE.repository.fleet.policy, ROOT)
    return promise_of(name, service, release_of(service.release), memory)


def test_an_observed_service():
    found = promised("kimi-01", "sglang-kimi")
    assert found.release == "0.5.9"
    assert found.kv_tokens == KvTokens(159_277, 0, "measured")
    assert found.host_pool_bytes == 8 * found.host_pool_rank_bytes == 358_167_389_184
    assert found.settings["tp_size"] == 8
    assert found.settings["hicache_ratio"] == 4.0
    assert found.settings["model_path"] == "/shared/kimi-k2.5-int4"
    assert (found.serves, found.unknown) == (True, ())
    assert found.weight_bytes > 500 * 10**9


def test_an_estimate_has_its_error():
    found = promised("mixed-01", "sglang-draft").kv_tokens
    assert found.origin == "estimated"
    assert 0 < found.error < found.count


def test_a_cap_that_surely_fits_is_exact():
    free = promised("mixed-01", "sglang-draft").kv_tokens
    capped = promised("mixed-01", "sglang-draft", max_total_tokens=10_000).kv_tokens
    assert capped == KvTokens(10_000, 0, "exact")
    edge = promised("mixed-01", "sglang-draft", max_total_tokens=free.count).kv_tokens
    assert (edge.origin, edge.error) == ("estimated", free.error)
    between = promised("mixed-01", "sglang-draft", max_total_tokens=free.count - free.error // 2).kv_tokens
    assert between.origin == "estimated"
    assert 0 < between.error < free.error


def test_a_cap_on_a_card_of_which_only_a_start_told_what_is_free():
    """Without the start there is no budget to hold the cap against."""
    observed = {"release": "0.5.9", "free-before-gib-min": 70.0}
    gpus = [{"index": 0, "name": "a card that nobody knows"}]
    facts = Facts.model_validate({"format": 1, "host": "h", "gpus": gpus, "observed": {"a": observed}})
    flags = {"model-path": "Qwen/Qwen3-8B", "mem-fraction-static": 0.8, "max-total-tokens": 10_000}
    service = Service.model_validate({"release": "0.5.9", "python": "/opt/python3", "flags": flags})
    memory = HostMemory({"a": service}, store.load, facts, Policy(), None)
    assert promise_of("a", service, store.load("0.5.9"), memory).kv_tokens.count == 10_000


def test_no_host_tier_promises_no_host_pool():
    found = promised("mixed-01", "sglang-draft")
    assert (found.host_pool_rank_bytes, found.host_pool_bytes) == (0, 0)


@pytest.mark.parametrize(
    ("host", "name", "changes", "said"),
    [
        ("kimi-01", "sglang-kimi", {"known": False}, "the flag schema of SGLang 0.5.9 is missing or cannot be used"),
        ("mixed-01", "sglang-draft", {"model_path": "/srv/models/nobody-knows"}, "not promised: "),
        ("mixed-01", "sglang-draft", {"facts": False}, "not promised: "),
    ],
)
def test_what_cannot_be_computed_is_said(host, name, changes, said):
    found = promised(host, name, **changes)
    assert found.kv_tokens is None
    (why,) = found.unknown
    assert said in why


def test_only_the_first_host_of_a_group_serves():
    assert not promised("kimi-01", "sglang-kimi", node_rank=1).serves
    assert promised("kimi-01", "sglang-kimi", node_rank=0).serves


def test_the_names_are_those_of_every_release():
    """`settings` are compared by the field names of the info endpoint: each exists where its flag does."""
    for version in store.available():
        release = store.load(version)
        names = {release.renamed.get(flag.dest, flag.dest) for flag in release.flags}
        assert {"tp_size", "context_length", "model_path"} <= names, version
        assert ("pp_size" in names) == any("pipeline-parallel-size" in flag.names for flag in release.flags), version
