"""EAGLE without a draft, for a model that has no layers that draft: the target is loaded a second time."""

from __future__ import annotations

import pytest

from memory.cases import H100, LLAMA, budget, load_of, model, settings
from sgfleet.memory.draft import UNKNOWN_WEIGHTS_BYTES, may_draft
from sgfleet.memory.hardware import Hardware
from sgfleet.memory.lines import gpu_lines
from sgfleet.memory.window import window_of
from sgfleet.model import store
from sgfleet.model.problem import ModelError

EAGLE = {"speculative_algorithm": "EAGLE", "speculative_num_draft_tokens": 4}
ITSELF = {**EAGLE, "speculative_draft_model_path": LLAMA}
LARGE = Hardware("NVIDIA B200", 8, 183_359, (10, 0))


def drafts_nothing(stem: str) -> bool:
    try:
        return not may_draft(model(stem.replace("--", "/", 1)).shape)
    except ModelError:
        return False


NAMES = [stem.replace("--", "/", 1) for stem in store.files() if drafts_nothing(stem)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("release", ["0.5.12", "0.5.23"])
def test_every_model_without_layers_that_draft_is_there_twice(release: str, name: str) -> None:
    load = load_of(settings(release, name, tp_size=8, **EAGLE), name)
    assert load.draft is not None
    assert load.draft.weight_bytes == load.weights.largest
    assert load.draft.count == sum(1 for layer in load.shape.layers if layer.mixer is not None)
    assert "a second time" in load.draft.notes[0]
    assert "KV rows" in load.draft.notes[0]


def test_some_models_are_walked_over() -> None:
    assert LLAMA in NAMES
    assert len(NAMES) > 20
    assert "deepseek-ai/DeepSeek-V3" not in NAMES


@pytest.mark.parametrize(
    ("release", "flags", "rows_inside"),
    [("0.5.12", EAGLE, False), ("0.5.23", EAGLE, False), ("0.5.12", ITSELF, False), ("0.5.23", ITSELF, True)],
)
def test_its_rows_come_out_of_the_budget_only_where_its_path_is_written(
    release: str, flags: dict[str, object], rows_inside: bool
) -> None:
    of = budget(release, LLAMA, LARGE, tp_size=8, **flags)
    rows = (of.tokens + of.resolved.page_size) * of.cell.full_allocated
    assert (of.pools.draft_bytes, of.draft_outside_bytes) == ((rows, 0) if rows_inside else (0, rows))
    assert of.cell.draft == (of.cell.full_budget if rows_inside else 0)
    lines = {line.name: line for line in gpu_lines(of)}
    assert lines["draft_weights"].inside is (release == "0.5.23")
    assert lines["draft_kv"].inside is rows_inside
    assert sum(line.bytes for name, line in lines.items() if name != "card") == LARGE.memory_bytes


@pytest.mark.parametrize("release", ["0.5.12", "0.5.23"])
@pytest.mark.parametrize("flags", [EAGLE, ITSELF])
def test_the_window_s_end_is_where_the_room_for_activations_ends(release: str, flags: dict[str, object]) -> None:
    window = window_of(budget(release, LLAMA, LARGE, tp_size=8, **flags))
    least = budget(release, LLAMA, LARGE, tp_size=8, mem_fraction_static=window.high, **flags)
    beyond = budget(release, LLAMA, LARGE, tp_size=8, mem_fraction_static=window.high + 0.01, **flags)
    wanted = least.needed_bytes - least.graph_bytes
    assert least.left_bytes >= wanted
    assert beyond.left_bytes < wanted + beyond.request_table_most_bytes


def test_before_the_release_takes_the_target_it_is_as_it_was() -> None:
    draft = load_of(settings("0.4.6.post2", LLAMA, tp_size=8, **EAGLE), LLAMA).draft
    assert draft is not None
    assert draft.weight_bytes == UNKNOWN_WEIGHTS_BYTES


def test_a_model_that_fits_once_need_not_fit_twice() -> None:
    assert (
        budget("0.5.12", LLAMA, H100, tp_size=8).left_bytes
        > 0
        > budget("0.5.12", LLAMA, H100, tp_size=8, mem_fraction_static=0.86, **EAGLE).left_bytes
    )
