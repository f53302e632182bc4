"""Services for the tests of the arithmetic: a release, a model of the repository's facts, flags, a card."""

from __future__ import annotations

from functools import lru_cache

from sgfleet.engine import store
from sgfleet.memory.cell import cell_of
from sgfleet.memory.device import Load, gpu_budget, parallel_of
from sgfleet.memory.draft import draft_layers
from sgfleet.memory.flags import settings_of
from sgfleet.memory.fraction import fraction
from sgfleet.memory.hardware import Hardware
from sgfleet.memory.host_pools import Mirrored, host_pools
from sgfleet.memory.pools import pools_of_tokens
from sgfleet.memory.resolve import resolve
from sgfleet.model.find import find

KIMI = "moonshotai/Kimi-K2.5"
LLAMA = "meta-llama/Meta-Llama-3.1-70B"
RTX_PRO = Hardware("NVIDIA RTX PRO 6000 Blackwell", 8, 97_887, (12, 0))
H100 = Hardware("NVIDIA H100 80GB HBM3", 8, 81_559, (9, 0))
B200 = Hardware("NVIDIA B200", 8, 183_359, (10, 0))
KIMI_TOKENS = 159_277
"""KV tokens that the start-up log of the machine in hosts/kimi-01 printed."""


@lru_cache(maxsize=64)
def model(name):
    return find(name, local=False)


def settings(release="0.5.9", name=KIMI, environment=None, **flags):
    """Settings from flags; `tp_size=8` is --tp-size 8."""
    spelled = {flag.replace("_", "-"): value for flag, value in flags.items()}
    return settings_of(store.load(release), {"model-path": name, **spelled}, environment)


def load_of(of, name):
    """What the service puts on a rank."""
    found = model(name)
    weights = found.weights(parallel_of(of))
    return Load(found.shape, weights, draft_layers(of, found.shape, weights))


def budget(release="0.5.9", name=KIMI, hardware=RTX_PRO, observed=None, **flags):
    of = settings(release, name, **flags)
    return gpu_budget(of, load_of(of, name), hardware, observed)


def default_fraction(release, name, hardware=RTX_PRO, **flags):
    of = settings(release, name, **flags)
    found = fraction(of, model(name).shape, hardware)
    return None if found is None else found.value


def cell(release, name, hardware=RTX_PRO, **flags):
    of = settings(release, name, **flags)
    shape = model(name).shape
    return cell_of(shape.layers, of, resolve(of, shape, hardware), load_of(of, name).draft)


def mirrored(release, name=KIMI, tokens=KIMI_TOKENS, hardware=RTX_PRO, packed=False, **flags):
    """What one rank's device pools of so many tokens put before its host pools."""
    of = settings(release, name, enable_hierarchical_cache=True, **flags)
    shape = model(name).shape
    resolved = resolve(of, shape, hardware)
    draft = load_of(of, name).draft
    rows = cell_of(shape.layers, of, resolved, draft)
    pools = pools_of_tokens(tokens, shape.layers, rows, of, resolved)
    return Mirrored(pools, rows, of, resolved.page_size, packed, draft.count if draft is not None else 0)


def rank_pools(release, name=KIMI, tokens=KIMI_TOKENS, hardware=RTX_PRO, packed=False, **flags):
    """The host pools of one rank whose device pool has so many tokens, by name."""
    of = mirrored(release, name, tokens, hardware, packed, **flags)
    return {pool.name: pool for pool in host_pools(of, of.settings.hicache)}
