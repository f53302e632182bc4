"""What the ranks of a service share of a model, whether that leaves a rest, and the sizes that leave none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.model.shape import Storage
    from sgfleet.rules.memory._model import Model
    from sgfleet.rules.rule import MachineView


class Heads(NamedTuple):
    """Heads that are divided: how many, of what, and among how many ranks."""

    heads: int
    what: str
    ways: int
    vision: bool = False

    @property
    def rest(self) -> bool:
        """Whether a rank would get a part of a head. Fewer KV heads than ranks are copied where that comes out even."""
        return self.heads % self.ways != 0 and not ("KV" in self.what and self.ways % self.heads == 0)


class Blocks(NamedTuple):
    """A quantised matrix that is divided: its width, among how many ranks, by which flags, in blocks of which size."""

    what: str
    width: int
    ways: int
    by: str
    block: int

    @property
    def rest(self) -> bool:
        """Whether a rank would get a part of a block."""
        return self.width % (self.ways * self.block) != 0


_PER_HEAD: Final = frozenset({"gdn", "kda"})
"""Linear layers whose heads are divided one by one; groups of the others are padded or copied."""


def heads_of(model: Model) -> Iterator[Heads]:
    """The heads of the language model, then those of its vision tower."""
    from sgfleet.model.layer import Attention, LinearAttention

    ways = model.parallel.attention_tp
    found: dict[Heads, None] = {}
    for mixer in model.shape.mixers:
        if isinstance(mixer, LinearAttention):
            if mixer.form in _PER_HEAD:
                found[Heads(mixer.k_heads, "key heads of linear layers", ways)] = None
                found[Heads(mixer.v_heads, "value heads of linear layers", ways)] = None
            continue
        found[Heads(mixer.heads, "attention heads", ways)] = None
        if isinstance(mixer, Attention):
            found[Heads(mixer.kv_heads, "KV heads", ways)] = None
    yield from found
    tower = model.shape.vision
    if tower is None or model.parallel.vision_dp or model.parallel.language_only or tower.whole or not tower.heads:
        return
    yield Heads(tower.heads, "heads of the vision tower", model.parallel.tp, vision=True)


def blocks_of(model: Model) -> Iterator[Blocks]:
    """The feed-forward matrices in FP8 blocks that more than one rank shares."""
    for what, width, ways, by, storage in dict.fromkeys(_parts(model)):
        if storage is not None and storage.block is not None and storage.format == "fp8" and ways > 1:
            yield Blocks(what, width, ways, by, max(storage.block))


def _parts(model: Model) -> Iterator[tuple[str, int, int, str, Storage | None]]:
    from sgfleet.model.layer import Mlp, Moe

    stored = dict(model.shape.quantisation.parts) if model.shape.quantisation is not None else {}
    parallel = model.parallel
    dense_ways = parallel.dense_tp or parallel.tp
    expert_ways = max(1, parallel.tp // parallel.ep)
    for mlp in dict.fromkeys(layer.mlp for layer in model.shape.layers):
        if isinstance(mlp, Moe):
            by = f"tp-size {parallel.tp} / ep-size {parallel.ep}"
            yield "experts", mlp.intermediate_size, expert_ways, by, stored.get("experts")
            if mlp.shared_intermediate_size:
                shared = 1 if parallel.experts_all_to_all else parallel.tp
                by = f"tp-size {parallel.tp}"
                yield "shared experts", mlp.shared_intermediate_size, shared, by, stored.get("shared")
        elif isinstance(mlp, Mlp):
            yield "dense layers", mlp.intermediate_size, dense_ways, f"{dense_ways} ranks", stored.get("dense")


def _even(model: Model) -> bool:
    """Whether nothing leaves a rest: no part of the model, and no group of ranks."""
    parallel = model.parallel
    if parallel.tp % parallel.ep or parallel.tp % parallel.attention_dp:
        return False
    return not (any(each.rest for each in heads_of(model)) or any(each.rest for each in blocks_of(model)))


def _with_tp(model: Model, size: int) -> Model:
    parallel = model.parallel
    ep = size if parallel.experts_all_to_all else parallel.ep
    return model._replace(parallel=parallel._replace(tp=size, ep=ep))


def sizes(view: MachineView, model: Model) -> str:
    """The nearest values of tp-size that divide all of the model, in words: "8 or 4"; "" where none does.

    The next larger one comes first where the host has the GPUs for it, and one with which the weights are known not to
    fit is left out where the other one is left.
    """
    even = [size for size in (1, 2, 4, 8, 16, 32, 64) if _even(_with_tp(model, size))]
    below = [size for size in even if size < model.parallel.tp][-1:]
    above = [size for size in even if size > model.parallel.tp][:1]
    gpus = view.facts.gpus if view.facts is not None else None
    ranks = max(above, default=0) * model.parallel.pp * model.service.settings.replicas
    near = below + above if gpus and ranks > len(gpus) * model.service.settings.nodes else above + below
    fitting = [size for size in near if _may_fit(view, model, size)]
    return " or ".join(map(str, fitting or near))


def _may_fit(view: MachineView, model: Model, size: int) -> bool:
    from sgfleet.memory.of_host import Unknown, budget_of
    from sgfleet.memory.window import window_of

    if view.memory is None:
        return True
    changed = view.memory().variant(view.name, {str(model.args.route("tp-size")[-1]): size})
    budget = changed if isinstance(changed, Unknown) else budget_of(changed)
    return isinstance(budget, Unknown) or not window_of(budget).is_empty


def expert_groups(model: Model) -> int | None:
    """The smallest larger ep-size with which each rank has whole blocks of whole experts; None where there is none."""
    from sgfleet.model.layer import Moe

    parallel = model.parallel
    experts = {layer.mlp.experts for layer in model.shape.layers if isinstance(layer.mlp, Moe)}
    for ep in range(parallel.ep + 1, parallel.tp + 1):
        if any(each % ep for each in experts):
            continue
        if _even(model._replace(parallel=parallel._replace(ep=ep))):
            return ep
    return None
