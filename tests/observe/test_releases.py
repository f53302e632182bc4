"""The reader of logs held against the releases themselves: every line of theirs that tells memory is understood.

The templates are read from the packages' syntax trees, and filled with figures.
"""

from __future__ import annotations

import ast
import re
import zipfile
from itertools import chain

import pytest

from oracle.wheels import wheel
from sgfleet.observe.failures import failure_in
from sgfleet.observe.figures import RankFigures
from sgfleet.observe.lines import Line
from sgfleet.observe.log import READY, Start

pytestmark = pytest.mark.oracle

RELEASES = (
    "0.4.0 0.4.3 0.4.6 0.4.9 0.5.1 0.5.3 0.5.9 0.5.12 0.5.15 0.5.16 0.5.18 0.5.20 0.5.23".split()  # noqa: SIM905 - a row
)
MODULES = re.compile(r"sglang/srt/(?:model_executor|mem_cache|managers|speculative|entrypoints|server)")
TELLS = re.compile(
    r"Load weight|Memory pool end|KV Cache(?: is|.?\{)|\{cache_name\}|Mamba Cache is|Capture .* end|"
    r"(?:Use|sizing:).*(?:full|swa)_layer_tokens|KV cache allocated|sizing: max_total|^max_total_num_tokens=|"
    r"GB host memory|Not enough (?:GPU |host )?memory|Loaded weights|unbalanced|fired up"
)
KNOWN = re.compile(
    r"Committed real weights|allocator-only|Frozen-KV MTP|Not enough host memory for request|"
    r"Capture (?:\{.*\}|cuda) ?graph end\. Time elapsed: \{.*\} s$"
)
"""Lines that tell no memory of a rank: an overlap's times, a pool without memory, graphs without figures, a request."""


def template(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            each.value if isinstance(each, ast.Constant) else "{" + ast.unparse(each.value) + "}"
            for each in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return f"{template(node.left)}{template(node.right)}"
    return ""


def templates(release):
    with zipfile.ZipFile(wheel(release)) as archive:
        for name in archive.namelist():
            if MODULES.match(name) and name.endswith(".py"):
                for node in ast.walk(ast.parse(archive.read(name))):
                    if isinstance(node, ast.Call):
                        for text in map(template, node.args[:2]):
                            if TELLS.search(text) and not KNOWN.search(text) and "begin" not in text.partition(".")[0]:
                                yield text


FILLED = (
    (r"\{[^{}]*'VA upper bound'[^{}]*\}", "is allocated"),
    (r"\{cache_name\}", "Full KV Cache"),
    (r"\{[^{}]*(?:cpu graph|graph_backend)[^{}]*\}", "CUDA graph"),
    (r"\{capture_name\}", "target decode"),
    (r"\{[^{}]*available_cpu_mem[^{}]*\}", "available_gpu_mem"),
    (r"\{[^{}]*quant_str[^{}]*\}", "quant=fp8, "),
    (r"\{[^{}]*dtype[^{}]*\}", "torch.bfloat16"),
    (r"\{[^{}]*__name__[^{}]*\}", "Model"),
    (r"(?<=[ =])(?:\{[^{}]*\}|%\.\df)(?= ?(?:GB|s\b))", "1.25"),
    (r"%\.\df", "1.25"),
    (r"%s", "kv"),
    (r"\{[^{}]*\}|%d", "1234"),
)


def filled(text):
    for pattern, value in FILLED:
        text = re.sub(pattern, value, text)
    return " ".join(text.split())


@pytest.mark.parametrize("release", RELEASES)
def test_every_line_that_tells_memory_is_understood(release):
    found = set(templates(release))
    assert READY in found
    assert len(found) >= (6 if release == "0.4.0" else 8)
    unread = []
    for text in map(filled, found):
        start = Start()
        start.take(Line(text))
        if not (RankFigures().take(text) or start.told or start.measured.ready or failure_in(text)):
            unread.append(text)
    assert not unread, "\n".join(chain(["lines that nothing reads:"], sorted(unread)))
