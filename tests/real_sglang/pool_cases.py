"""Host pools to try: what the release's own classes are asked to build, and what sgfleet computes for the same."""

from __future__ import annotations

import itertools
import json
import subprocess
from dataclasses import asdict, dataclass, replace

from real_sglang.environments import POOL_WORKER, Environment
from sgfleet.memory.cell import cell_of
from sgfleet.memory.draft import DraftLayers
from sgfleet.memory.host_check import bounded, engine_check
from sgfleet.memory.host_pools import Mirrored, host_pools, total_bytes
from sgfleet.memory.pools import pools_of_tokens
from sgfleet.memory.resolve import Resolved
from sgfleet.memory.settings import Hicache, Settings
from sgfleet.model.layer import Attention, Indexer, LatentAttention, Layer

ROOMY_BYTES = 2**50
WORKER_SECONDS = 240


@dataclass(frozen=True)
class Case:
    """One rank's pools. `row_elements` is how wide the release stores a DSA row: FP8 ones carry their scales."""

    kind: str = "mha"
    tokens: int = 4096
    page_size: int = 1
    dtype: str = "bfloat16"
    layers: int = 4
    heads: int = 8
    head_dim: int = 128
    v_head_dim: int = 128
    kv_lora_rank: int = 512
    qk_rope_head_dim: int = 64
    index_head_dim: int = 128
    row_elements: int = 576
    ratio: float | None = 2.0
    size_gb: int = 0
    layout: str = "page_first"
    available_bytes: int = ROOMY_BYTES
    group_bytes: int | None = None
    ranks: int = 1
    packed_draft_layers: int = 0

    @property
    def mixer(self):
        if self.kind == "mha":
            return Attention(self.heads, self.heads, self.head_dim, self.v_head_dim)
        indexer = Indexer(64, self.index_head_dim, 2048) if self.kind == "dsa" else None
        return LatentAttention(64, 1536, self.kv_lora_rank, 128, self.qk_rope_head_dim, 128, indexer=indexer)


@dataclass(frozen=True)
class Expected:
    """What sgfleet says: device bytes, host pools, and the engine's verdict on them."""

    device_bytes: int
    pools: tuple
    check: object

    @property
    def resident_bytes(self):
        return total_bytes(self.pools)


def expected(release: str, case: Case) -> Expected:
    hicache = Hicache(ratio=case.ratio, size_gb=case.size_gb, layout=case.layout)
    settings = Settings(release=release, hicache=hicache)
    scaled = case.kind == "dsa" and case.row_elements != case.kv_lora_rank + case.qk_rope_head_dim
    resolved = Resolved(
        page_size=case.page_size,
        kv_dtype=case.dtype,
        element_bytes=1 if case.dtype == "fp8_e4m3" else 2,
        sparse_rows_plain=not scaled,
    )
    layers = (Layer(case.mixer, None),) * case.layers
    count = case.packed_draft_layers
    draft = DraftLayers(count, (case.mixer,) * count) if count else None
    cell = cell_of(layers, settings, resolved, draft)
    pools = pools_of_tokens(case.tokens, layers, cell, settings, resolved)
    mirrored = Mirrored(pools, cell, settings, case.page_size, draft_packed=bool(count), draft_layers=count)
    made = host_pools(mirrored, hicache)
    available = bounded(release, case.available_bytes, case.group_bytes)
    return Expected(pools.kv_bytes, made, engine_check(release, made, case.ranks, available, case.ratio))


def ask(environment: Environment, cases: list[Case]) -> list[dict]:
    """What the real classes make of the cases, in one process."""
    run = subprocess.run(
        [environment.python, POOL_WORKER, environment.release],
        input=json.dumps([asdict(case) for case in cases]),
        env=environment.variables,
        cwd=environment.folder,
        capture_output=True,
        text=True,
        timeout=WORKER_SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout)


def shapes(release: str) -> list[Case]:
    """Models that are served, with pages, layouts and KV types; a real server's number of tokens."""
    newer = release == "0.5.23"
    mha_layouts = ["layer_first", "page_first", "page_first_direct", "page_head"]
    found = [
        replace(model, tokens=tokens, page_size=page, dtype=dtype, layout=layout)
        for (tokens, page), model, dtype, layout in itertools.product(
            [(159_277, 1), (40_000, 16), (65_536, 64)],
            [
                Case(layers=80, heads=1),
                Case(layers=28, heads=4),
                Case(layers=2, heads=2, head_dim=16, v_head_dim=16),
            ],
            ["bfloat16", "fp8_e4m3"],
            mha_layouts,
        )
    ]
    found += [Case(head_dim=192, v_head_dim=128, layout=layout) for layout in ("page_first", "page_first_direct")]
    found += [
        Case("mla", tokens=tokens, page_size=page, layers=layers, dtype=dtype, layout=layout)
        for (tokens, page), layers, dtype, layout in itertools.product(
            [(159_277, 1), (60_032, 64)], [61, 27], ["bfloat16", "fp8_e4m3"], mha_layouts[:3]
        )
    ]
    found += [
        Case("dsa", tokens=60_032, page_size=64, layers=layers, dtype=dtype, row_elements=row, layout=layout)
        for layers, (dtype, row), layout in itertools.product(
            [61, 78], [("bfloat16", 576), ("fp8_e4m3", 656)], ["layer_first", "page_first"]
        )
    ]
    if newer:
        found += [replace(case, packed_draft_layers=count) for case in (Case(), Case("mla")) for count in (1, 3)]
        found.append(Case("dsa", tokens=64, page_size=64, packed_draft_layers=1))
    return found


def sizes() -> list[Case]:
    """Ratios and sizes, with tokens on, before and after the end of a page."""
    found = [
        Case(tokens=tokens, page_size=page, ratio=ratio)
        for (tokens, page), ratio in itertools.product(
            [(1000, 1), (1008, 16), (1024, 64)], [1.0, 1.001, 1.5, 2.0, 2.7, 4.0, 4.36, 10.0]
        )
    ]
    found += [
        Case(kind, tokens=1024, page_size=64, ratio=None, size_gb=size)
        for kind, size in itertools.product(["mha", "mla", "dsa"], [1, 2, 30])
    ]
    found.append(Case(tokens=1024, page_size=64, ratio=4.0, size_gb=1))  # the size wins
    return found
