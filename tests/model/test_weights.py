"""Bytes on a rank: by hand, against headers, and by what must hold for any way of spreading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import samples
from sgfleet.model.describe import describe
from sgfleet.model.estimate import ERROR, estimate, parameters
from sgfleet.model.parallel import Parallel, stage_ranges
from sgfleet.model.piece import Piece
from sgfleet.model.weights import padded_rows, rank_bytes, weight_bytes

if TYPE_CHECKING:
    from pathlib import Path

PARAMETERS = {
    # embedding and head 2 * 128256 * 4096, 32 layers of q, o 2 * 4096^2, k, v 2 * 1024 * 4096, three of 14336 * 4096
    # and two norms, and the last norm.
    "meta-llama--Meta-Llama-3.1-8B": 8_030_261_248,
    "meta-llama--Meta-Llama-3.1-70B": 70_553_706_496,
    # tied: 151936 * 1024 once; 28 layers of q, o 2 * 2048 * 1024, k, v 2 * 1024 * 1024, three of 3072 * 1024, norms.
    "Qwen--Qwen3-0.6B": 596_049_920,
    "mistralai--Mixtral-8x7B-v0.1": 46_702_792_704,
    # 61 layers of MLA, 3 dense, 58 with 257 experts' worth, routers with a bias each.
    "deepseek-ai--DeepSeek-V3": 671_026_419_200,
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_number_of_weights(name: str) -> None:
    assert parameters(samples.shape(name)) == PARAMETERS[name]


def test_the_numbers_by_hand() -> None:
    layer = 2 * 4096**2 + 2 * 1024 * 4096 + 3 * 14336 * 4096 + 2 * 4096
    assert 2 * 128256 * 4096 + 32 * layer + 4096 == PARAMETERS["meta-llama--Meta-Llama-3.1-8B"]
    attention = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168 + 1536 + 512
    expert = 3 * 7168 * 2048
    dense, sparse = 3 * 7168 * 18432, 257 * expert + 256 * 7168 + 256
    whole = 2 * 129280 * 7168 + 61 * (attention + 2 * 7168) + 3 * dense + 58 * sparse + 7168
    assert whole == PARAMETERS["deepseek-ai--DeepSeek-V3"]


def test_llama_70b_on_eight_ranks() -> None:
    found = weight_bytes(samples.shape("meta-llama--Meta-Llama-3.1-70B"), Parallel(tp=8))
    norms = (2 * 80 + 1) * 8192
    (stage,) = found.stages
    assert stage.replicated == 2 * norms
    # 128256 rows are a multiple of 64 and of 8: nothing is padded, and all the rest divides.
    assert stage.sharded == 2 * (PARAMETERS["meta-llama--Meta-Llama-3.1-70B"] - norms) // 8
    assert (found.exact, found.error, found.draft) == (False, ERROR, 0)


def test_latent_projections_are_on_every_rank() -> None:
    shape = samples.shape("moonshotai--Kimi-K2.5")
    one, eight = (weight_bytes(shape, Parallel(tp=ranks)).stages[0] for ranks in (1, 8))
    down = 61 * (7168 * 1536 + 7168 * 576)
    routers = 60 * (7168 * 384 + 384)
    norms = 61 * (2 * 7168 + 1536 + 512) + 7168
    vision = 5395968 + 54263808 + 27 * (2 * 1152 * 4304 + 4304)
    assert eight.replicated == 2 * (down + routers + norms + vision)
    assert eight.total > one.total // 8


def test_more_ranks_than_kv_heads_copy_them() -> None:
    shape = samples.made({**samples.SMALL_LLAMA, "num_key_value_heads": 2, "num_attention_heads": 8})
    kv = next(piece for piece in estimate(shape) if piece.spread == "kv")
    assert kv.bytes == 2 * 64 * 2 * 2 * 8
    assert [rank_bytes(kv, shape, Parallel(tp=ranks)) for ranks in (1, 2, 4, 8)] == [4096, 2048, 2048, 2048]


@pytest.mark.parametrize(
    ("rows", "ranks", "padded"),
    [(128256, 8, 128256), (151936, 8, 151936), (32000, 3, 32064), (100, 1, 128), (100, 4, 128), (163840, 7, 163968)],
)
def test_a_vocabulary_is_padded(rows: int, ranks: int, padded: int) -> None:
    assert padded_rows(rows, ranks) == padded
    assert padded % ranks == 0


@pytest.mark.parametrize(
    ("parallel", "share"),
    [
        (Parallel(tp=8), 1 / 8),
        (Parallel(tp=8, ep=8), 1 / 8),
        (Parallel(tp=8, ep=2), 1 / 8),
        (Parallel(tp=8, ep=8, redundant_experts=8), 17 / 128),
    ],
)
def test_experts_over_ranks(parallel: Parallel, share: float) -> None:
    shape = samples.shape("Qwen--Qwen3-30B-A3B")
    experts = next(piece for piece in estimate(shape) if piece.spread == "experts")
    assert rank_bytes(experts, shape, parallel) == pytest.approx(experts.bytes * share)


def test_attention_data_parallelism_copies_attention_and_divides_experts() -> None:
    shape = samples.shape("deepseek-ai--DeepSeek-V3")
    plain, data = (weight_bytes(shape, Parallel(tp=8, attention_dp=dp)).stages[0] for dp in (1, 8))
    attention = sum(piece.bytes for piece in estimate(shape) if piece.spread == "attention" and piece.place == "layer")
    embedding = 2 * 129280 * 7168
    assert data.total - plain.total == pytest.approx((attention + embedding) * 7 / 8, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "whole"),
    [("google--gemma-4-26B-A4B", True), ("Qwen--Qwen3.5-397B-A17B", False), ("openai--gpt-oss-20b", False)],
)
def test_an_embedding_may_be_whole_on_every_rank(name: str, whole: bool) -> None:
    shape = samples.shape(name)
    embedding = next(piece for piece in estimate(shape) if piece.spread == "vocabulary")
    on_a_rank = rank_bytes(embedding, shape, Parallel(tp=4))
    assert on_a_rank == (embedding.bytes if whole else embedding.bytes // 4)
    assert rank_bytes(embedding, shape, Parallel(tp=4, attention_dp=4)) == embedding.bytes


def test_flags_that_copy_what_is_divided() -> None:
    shape = samples.shape("moonshotai--Kimi-K2.5")
    plain = weight_bytes(shape, Parallel(tp=8)).largest
    shared = sum(piece.bytes for piece in estimate(shape) if piece.spread == "shared")
    assert weight_bytes(shape, Parallel(tp=8, experts_all_to_all=True)).largest - plain == shared * 7 // 8
    dense = sum(piece.bytes for piece in estimate(shape) if piece.spread == "dense")
    assert weight_bytes(shape, Parallel(tp=8, dense_tp=1)).largest - plain == dense * 7 // 8
    tower = sum(piece.bytes for piece in estimate(shape) if piece.spread == "vision")
    assert weight_bytes(shape, Parallel(tp=8, vision_dp=True)).largest - plain == tower * 7 // 8
    assert weight_bytes(shape, Parallel(tp=8, language_only=True)).largest < plain


@pytest.mark.parametrize(
    ("layers", "parallel", "ranges"),
    [
        (8, Parallel(pp=1), ((0, 8),)),
        (61, Parallel(pp=4), ((0, 15), (15, 30), (30, 45), (45, 61))),
        (62, Parallel(pp=4), ((0, 15), (15, 30), (30, 46), (46, 62))),
        (8, Parallel(pp=3, layer_partition=(1, 5, 2)), ((0, 1), (1, 6), (6, 8))),
    ],
)
def test_the_last_stages_take_the_extra_layers(
    layers: int, parallel: Parallel, ranges: tuple[tuple[int, int], ...]
) -> None:
    assert stage_ranges(layers, parallel) == ranges


def test_a_tied_embedding_is_on_the_first_and_the_last_stage() -> None:
    shape = samples.shape("Qwen--Qwen3-0.6B")
    one = weight_bytes(shape, Parallel()).stages[0].total
    first, last = weight_bytes(shape, Parallel(pp=2)).stages
    assert first.total + last.total - one == 2 * 151936 * 1024


def test_a_tower_is_on_the_first_stage() -> None:
    shape = samples.shape("Qwen--Qwen3-VL-8B-Instruct")
    with_tower = weight_bytes(shape, Parallel(pp=2)).stages
    without = weight_bytes(shape, Parallel(pp=2, language_only=True)).stages
    assert with_tower[0].total > without[0].total
    assert with_tower[1] == without[1]


def test_mtp_layers_are_apart() -> None:
    found = weight_bytes(samples.shape("deepseek-ai--DeepSeek-V3"), Parallel(tp=8))
    expert = 3 * 7168 * 2048
    assert found.draft > 257 * expert // 8
    assert found.draft < 257 * expert // 8 * 1.2


def test_parts_of_which_nothing_is_said_widen_the_error() -> None:
    found = weight_bytes(samples.shape("nvidia--GLM-5-NVFP4"), Parallel(tp=8))
    assert ERROR < found.error < 0.15
    assert "attention, output" in found.notes[0]


def test_heads_that_the_ranks_do_not_divide_are_noted() -> None:
    shape = samples.made({**samples.SMALL_LLAMA, "num_attention_heads": 6, "head_dim": 8})
    assert weight_bytes(shape, Parallel(tp=4)).notes == ("6 attention heads do not divide by 4 ranks",)


RANKS = st.sampled_from([1, 2, 4, 8, 16])


@given(name=st.sampled_from(samples.NAMES), tp=RANKS, dp=RANKS, ep=RANKS, pp=st.integers(1, 5), extra=st.integers(0, 8))
@settings(max_examples=120, deadline=None)
def test_all_ranks_together_hold_at_least_the_whole(name: str, tp: int, dp: int, ep: int, pp: int, extra: int) -> None:
    shape = samples.shape(name)
    parallel = Parallel(tp=tp, pp=pp, attention_dp=min(dp, tp), ep=min(ep, tp), redundant_experts=extra)
    found = weight_bytes(shape, parallel)
    whole = sum(piece.bytes for piece in estimate(shape) if piece.place != "draft")
    assert sum(stage.total for stage in found.stages) * tp >= whole
    assert found.largest <= weight_bytes(shape, Parallel(redundant_experts=extra)).largest * 1.01
    assert [stage.first_layer for stage in found.stages[1:]] == [stage.end_layer for stage in found.stages[:-1]]
    assert found.stages[-1].end_layer == len(shape.layers)


@given(name=st.sampled_from(samples.NAMES), tp=RANKS)
@settings(max_examples=60, deadline=None)
def test_more_ranks_never_hold_more_each(name: str, tp: int) -> None:
    shape = samples.shape(name)
    assert weight_bytes(shape, Parallel(tp=2 * tp)).largest <= weight_bytes(shape, Parallel(tp=tp)).largest * 1.001


CONFIGURATIONS: list[dict[str, Any]] = [
    samples.SMALL_LLAMA,
    {**samples.SMALL_LLAMA, "tie_word_embeddings": True},
    samples.SMALL_MOE,
]


@pytest.mark.parametrize("config", CONFIGURATIONS)
@pytest.mark.parametrize("parallel", [Parallel(), Parallel(tp=2), Parallel(tp=4, ep=2), Parallel(tp=2, pp=3)])
def test_headers_and_rules_agree(tmp_path: Path, config: dict[str, Any], parallel: Parallel) -> None:
    facts = describe(samples.write_checkpoint(tmp_path, config), name="a/b")
    exact = weight_bytes(facts.shape, parallel, facts.pieces)
    ruled = weight_bytes(facts.shape, parallel)
    assert exact.stages == ruled.stages
    assert (exact.exact, exact.error) == (True, 0.0)


def test_a_head_that_is_stored_although_tied_is_not_counted(tmp_path: Path) -> None:
    config = {**samples.SMALL_LLAMA, "tie_word_embeddings": True}
    tensors = samples.small_tensors({**config, "tie_word_embeddings": False})
    facts = describe(samples.write_checkpoint(tmp_path, config, tensors), name="a/b")
    assert weight_bytes(facts.shape, Parallel(), facts.pieces).stages == weight_bytes(facts.shape, Parallel()).stages


def test_a_piece_of_an_odd_size_is_rounded_up() -> None:
    shape = samples.made(samples.SMALL_LLAMA)
    assert rank_bytes(Piece("layer", "attention", 7), shape, Parallel(tp=2)) == 4


def test_a_float32_checkpoint_is_held_in_sixteen_bits(tmp_path: Path) -> None:
    config = {**samples.SMALL_LLAMA, "torch_dtype": "float32"}
    tensors = {name: ("F32", size) for name, (_, size) in samples.small_tensors(config).items()}
    facts = describe(samples.write_checkpoint(tmp_path, config, tensors), name="a/b")
    assert weight_bytes(facts.shape, Parallel(), facts.pieces).stages == weight_bytes(facts.shape, Parallel()).stages


def test_tensors_whose_names_say_nothing_count_as_whole_and_are_noted(tmp_path: Path) -> None:
    tensors = {**samples.small_tensors(samples.SMALL_LLAMA), "model.layers.1.novelty.weight": ("BF16", [64, 64])}
    facts = describe(samples.write_checkpoint(tmp_path, samples.SMALL_LLAMA, tensors), name="a/b")
    found = weight_bytes(facts.shape, Parallel(tp=2), facts.pieces)
    assert found.stages[0].replicated == weight_bytes(facts.shape, Parallel(tp=2)).stages[0].replicated + 2 * 64 * 64
    assert found.notes == ("the names of 1 tensors (0.00 GiB) say nothing: they count as whole on every rank",)


def test_queries_keys_and_values_in_one_matrix_are_told_apart(tmp_path: Path) -> None:
    tensors = samples.small_tensors(samples.SMALL_LLAMA)
    for index in range(3):
        prefix = f"model.layers.{index}.self_attn"
        rows = sum(tensors.pop(f"{prefix}.{which}_proj.weight")[1][0] for which in "qkv")
        tensors[f"{prefix}.qkv_proj.weight"] = ("BF16", [rows, 64])
    facts = describe(samples.write_checkpoint(tmp_path, samples.SMALL_LLAMA, tensors), name="a/b")
    for parallel in (Parallel(), Parallel(tp=8)):
        exact = weight_bytes(facts.shape, parallel, facts.pieces)
        assert exact.stages == weight_bytes(facts.shape, parallel).stages
