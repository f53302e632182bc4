"""Rows and states on a rank, by figures that releases have printed and by hand."""

from __future__ import annotations

import pytest

from model import samples
from sgfleet.model.kv import kv_elements, kv_heads_per_rank, state_elements, state_layers
from sgfleet.model.layer import Attention, LinearAttention


def row_bytes(name: str, attention_tp: int, *, element_bytes: int = 2) -> int:
    return sum(kv_elements(layer.mixer, attention_tp) * element_bytes for layer in samples.shape(name).layers)


@pytest.mark.parametrize(
    ("name", "ranks", "expected"),
    [
        ("moonshotai--Kimi-K2.5", 8, 70_272),  # 576 * 61 * 2: the latent is whole on every rank
        ("moonshotai--Kimi-K2.5", 1, 70_272),
        ("meta-llama--Meta-Llama-3.1-70B", 8, 40_960),  # one KV head: 256 * 80 * 2
        ("meta-llama--Meta-Llama-3.1-70B", 4, 81_920),
        ("meta-llama--Meta-Llama-3.1-70B", 16, 40_960),  # more ranks than heads: copied, not divided further
        ("Qwen--Qwen3.5-397B-A17B", 8, 512 * 15 * 2),  # rows in the full layers alone
        ("XiaomiMiMo--MiMo-V2-Flash", 4, (9 * 320 + 39 * 2 * 320) * 2),
        ("google--gemma-4-26B-A4B", 2, (25 * 4 * 512 + 5 * 1024) * 2),
    ],
)
def test_bytes_of_a_row(name: str, ranks: int, expected: int) -> None:
    assert row_bytes(name, ranks) == expected


def test_layers_that_share_rows_have_none() -> None:
    assert kv_elements(Attention(8, 2, 64, 64, shares_kv=True), 1) == 0
    assert kv_elements(None, 1) == 0


@pytest.mark.parametrize(("heads", "ranks", "expected"), [(8, 8, 1), (8, 4, 2), (4, 8, 1), (1, 1, 1), (8, 1, 8)])
def test_heads_on_a_rank(heads: int, ranks: int, expected: int) -> None:
    assert kv_heads_per_rank(heads, ranks) == expected


def test_state_of_a_delta_net() -> None:
    (mixer, *_), ranks = state_layers(samples.shape("Qwen--Qwen3.5-397B-A17B").layers), 8
    # Channels: 64 value heads and 2 * 16 key heads of 128; three columns are kept. State: 8 heads of 128 by 128.
    assert state_elements(mixer, ranks) == ((64 + 32) * 128 // 8 * 3, 8 * 128 * 128)


def test_groups_that_do_not_divide_are_copied() -> None:
    mixer = LinearAttention("mamba2", k_heads=8, v_heads=128, k_head_dim=128, v_head_dim=64, conv_kernel=4)
    assert state_elements(mixer, 1) == ((128 * 64 + 2 * 8 * 128) * 3, 128 * 64 * 128)
    assert state_elements(mixer, 16) == ((128 * 64 + 2 * 16 * 128) // 16 * 3, 8 * 64 * 128)


def test_a_short_convolution_has_no_recurrent_state() -> None:
    mixer = LinearAttention("shortconv", k_heads=1, v_heads=1, k_head_dim=0, v_head_dim=2048, conv_kernel=3)
    assert state_elements(mixer, 2) == (2048 // 2 * 2, 0)


def test_lightning_attention_has_no_convolution() -> None:
    mixer = LinearAttention("lightning", k_heads=16, v_heads=16, k_head_dim=128, v_head_dim=128, conv_kernel=1)
    assert state_elements(mixer, 4) == (0, 4 * 128 * 128)
