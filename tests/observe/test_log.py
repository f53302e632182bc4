"""Start-up logs of every era, and what people make of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from observe.eras import ERAS, LATER, READY, log
from sgfleet.observe.lines import read_lines
from sgfleet.observe.log import measure

NOW = ERAS[-1]


def read(lines):
    return measure(read_lines(f"{line}\n".encode() for line in lines))


def era(release):
    return next(each for each in ERAS if each.release == release)


@pytest.mark.parametrize("each", ERAS, ids=lambda each: each.release)
@pytest.mark.parametrize("mla", [False, True])
def test_a_start(each, mla):
    found = read(log(each, mla=mla))
    assert found.ready
    assert found.failure is None
    figures = found.figures()
    expected = {
        "ranks": 2,
        "kv-tokens": 100_000,
        "kv-pool-gib": 10.42,
        "free-before-gib-min": 93.5,
        "weights-gib": 64.0,
        "free-after-weights-gib-min": 29.5,
        "graphs-gib": 1.6,
        "free-after-gib-min": 16.0,
        "free-after-gib-max": 16.5,
        "host-pool-gb": 22.38,
        "host-pool-tokens": 200_000,
        "max-running-requests": 48,
        "context-tokens": 32768,
        "load-seconds": 360,
    }
    if not each.pool:
        del expected["kv-pool-gib"]
    if each.host is None:
        del expected["host-pool-gb"]
    if each.host is None or "tokens" not in each.host:
        del expected["host-pool-tokens"]
    if "mem usage" not in each.graph:
        del expected["graphs-gib"]
        expected |= {"free-after-gib-min": 17.5, "free-after-gib-max": 18.0}
    assert figures == expected
    assert found.settings == {"model_path": "/m/x", "tp_size": 2, "mem_fraction_static": 0.8}


@pytest.mark.parametrize("each", ERAS, ids=lambda each: each.release)
def test_the_draft_is_told_apart(each):
    found = read(log(each, draft=True))
    assert found.weights_gib == 64.0
    assert found.draft_weights_gib == 2.0
    assert found.free_before_gib_min == 93.5
    assert found.kv_pool_gib == (10.42 if each.pool else None)
    assert found.draft_pool_gib == (0.2 if each.pool else None)
    assert found.graphs_gib == (1.6 if "mem usage" in each.graph else None)


@pytest.mark.parametrize("each", LATER, ids=lambda each: each.release)
def test_who_says_last_what_is_free(each):
    found = read(log(each, draft=True))
    assert (found.free_after_gib_min, found.free_after_gib_max) == (8.5, 8.5)
    assert "1 of 2 ranks say what is free in the end" in found.notes


def test_one_rank_says_it_in_its_last_line():
    assert read(log(NOW, ranks=1)).free_after_gib_min == 16.4


JOURNAL = "2026-06-10T01:55:00+0000 kimi-01 python3[4711]: "
SYSLOG = "Jun 10 01:55:00 kimi-01 python3[4711]: "


@pytest.mark.parametrize("prefix", [JOURNAL, SYSLOG, "\x1b[32m", "2026-06-10T01:55:00.123456789Z ", "sglang-1  | "])
def test_what_others_put_before_a_line(prefix):
    assert read(log(NOW, prefix=prefix)).figures() == read(log(NOW)).figures()


def test_the_journal_as_json():
    lines = log(NOW)
    as_text = [json.dumps({"MESSAGE": line, "SYSLOG_IDENTIFIER": "python3"}) for line in lines]
    as_bytes = [json.dumps({"MESSAGE": list(f"\x1b[1m{line}\x1b[0m".encode())}) for line in lines]
    docker = [json.dumps({"log": f"{line}\n", "stream": "stderr"}) for line in lines]
    for each in (as_text, as_bytes, docker):
        assert read(each).figures() == read(lines).figures()


@pytest.mark.parametrize("started", ["Jun 10 01:54:30 a systemd[1]: ", "2026-06-10T01:54:30+0000 a systemd[1]: "])
def test_time_counts_from_the_process(started):
    assert read([f"{started}Started x.service - SGLang.", *log(NOW)]).load_seconds == 390


def test_a_clock_of_another_zone_does_not_count():
    assert read(["2026-06-09T23:54:30+0000 a systemd[1]: Started x.service.", *log(NOW)]).load_seconds == 360


def test_milliseconds():
    lines = [
        line.replace("] ", ".123] ", 1).replace(" TP0.123]", ".123 TP0]").replace(" TP1.123]", ".123 TP1]")
        for line in log(NOW)
    ]
    assert read(lines).figures() == read(log(NOW)).figures()


def test_ranks_of_several_kinds():
    lines = [
        line.replace(" TP0]", " DP0 PP0 TP0 EP0]").replace(" TP1]", " DP1 PP1 ATTN_CP1 TP1 EP1]") for line in log(NOW)
    ]
    assert read(lines).figures() == read(log(NOW)).figures()


def test_the_last_complete_start_counts():
    good, better = log(NOW, tokens=1000), log(NOW, tokens=2000)
    bad = [*log(NOW, tokens=3000)[:6], "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."]
    found = read([*good, *better, *bad])
    assert found.kv_tokens == 2000
    assert found.ready
    assert "3 starts, 2 of them complete: the last complete one is taken, and 1 came after it" in found.notes[-1]


def test_a_log_that_lost_its_first_line():
    found = read([*log(NOW, tokens=1000)[1:], *log(NOW, tokens=2000)[1:]])
    assert found.kv_tokens == 2000
    assert found.weights_gib == 64.0


def test_what_comes_after_ready_changes_nothing():
    more = ["[2026-06-10 09:00:00 TP0] Update engine weights online from disk begin. avail mem=1.00 GB",
            "[2026-06-10 09:00:00 TP0] Memory pool end. avail mem=1.00 GB",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."]  # fmt: skip
    assert read([*log(NOW), *more]).figures() == read(log(NOW)).figures()


def test_an_unfinished_start():
    found = read(log(NOW)[:-1])
    assert not found.ready
    assert found.failure is None
    assert found.load_seconds is None
    assert found.kv_tokens == 100_000


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            (
                "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current value: "
                "self.server_args.mem_fraction_static=0.5"
            ),
            "no GPU memory for the KV pool",
        ),
        (
            (
                "ValueError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=0.88. "
                "Raise --mem-fraction-static above 0.912 (minimum viable = 1 - available/pre = 0.9113)."
            ),
            "above 0.912",
        ),
        (
            (
                "ValueError: Not enough host memory available. Requesting 44.77 GB but only have 40.61 GB free. "
                "Please reduce the size of the hierarchical cache."
            ),
            "takes 44.77 GB, and 40.61 GB of host RAM are left",
        ),
        (
            (
                "ValueError: Not enough host memory for DSA indexer hierarchical cache. Requesting 4.00 GB "
                "but only have 1.00 GB free."
            ),
            "takes 4.00 GB, and 1.00 GB",
        ),
        (
            "AssertionError: The host memory should be larger than the device memory with the current protocol",
            "not larger",
        ),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.50 GiB. GPU 3 has", "12.50 GiB could not"),
        ("ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes.", "unequal"),
        ("RuntimeError: Not enough GPU memory for hybrid (mamba/linear-attention) state cache.", "linear-attention"),
        ("Exception: Capture cuda graph failed: CUDA error", "capturing the CUDA graphs failed"),
        ("launch_server.py: error: unrecognized arguments: --no-such sk-made-up", "rejects a flag"),
        (
            "Jun 10 02:00:00 a systemd[1]: x.service: Main process exited, code=killed, status=9/KILL",
            "host RAM ran out",
        ),
        ("Jun 10 02:00:00 a systemd[1]: x.service: Failed with result 'exit-code'.", "no line says why"),
        ("[2026-06-10 02:00:00 TP0] Scheduler hit an exception: Traceback", "no line says why"),
    ],
)
def test_failures(line, said):
    found = read(
        [
            *log(NOW)[:4],
            line,
            "[2026-06-10 02:00:01] Received sigquit from a child process. It usually means the child failed.",
        ]
    )
    assert not found.ready
    assert said in found.failure
    assert found.free_before_gib_min == 93.5, "what was measured before stays"
    assert "sk-made-up" not in str(found)


def test_sliding_windows():
    lines = log(NOW, ranks=1)
    at = next(at for at, line in enumerate(lines) if "KV Cache" in line)
    lines[at : at + 1] = [
        "[2026-06-10 01:59:30] Use sliding window memory pool. full_layer_tokens=100000, swa_layer_tokens=80000",
        "[2026-06-10 01:59:30] SWA KV Cache is allocated. dtype: x, #tokens: 80000, K size: 2.70 GB, V size: 2.70 GB",
        "[2026-06-10 01:59:30] Full KV Cache is allocated. dtype: x, #tokens: 100000, K size: 4.31 GB, V size: 4.31 GB",
        "[2026-06-10 01:59:30] SWAKVPool mem usage: 14.02 GB, swa size: 80000, full size: 100000",
    ]
    found = read(lines)
    assert (found.kv_pool_gib, found.kv_tokens, found.swa_tokens) == (14.02, 100_000, 80_000)


def test_linear_attention_states():
    lines = log(NOW, ranks=1)
    at = next(at for at, line in enumerate(lines) if "KV Cache" in line)
    lines.insert(
        at,
        "[2026-06-10 01:59:30] Mamba Cache is allocated. max_mamba_cache_size: 210, conv_state size: 0.25GB, "
        "ssm_state size: 6.50GB intermediate_ssm_state_cache size: 1.00GB intermediate_conv_window_cache size: 0.05GB ",
    )
    found = read(lines)
    assert (found.state_slots, found.state_pool_gib, found.kv_pool_gib) == (210, 7.8, 10.42)


POST = [
    "Post-capture KV sizing: full_layer_tokens=90000, swa_layer_tokens=0",
    "Post-capture KV sizing: KV cache allocated. dtype: x, #tokens: 90000, KV size: 9.38 GB, avail mem=7.10 GB",
]


def test_address_space_is_no_pool():
    lines = [line.replace("is allocated", "VA upper bound") for line in log(NOW, ranks=1, tokens=90_000)]
    unknown = read(lines)
    assert unknown.kv_pool_gib is None
    assert "address space was set aside" in unknown.notes[0]
    at = next(at for at, line in enumerate(lines) if "max_total_num_tokens" in line)
    lines[at:at] = [f"[2026-06-10 02:00:05] {text}" for text in POST]
    found = read(lines)
    assert (found.kv_pool_gib, found.kv_tokens, found.notes) == (9.38, 90_000, [])


def test_the_draft_after_the_capture():
    lines = [line.replace("is allocated", "VA upper bound") for line in log(NOW, ranks=1, draft=True)]
    draft = "Post-capture KV sizing: draft KV cache allocated. dtype: torch.bfloat16, #tokens: 90000, KV size: 0.17 GB"
    lines[-2:-2] = [f"[2026-06-10 02:00:05] {text}" for text in (*POST, draft)]
    found = read(lines)
    assert (found.kv_pool_gib, found.draft_pool_gib) == (9.38, 0.17)


def test_several_host_pools_of_a_rank_add_up():
    lines = log(NOW, ranks=1)
    lines.insert(-2, "[2026-06-10 02:00:11] Allocating 1.50 GB host memory for DSA indexer (layout=page_first).")
    assert read(lines).host_pool_gb == 23.88


def test_the_ratio_that_the_engine_chose():
    lines = log(NOW)
    text = "HiCache auto-sizing: ratio 2.000 -> 1.437; 41.7 GiB host memory per rank (fraction 0.80, 8 ranks)"
    lines.insert(-2, f"[2026-06-10 02:00:11 TP0] {text}")
    assert read(lines).settings["hicache_ratio"] == 1.437


@pytest.mark.parametrize("lines", [[], [""], ["hello"], ["INFO: 127.0.0.1 GET /health 200"], ["{", "}"]])
def test_nothing_of_an_engine(lines):
    assert read(lines) is None


PIECE = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([line.encode() for each in ERAS for line in log(each, draft=True)]),
    st.sampled_from(
        [b"[2026-02-30 99:00:00 TP0] ", b'{"MESSAGE": [300]}', b'{"MESSAGE": {}}', b"[" * 500, READY.encode()]
    ),
)


@given(st.lists(st.lists(PIECE, max_size=3).map(b"".join), max_size=30))
def test_any_bytes_are_read(lines):
    found = measure(read_lines(lines))
    if found is not None:
        json.dumps(found.facts("2026-06-10T00:00:00Z", "log"))
        assert "sk-made-up" not in str(found)


@given(st.data())
def test_a_cut_log_never_says_more(data):
    lines = log(NOW, draft=True)
    whole = read(lines)
    cut = read(lines[: data.draw(st.integers(0, len(lines)))])
    if cut is not None:
        assert cut.figures().keys() <= whole.figures().keys()
        for name in ("weights_gib", "kv_pool_gib", "kv_tokens"):
            assert getattr(cut, name) in (None, getattr(whole, name))
