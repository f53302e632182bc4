"""How many processes of a service run on GPUs, and on which: the arithmetic of SGLang's parallel sizes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.rules.arguments import between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgfleet.rules.arguments import Arguments

MOST: Final = 4096
"""Ranks whose GPUs are listed: more than a host has."""


class Layout(NamedTuple):
    """The ranks of a service.

    `replicas` are whole copies of the model (data parallelism without attention data parallelism). `nodes` hosts share
    the ranks, and this one is number `node` of them.
    """

    tp: int
    pp: int
    replicas: int
    nodes: int = 1
    node: int = 0
    base: int = 0
    step: int = 1

    @property
    def total(self) -> int:
        """Ranks on all hosts together: one GPU each."""
        return self.tp * self.pp * self.replicas

    @property
    def on_host(self) -> int:
        """Ranks on this host."""
        return max(self.total // self.nodes, 1)

    @property
    def sums(self) -> str:
        """The multiplication, as a person would write it: `tp-size 8 × pp-size 2 = 16 ranks`."""
        parts = [f"tp-size {self.tp}"]
        if self.pp > 1:
            parts.append(f"pp-size {self.pp}")
        if self.replicas > 1:
            parts.append(f"dp-size {self.replicas}")
        line = f"{' × '.join(parts)} = {self.total} rank{'s' if self.total > 1 else ''}"
        if self.nodes > 1:
            line += f", {self.on_host} on each of {self.nodes} nodes"
        return line

    def devices(self) -> tuple[int, ...]:
        """Positions of the GPUs that the ranks of this host take, among those that the service sees.

        A replica begins tp × pp × step behind the one before; a stage begins behind the ranks of the one before it,
        whatever the step (srt/managers/data_parallel_controller.py, the same from 0.4.3.post3 to 0.5.23). Of more ranks
        than any host has GPUs the first few thousand are given; `last` counts all of them.
        """
        stages, width = self._stages, self._width
        positions = (
            self.base + replica * self.tp * self.pp * self.step + stage * width + rank * self.step
            for replica in range(self.replicas)
            for stage in range(stages)
            for rank in range(width)
        )
        return tuple(islice(positions, MOST))

    @property
    def last(self) -> int:
        """The largest of those positions."""
        replicas = (self.replicas - 1) * self.tp * self.pp * self.step
        return self.base + replicas + (self._stages - 1) * self._width + (self._width - 1) * self.step

    @property
    def _stages(self) -> int:
        return max(self.pp // self.nodes, 1)

    @property
    def _width(self) -> int:
        return self.tp // max(self.nodes // self.pp, 1)


def layout(args: Arguments) -> Layout | None:
    """The ranks that the flags ask for; None where a size is not known, or the nodes cannot share them evenly."""
    sizes = [args.integer(name) if args.has(name) else 1 for name in ("tp-size", "pp-size", "dp-size", "nnodes")]
    places = [args.integer(name) if args.has(name) else default
              for name, default in (("node-rank", 0), ("base-gpu-id", 0), ("gpu-id-step", 1))]  # fmt: skip
    if any(size is None or size < 1 for size in sizes):
        return None
    if any(place is None or place < 0 for place in places):
        return None
    tp, pp, dp, nodes = (size or 1 for size in sizes)
    node, base, step = (place or 0 for place in places)
    if tp * pp % nodes != 0 or tp < max(nodes // pp, 1):
        return None
    replicas = 1 if shares_ranks(args) else dp
    return Layout(tp, pp, replicas, nodes, node, base, max(step, 1))


def shares_ranks(args: Arguments) -> bool:
    """Whether `dp-size` splits the ranks of one model instead of adding copies of it.

    `enable-dp-attention` does that; with a dp-size of 1 there is nothing to split.
    """
    return args.on("enable-dp-attention") and not (
        args.integer("dp-size") == 1 and between(args.release.version, "0.5.2")
    )


def visible(gpus: str | Sequence[int], count: int | None) -> tuple[int, ...] | None:
    """The GPUs that a service sees, by index; None where the host's number of GPUs is not known and needed."""
    if isinstance(gpus, str):
        return None if count is None else tuple(range(count))
    return tuple(gpus)
