"""What the ranks of a service share of a model, whether that leaves a rest, and the sizes that leave none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.rules.memory._fractions import with_fraction
from sgfleet.rules.memory._stages import gpus_needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.model.shape import Storage
    from sgfleet.rules.memory._model import Model
    from sgfleet.rules.memory._tried import Outcome, Tries
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


def _even_sizes(view: MachineView, model: Model) -> tuple[list[int], list[int]]:
    """The values of tp-size that divide all of the model: the next larger and the next smaller one, and lesser ones.

    The next larger one comes first where the service has the GPUs for it.
    """
    even = [size for size in (64, 32, 16, 8, 4, 2, 1) if size != model.parallel.tp and _even(_with_tp(model, size))]
    below = [size for size in even if size < model.parallel.tp]
    above = [size for size in even if size > model.parallel.tp][-1:]
    is_beyond = bool(above and gpus_needed(view, _changed(model, "tp-size", above[0])))
    return below[:1] + above if is_beyond else above + below[:1], below[1:]


class Ways(NamedTuple):
    """Sizes that leave no rest, in words ("ep-size 2, or tp-size 8 or 4"), and what the rules then say."""

    words: str
    outcome: Outcome

    def help(self, what: str) -> str:
        """`what` they come to, and what stays or would come of it."""
        if not self.outcome.errors:
            return f"{self.words} {what}{self.outcome.remark}"
        first = self.outcome.errors[0]
        return f"no size works: {self.words} {what}, but then {first.code} says that {first.message}"


def ways_out(view: MachineView, model: Model, tries: Tries, *, groups: bool = False) -> Ways | None:
    """The nearest sizes that leave no rest and bring nothing else; where there are none, the one that is least bad.

    `groups`: experts are what is divided, so more expert groups are a way as well.
    """
    if tries.is_one:
        return None
    near, lesser = _even_sizes(view, model)
    proposals = [("ep-size", size) for size in (expert_groups(model) if groups else None,) if size is not None]
    proposals += [("tp-size", size) for size in near]
    tried = [_tried(view, model, tries, *way) for way in proposals]
    for size in lesser:
        if any(not any(outcome.weight) for _, _, outcome in tried):
            break
        tried.append(_tried(view, model, tries, "tp-size", size))
    if not tried:
        return None
    least = min(outcome.weight for _, _, outcome in tried)
    chosen = [each for each in tried if each[2].weight == least]
    chosen = chosen[: 1 if chosen[0][2].errors else max(2, len(proposals))]
    named = [
        f"{flag} {' or '.join(size for other, size, _ in chosen if other == flag)}"
        for flag in dict.fromkeys(flag for flag, _, _ in chosen)
    ]
    return Ways(", or ".join(named), chosen[0][2])


def _tried(view: MachineView, model: Model, tries: Tries, flag: str, size: int) -> tuple[str, str, Outcome]:
    """The flag, its size in words with what else it needs (a fraction, GPUs), and what comes of it."""
    outcome = with_fraction(view, model.args, tries, _changed(model, flag, size))
    fraction = outcome.flags.get(str(model.args.route("mem-fraction-static")[-1]))
    words = str(size) if fraction is None else f"{size} with mem-fraction-static {fraction:.3f}"
    return flag, " ".join(filter(None, (words, gpus_needed(view, outcome.flags)))), outcome


def _changed(model: Model, flag: str, size: int) -> dict[str, int]:
    return {str(model.args.route(flag)[-1]): size}


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
