"""The GPUs of a host: which service takes which, and which are left for one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.rules.arguments import arguments
from sgfleet.rules.ranks import MOST, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import ServiceView
    from sgfleet.spec.facts import Facts


def gpus_of(service: ServiceView) -> frozenset[int] | None:
    """The indices of the GPUs that a service takes; None for all there are."""
    gpus, args = service.service.gpus, arguments(service)
    ranks = layout(args) if args is not None else None
    if args is not None and args.text("device") == "cpu":
        return frozenset()
    if gpus == "all":
        return frozenset(ranks.devices()) if ranks is not None and ranks.on_host <= MOST else None
    if ranks is None:
        return frozenset(gpus)
    return frozenset(gpus[position] for position in ranks.devices() if position < len(gpus))


def needed(service: ServiceView) -> int | None:
    """How many GPUs a service's ranks on this host take; None where nobody knows."""
    gpus, args = service.service.gpus, arguments(service)
    ranks = layout(args) if args is not None else None
    if ranks is not None:
        return ranks.on_host
    return None if gpus == "all" else len(gpus)


def shifted(args: Arguments) -> str:
    """The given flags that move ranks to other GPUs, in words; "" where none does."""
    moving = [name for name, still in (("base-gpu-id", 0), ("gpu-id-step", 1))
              if args.said(name) is not None and args.integer(name) != still]  # fmt: skip
    return " and ".join(str(args.route(name)[-1]) for name in moving)


def written(gpus: Sequence[int], service: ServiceView) -> str:
    """What gives a service these GPUs, after "write": `gpus: [2, 3]`, without what would move its ranks off them."""
    args = arguments(service)
    moving = shifted(args) if args is not None else ""
    return f"`gpus: {list(gpus)}`" + (f" and remove {moving}" if moving else "")


class Room(NamedTuple):
    """The GPUs that one service may have: those that can be used and that no other service takes.

    `gpus` are the service's own first, then those like them.
    """

    gpus: tuple[int, ...]
    count: int | None

    def enough(self) -> tuple[int, ...] | None:
        """As many as the ranks need, in order; None where there are too few, or nobody knows how many it takes."""
        return tuple(sorted(self.gpus[: self.count])) if self.count and self.count <= len(self.gpus) else None

    @property
    def lack(self) -> str:
        """What is missing, in words."""
        count, there = self.count or 0, len(self.gpus)
        need = f"its {count} ranks need as many GPUs" if count != 1 else "its rank needs a GPU"
        have = "none is" if not there else f"only {there} {'is' if there == 1 else 'are'}"
        missing = f"{count - there} {'is' if count - there == 1 else 'are'} missing"
        return f"{need}, and {have} without another service: {missing}"


def room(
    name: str, services: Mapping[str, ServiceView], facts: Facts | None, but: Set[int] = frozenset()
) -> Room | None:
    """What is left of a host for the service `name`, `but` aside; None without facts of its GPUs."""
    if facts is None or facts.gpus is None:
        return None
    sound = {gpu.index: gpu.name for gpu in facts.gpus if gpu.problem is None and not gpu.mig and gpu.index not in but}
    count = needed(services[name])
    for other, service in services.items():
        used = gpus_of(service) if other != name else frozenset()
        if used is None:
            return Room((), count)
        sound = {index: card for index, card in sound.items() if index not in used}
    mine = gpus_of(services[name])
    own = [index for index in sorted(mine or ()) if index in sound]
    cards = {gpu.name for gpu in facts.gpus if mine is None or gpu.index in mine}
    rest = sorted((index for index in sound if index not in own), key=lambda index: (sound[index] not in cards, index))
    return Room((*own, *rest), count)
