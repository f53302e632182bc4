"""Run by a release's own Python: JSON cases on standard input, what its real host pool classes make of each on output.

The device pool is the release's own class on torch's meta device: shapes without storage, so pools of a real server's
size cost nothing. Replaced are the allocation (counted, not made), the RAM that psutil says is free, the control
group's bound and the number of ranks.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
from types import SimpleNamespace
from typing import ClassVar

import psutil
import torch

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "fp8_e4m3": torch.float8_e4m3fn}

torch.get_device_module = lambda device=None: torch.cpu  # torch has no module of the meta device


class Machine:
    """The RAM of the case at hand, and what was allocated of it since the case began."""

    available = 0
    group = None
    ranks = 1
    taken: ClassVar[list[int]] = []

    @classmethod
    def allocate(cls, dims, dtype, device=None, **_others):
        buffer = torch.empty(dims, dtype=dtype, device="meta")
        cls.taken.append(buffer.numel() * buffer.element_size())
        return buffer

    @classmethod
    def virtual_memory(cls):
        return SimpleNamespace(available=cls.available - sum(cls.taken))

    @classmethod
    def headroom(cls):
        return None if cls.group is None else cls.group - sum(cls.taken)


psutil.virtual_memory = Machine.virtual_memory


class Lines(logging.Handler):
    """What the release logs."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def device_pool(pools, case):
    common = {
        "size": case["tokens"],
        "page_size": case["page_size"],
        "dtype": DTYPES[case["dtype"]],
        "layer_num": case["layers"],
        "device": "meta",
        "enable_memory_saver": False,
    }
    if case["kind"] == "mha":
        widths = {"head_num": case["heads"], "head_dim": case["head_dim"], "v_head_dim": case["v_head_dim"]}
        return pools.MHATokenToKVPool(**common, **widths)
    common |= {"kv_lora_rank": case["kv_lora_rank"], "qk_rope_head_dim": case["qk_rope_head_dim"]}
    if case["kind"] == "mla":
        return pools.MLATokenToKVPool(**common)
    sparse = getattr(pools, "DSATokenToKVPool", None) or pools.NSATokenToKVPool
    return sparse(**common, index_head_dim=case["index_head_dim"], kv_cache_dim=case["row_elements"])


class Release0509:
    """Host pools as `HiRadixCache` makes them."""

    def __init__(self):
        from sglang.srt.mem_cache import memory_pool, memory_pool_host

        self.pools, self.host = memory_pool, memory_pool_host
        memory_pool_host.ALLOC_MEMORY_FUNCS["meta"] = Machine.allocate

    def build(self, case, device):
        names = {"mha": "MHATokenToKVPoolHost", "mla": "MLATokenToKVPoolHost", "dsa": "NSATokenToKVPoolHost"}
        return [
            getattr(self.host, names[case["kind"]])(
                device, case["ratio"] or 0.0, case["size_gb"], case["page_size"], case["layout"]
            )
        ]


class Release0523:
    """Host pools as the assembler makes them: KV first, then DSA index keys."""

    def __init__(self):
        from sglang.srt.mem_cache import host_memory, memory_pool
        from sglang.srt.mem_cache.hybrid_cache import hybrid_pool_assembler
        from sglang.srt.mem_cache.pool_host import base, common, dsa

        self.pools, self.assembler, self.common, self.dsa = memory_pool, hybrid_pool_assembler, common, dsa
        common.ALLOC_MEMORY_FUNCS["meta"] = Machine.allocate
        host_memory._cgroup_memory_headroom = Machine.headroom
        base.ranks_per_host = lambda: Machine.ranks
        parallel = SimpleNamespace(dcp_enabled=False, attn_dcp_size=1, attn_dcp_rank=0)
        hybrid_pool_assembler.get_parallel = memory_pool.get_parallel = lambda: parallel

    def build(self, case, device):
        settings = SimpleNamespace(
            hicache_ratio=case["ratio"],
            hicache_size=case["size_gb"],
            hicache_mem_layout=case["layout"],
            hicache_storage_backend=None,
            hicache_storage_backend_extra_config=None,
        )
        self.assembler.get_memory = self.common.get_memory = lambda: settings
        drafts = tuple(device_pool(self.pools, {**case, "layers": 1}) for _ in range(case["packed_draft_layers"]))
        made = [
            self.assembler.build_kv_host_pool(
                kv_pool=device, page_size=case["page_size"], mtp_draft_device_pools=drafts
            )
        ]
        if case["kind"] == "dsa":
            made.append(
                self.dsa.DSAIndexerPoolHost(
                    decl=self.dsa.make_dsa_indexer_pool_decl(device),
                    anchor_host=made[0],
                    packed_draft_device_pools=drafts,
                )
            )
        return made


def answer(release, case, log):
    Machine.available, Machine.group, Machine.ranks = case["available_bytes"], case["group_bytes"], case["ranks"]
    Machine.taken, log.lines = [], []
    device = device_pool(release.pools, case)
    sizes = device.get_kv_size_bytes()
    said = {"device_bytes": int(sum(sizes)) if isinstance(sizes, tuple) else int(sizes)}
    try:
        made = release.build(case, device)
    except (ValueError, AssertionError) as error:
        return said | {"error": type(error).__name__, "message": str(error), "log": log.lines}
    pools = [{"tokens": int(pool.size), "token_bytes": int(pool.size_per_token)} for pool in made]
    return said | {"pools": pools, "allocated_bytes": sum(Machine.taken), "log": log.lines}


def main():
    cases = json.load(sys.stdin)
    log = Lines()
    with contextlib.redirect_stdout(sys.stderr):
        release = {"0.5.9": Release0509, "0.5.23": Release0523}[sys.argv[1]]()
        logger = logging.getLogger("sglang")
        logger.setLevel(logging.INFO)
        logger.addHandler(log)
        answers = [answer(release, case, log) for case in cases]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
