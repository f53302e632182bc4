"""Sizes of CUDA graphs without graphs, under the names that releases give the sizes and the switches."""

from __future__ import annotations

import pytest

from rules.said import messages
from rules.views import service

OFF = "has no effect without CUDA graphs, which"


@pytest.mark.parametrize(
    ("release", "flags", "said"),
    [
        ("0.5.12", {"cuda-graph-max-bs": 8, "disable-cuda-graph": True}, ["disable-cuda-graph"]),
        ("0.5.16", {"cuda-graph-max-bs": 8, "disable-cuda-graph": True}, ["disable-cuda-graph"]),
        ("0.5.23", {"cuda-graph-max-bs-decode": 8, "disable-cuda-graph": True}, ["disable-cuda-graph"]),
        ("0.5.23", {"cuda-graph-bs-prefill": [8], "disable-cuda-graph": True}, ["disable-cuda-graph"]),
        ("0.5.23", {"cuda-graph-bs-prefill": [8], "disable-prefill-cuda-graph": True}, ["disable-prefill-cuda-graph"]),
        ("0.5.23", {"cuda-graph-bs-prefill": [8], "disable-decode-cuda-graph": True}, []),
        ("0.5.23", {"cuda-graph-bs-decode": [8], "cuda-graph-backend-decode": "disabled"},
         ["cuda-graph-backend-decode disabled"]),
        ("0.5.23", {"cuda-graph-bs-decode": [8], "cuda-graph-backend-decode": "full", "disable-cuda-graph": True}, []),
        ("0.5.23", {"cuda-graph-bs-decode": [8], "disable-cuda-graph": True,
                    "cuda-graph-config": {"decode": {"backend": "full"}}}, []),
        ("0.5.12", {"piecewise-cuda-graph-max-tokens": 2048, "disable-cuda-graph": True}, []),
        ("0.5.16", {"piecewise-cuda-graph-max-tokens": 2048, "disable-cuda-graph": True}, ["disable-cuda-graph"]),
    ],
)  # fmt: skip
def test_sizes_of_graphs_that_are_off(release, flags, said):
    found = [each for each in messages("combinations.idle_flag", service(flags, release=release)) if OFF in each]
    assert [each.partition(f"{OFF} ")[2].removesuffix(" turns off") for each in found] == said
