"""Random command lines, each with a card and a model, and what our rules make of them: memory fraction and page size.

`choices.json` has what the releases' own start-up makes of some of them, for the tests without wheels. It is written by
`make record-oracle`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

from sgfleet.engine.argv.outcome import Parsed
from sgfleet.engine.argv.parse import parse
from sgfleet.memory.flags import from_namespace
from sgfleet.memory.fraction import fraction
from sgfleet.memory.hardware import Hardware
from sgfleet.memory.resolve import resolve
from sgfleet.model.find import find
from sgfleet.model.shape import Vision

RECORD = Path(__file__).with_name("choices.json")
CARDS = (12_288, 16_384, 24_576, 32_607, 46_068, 49_140, 81_559, 81_920, 97_887, 143_771, 183_359, 275_040)
CAPABILITIES = ((8, 6), (9, 0), (10, 0), (12, 0))
TOWERS = (None, None, None, (27, 1152), (24, 1024), (32, 1280), (63, 4096))
FLAGS = (
    [["--tp-size", str(ranks)] for ranks in (1, 2, 4, 8, 16)]
    + [["--tp-size", "8", "--dp-size", str(groups), "--enable-dp-attention"] for groups in (2, 8)]
    + [["--tp-size", "4", "--pp-size", "2"]]
)
PAGED = ("flashmla", "cutlass_mla", "trtllm_mla", "trtllm_mha")
MORE = (
    *[["--chunked-prefill-size", size] for size in ("2048", "4096", "16384", "-1")],
    *[["--cuda-graph-max-bs", size] for size in ("8", "256", "512")],
    *[["--cuda-graph-max-bs-decode", size] for size in ("8", "256")],
    *[["--max-running-requests", size] for size in ("4", "48", "4096")],
    *[["--disaggregation-mode", role] for role in ("prefill", "decode")],
    ["--disable-cuda-graph"],
    ["--cuda-graph-bs", "1", "2", "100"],
    ["--cuda-graph-bs-decode", "1", "2", "100"],
    ["--cuda-graph-bs-prefill", "16", "32"],
    *[["--context-length", size] for size in ("1024", "40000")],
    *[["--piecewise-cuda-graph-max-tokens", size] for size in ("1024", "8192")],
    *[["--cuda-graph-max-bs-prefill", size] for size in ("1024", "8192")],
    *[["--cuda-graph-backend-prefill", backend] for backend in ("breakable", "tc_piecewise", "disabled")],
    ["--piecewise-cuda-graph-tokens", "16", "32"],
    ["--enable-lora", "--max-lora-rank", "8", "--lora-target-modules", "all"],
    ["--enable-two-batch-overlap"],
    *[["--page-size", size] for size in ("1", "16", "64")],
    *[["--attention-backend", name] for name in ("flashinfer", "fa3", "triton", *PAGED)],
    *[["--decode-attention-backend", name] for name in ("flashinfer", *PAGED)],
    *[["--prefill-attention-backend", name] for name in ("flashinfer", "fa4", "trtllm_mha")],
    ["--kv-cache-dtype", "fp8_e4m3"],
    ["--enable-piecewise-cuda-graph"],
    ["--disable-piecewise-cuda-graph"],
    ["--enforce-piecewise-cuda-graph"],
    ["--disable-prefill-cuda-graph"],
    ["--max-total-tokens", "4096"],
    ["--language-only"],
    ["--enable-torch-compile"],
    ["--enable-hierarchical-cache"],
    ["--moe-a2a-backend", "deepep"],
    ["--speculative-algorithm", "NGRAM"],
    *[
        ["--speculative-algorithm", algorithm, "--speculative-draft-model-path", "d/x", "--speculative-num-steps", "3",
         "--speculative-eagle-topk", "1", "--speculative-num-draft-tokens", "4"]
        for algorithm in ("EAGLE", "EAGLE3", "STANDALONE")
    ],
)  # fmt: skip


def cases(seed, count):
    """So many cases; a release may not take the flags of all of them."""
    chance = Random(seed)
    made = []
    for _ in range(count):
        words = [*chance.choice(FLAGS)]
        for extra in chance.sample(MORE, chance.choice((0, 1, 1, 2, 3))):
            words += extra
        made.append(
            {
                "words": words,
                "memory_mib": chance.choice(CARDS),
                "capability": chance.choice(CAPABILITIES),
                "latent": chance.random() < 0.4,
                "tower": chance.choice(TOWERS),
            }
        )
    return made


def takes(release, case):
    """Whether the release has the flags of a case."""
    return isinstance(parse(release, ["--model-path", "m/x", *case["words"]]), Parsed)


def shape_of(case):
    """Our description of the model that the worker pretends."""
    dense = find("meta-llama/Meta-Llama-3.1-8B", local=False).shape
    tower = case["tower"]
    vision = None if tower is None else Vision(*tower, 16, 4304, config_layers=tower[0], config_hidden_size=tower[1])
    latent = find("deepseek-ai/DeepSeek-V3", local=False).shape
    return replace(latent if case["latent"] else dense, quantisation=None, vision=vision)


def ours(release, case):
    """Fraction and page size by our rules."""
    outcome = parse(release, ["--model-path", "m/x", *case["words"]])
    settings = from_namespace(release.version, outcome.namespace)
    shape, hardware = shape_of(case), Hardware("a card", 8, case["memory_mib"], tuple(case["capability"]))
    return [fraction(settings, shape, hardware).value, resolve(settings, shape, hardware).page_size]


def agree(mine, answer):
    """Whether two pairs are the same; a release that leaves the page size open means 1."""
    return abs(mine[0] - answer[0]) < 1e-6 and mine[1] == (answer[1] or 1)


RECORDED = cases("recorded", 150)
"""The cases of `choices.json`, in its order."""


def recorded():
    """Index of a case -> [[first release, last release, [fraction, page size] or null], ...]."""
    return json.loads(RECORD.read_text())
