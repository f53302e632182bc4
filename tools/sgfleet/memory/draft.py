"""The draft of speculative decoding as far as memory is concerned: its layers and its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sgfleet.memory.era import from_release
from sgfleet.memory.units import GIB

if TYPE_CHECKING:
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Mixer
    from sgfleet.model.parallel import WeightBytes
    from sgfleet.model.shape import ModelShape

UNKNOWN_WEIGHTS_BYTES: Final = 2 * GIB
"""What an unknown draft of one layer is counted with, on a rank; its error is as large."""
TAKES_TARGET: Final = "0.4.6.post3"
"""From here on a draft that has no path is read from the target's (`from_server_args` in srt/configs/model_config.py):
whole, where the checkpoint has no layers that draft."""
OWN: Final = (
    *("Deepseek", "Glm", "Bailing", "MiMo", "Ernie4_5", "LongcatFlash", "Qwen3Next", "Qwen3_5", "Qwen4", "NemotronH"),
    *("Exaone", "Step3p", "HYV", "InternS2", "Inkling", "GigaChat", "MistralLarge3", "Pixtral", "IQuest", "Dots3"),
)
"""Beginnings of architectures for which a release knows a class of drafting layers in the checkpoint (`is_draft_model`
in srt/configs/model_config.py, and lists in srt/server_args.py, later srt/arg_groups/speculative_hook.py, 0.4.6.post2
to 0.5.23). Qwen3Moe, which has one from 0.5.13 on, is not among them: no checkpoint in schema/models has such layers,
and where one has them, its facts say so."""


@dataclass(frozen=True, slots=True)
class DraftLayers:
    """`count` layers with KV rows. `mixers` is empty where the draft's checkpoint is not known: like the target's then.

    `weight_bytes` on a rank, with its error in bytes. `notes` say what was assumed. `shape` is that of a checkpoint of
    its own. `rows_counted` is False for a draft whose KV rows no release takes out of its budget.
    """

    count: int
    mixers: tuple[Mixer, ...] = ()
    weight_bytes: int = 0
    error_bytes: int = 0
    notes: tuple[str, ...] = ()
    shape: ModelShape | None = None
    rows_counted: bool = True


def may_draft(shape: ModelShape) -> bool:
    """Whether a checkpoint has layers of its own that draft, or is of an architecture of which some have."""
    return shape.draft is not None or shape.architecture.startswith(OWN)


def draft_layers(
    settings: Settings,
    target: ModelShape,
    weights: WeightBytes,
    draft: tuple[ModelShape, WeightBytes] | None = None,
) -> DraftLayers | None:
    """The draft that a service loads; None without one.

    `draft` is the shape and the weights of --speculative-draft-model-path where they are known.
    """
    asked = settings.speculative
    if asked is None or not asked.has_draft_model:
        return None
    if draft is not None and asked.draft_path != settings.model_path:
        shape, own = draft
        mixers = tuple(layer.mixer for layer in shape.layers if layer.mixer is not None)
        return DraftLayers(len(mixers), mixers, own.largest, int(own.largest * own.error), shape=shape)
    if asked.draft_path in (None, settings.model_path) and target.draft is not None:
        mixers = tuple(layer.mixer for layer in target.draft.layers if layer.mixer is not None)
        return DraftLayers(len(mixers), mixers, weights.draft, int(weights.draft * weights.error))
    itself = asked.draft_path == settings.model_path
    takes_target = asked.draft_path is None and from_release(settings.release, TAKES_TARGET)
    if asked.is_eagle and (itself or takes_target) and not may_draft(target):
        return _target_again(settings, target, weights, named=itself)
    what = asked.draft_path or "the draft"
    size = UNKNOWN_WEIGHTS_BYTES // GIB
    note = f"{what} is not known: counted as one layer like the target's, with {size} GiB of weights"
    return DraftLayers(1, (), UNKNOWN_WEIGHTS_BYTES, UNKNOWN_WEIGHTS_BYTES, (note,))


def _target_again(settings: Settings, target: ModelShape, weights: WeightBytes, *, named: bool) -> DraftLayers:
    """The target as its own draft: all its weights and all its KV rows a second time.

    Of what is loaded the embedding and the head are given back, where the model's class can share the target's
    (`set_embed_and_head` in srt/models): that is within the error. Without a path the rows are left out of the budget
    that the KV pool is made from, and allocated all the same: the layers of a draft are counted where it has a path, or
    where the target's configuration counts such layers (srt/model_executor/model_runner.py in 0.5.14,
    srt/model_executor/model_runner_components/spec_aux_hidden_state.py in 0.5.16 to 0.5.23).
    """
    mixers = tuple(layer.mixer for layer in target.layers if layer.mixer is not None)
    size = weights.largest
    shared = 2 * target.vocab_size * target.hidden_size * 2 // settings.attention_tp
    why = (
        "the draft is the target" if named else f"no draft is named, and {target.source.name} has no layers that draft"
    )
    note = f"{why}: counted as loaded a second time, its weights and its KV rows"
    error = min(size, int(size * weights.error) + shared)
    return DraftLayers(len(mixers), mixers, size, error, (note,), rows_counted=named)
