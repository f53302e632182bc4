"""Start-up logs in the form of each era, with figures of our own.

The forms were read from the releases' packages; `test_releases` holds the reader against those packages themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

READY = "The server is fired up and ready to roll!"


@dataclass(frozen=True)
class Era:
    """How a release prints a start."""

    release: str
    load_end: str = (
        "elapsed=300.10 s, type=ModelForCausalLM, quant=fp8, avail mem={after:.2f} GB, mem usage={used:.2f} GB."
    )
    pool: str = "KV Cache is allocated. dtype: torch.bfloat16, #tokens: {tokens}, {size}"
    graph: str = (
        "Capture {role}decode CUDA graph end. bs=[1, 2], elapsed=9.10 s, "
        "mem usage={used:.2f} GB, avail mem={after:.2f} GB."
    )
    host: str | None = "Allocating kv hierarchical KV host pool: {tokens} tokens, {gb:.2f} GB host memory."
    settings: str = (
        "server_args={'model_path': '/m/x', 'api_key': 'sk-made-up', 'tp_size': 2, 'mem_fraction_static': 0.8}"
    )
    summary: str = (
        "max_total_num_tokens={tokens}, chunked_prefill_size=8192, max_prefill_tokens=16384, "
        "max_running_requests=48, context_len=32768, available_gpu_mem={free:.2f} GB"
    )
    split: bool = True
    """Draft weights are loaded before the pools of both."""


OLD_SETTINGS = "server_args=ServerArgs(model_path='/m/x', api_key='sk-made-up', tp_size=2, mem_fraction_static=0.8)"
OLD_HOST = "Allocating {gb:.2f} GB host memory for hierarchical KV cache."
OLD_END = "type=ModelForCausalLM, dtype=torch.bfloat16, avail mem={after:.2f} GB, mem usage={used:.2f} GB."
OLD_GRAPH = "Capture {role}cuda graph end. Time elapsed: 9.10 s. mem usage={used:.2f} GB. avail mem={after:.2f} GB."
PLAIN_SUMMARY = "max_total_num_tokens={tokens}, max_prefill_tokens=16384, max_running_requests=48, context_len=32768"
ERAS = [
    Era(
        "0.4.0",
        "type=ModelForCausalLM, dtype=torch.bfloat16, avail mem={after:.2f} GB",
        "",
        "Capture {role}cuda graph end. Time elapsed: 9.10 s",
        None,
        OLD_SETTINGS,
        PLAIN_SUMMARY,
        False,
    ),
    Era(
        "0.4.3",
        "type=ModelForCausalLM, dtype=torch.bfloat16, avail mem={after:.2f} GB",
        "KV Cache is allocated. {size}.",
        "Capture {role}cuda graph end. Time elapsed: 9.10 s",
        OLD_HOST,
        OLD_SETTINGS,
        "max_total_num_tokens={tokens}, chunked_prefill_size=8192, max_prefill_tokens=16384, "
        "max_running_requests=48, context_len=32768",
        False,
    ),
    Era(
        "0.4.6",
        OLD_END,
        "KV Cache is allocated. #tokens: {tokens}, {size}",
        "Capture {role}cuda graph end. Time elapsed: 9.10 s. avail mem={after:.2f} GB. mem usage={used:.2f} GB.",
        OLD_HOST,
        OLD_SETTINGS,
        "max_total_num_tokens={tokens}, chunked_prefill_size=8192, max_prefill_tokens=16384, "
        "max_running_requests=48, context_len=32768",
        False,
    ),
    *(
        Era(
            release,
            OLD_END if release < "0.5.9" else f"elapsed=300.10 s, {OLD_END}",
            "KV Cache is allocated. #tokens: {tokens}, {size}",
            OLD_GRAPH if release < "0.5.3" else OLD_GRAPH.replace("cuda", "CUDA"),
            OLD_HOST,
            OLD_SETTINGS,
            split=False,
        )
        for release in ("0.4.9", "0.5.1", "0.5.3", "0.5.9")
    ),
    Era("0.5.12", pool="KV Cache is allocated. #tokens: {tokens}, {size}", graph=OLD_GRAPH, host=OLD_HOST, split=False),
    Era("0.5.15", host=OLD_HOST, settings=OLD_SETTINGS),
    Era("0.5.18", settings=OLD_SETTINGS),
    Era("0.5.20"),
    Era("0.5.23"),
]
LATER = [era for era in ERAS if era.split]


def log(
    era: Era, ranks: int = 2, *, draft: bool = False, mla: bool = False, prefix: str = "", tokens: int = 100_000
) -> list[str]:
    """The lines of a start that comes up. Rank 1 has 0.5 GiB less than rank 0 all along."""
    lines = [f"{prefix}[2026-06-10 01:55:00] {era.settings}"]
    names = [f" TP{rank}" for rank in range(ranks)] if ranks > 1 else [""]

    def say(rank: int, moment: str, text: str) -> None:
        lines.append(f"{prefix}[2026-06-10 {moment}{names[rank]}] {text}")

    def load(of_draft: bool) -> None:
        for rank in range(ranks):
            before, used = (30.0, 2.0) if of_draft else (94.0, 64.0)
            before -= 0.5 * rank
            say(rank, "01:55:20", f"Load weight begin. avail mem={before:.2f} GB")
            end = era.load_end.format(after=before - used, used=used)
            say(rank, "01:59:20", f"Load weight end. {end}")

    def pools(of_draft: bool) -> None:
        for rank in range(ranks):
            size = "KV size: 10.42 GB" if mla else "K size: 5.21 GB, V size: 5.21 GB"
            size = "K size: 0.10 GB, V size: 0.10 GB" if of_draft else size
            if era.pool:
                say(rank, "01:59:30", era.pool.format(tokens=tokens, size=size))
            free = (8.8 if of_draft else 18.0) - 0.5 * rank
            say(rank, "01:59:31", f"Memory pool end. avail mem={free:.2f} GB")

    def graphs(of_draft: bool) -> None:
        role = "draft " if of_draft else "target " if era.split else ""
        for rank in range(1 if of_draft and era.split else ranks):
            used, free = (0.25, 8.5) if of_draft else (1.5 + rank / 10, 16.5)
            say(rank, "02:00:00", era.graph.format(role=role, used=used, after=free - 0.5 * rank))

    models = (False, True) if draft else (False,)
    if era.split:
        steps = [(step, of_draft) for step in (load, pools, graphs) for of_draft in models]
    else:
        steps = [(step, of_draft) for of_draft in models for step in (load, pools, graphs)]
    for step, of_draft in steps:
        step(of_draft)
    for rank in range(ranks if era.host else 0):
        say(rank, "02:00:10", era.host.format(tokens=2 * tokens, gb=22.38))
    say(0, "02:00:20", era.summary.format(tokens=tokens, free=16.4))
    lines.append(f"{prefix}[2026-06-10 02:01:00] {READY}")
    return lines
