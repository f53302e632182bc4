"""The GPUs of a host: which service takes which, and which are left for one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.rules.arguments import arguments
from sgfleet.rules.ranks import MOST, layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView, ServiceView
    from sgfleet.spec.facts import Facts
    from sgfleet.spec.service import Service


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


def with_gpus(gpus: Sequence[int], service: Service, args: Arguments | None) -> str:
    """What gives a service these GPUs: "write `gpus: [2, 3]` and remove base-gpu-id", which would lead off them."""
    moving = shifted(args) if args is not None else ""
    if moving and service.gpus != "all" and tuple(gpus) == tuple(service.gpus):
        return f"remove {moving}"
    return f"write `gpus: {list(gpus)}`" + (f" and remove {moving}" if moving else "")


class Room(NamedTuple):
    """The GPUs that one service may have: those that can be used and that no other service takes.

    `gpus` are those that its ranks take first, then others that it is given, then those like them.
    """

    gpus: tuple[int, ...]
    ranks: int | None

    def enough(self) -> tuple[int, ...] | None:
        """As many as the ranks need, in order; None where there are too few, or nobody knows how many it takes."""
        return tuple(sorted(self.gpus[: self.ranks])) if self.ranks and self.ranks <= len(self.gpus) else None

    @property
    def lack(self) -> str:
        """What is missing, in words."""
        count, there = self.ranks or 0, len(self.gpus)
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
        taken = gpus_of(service) if other != name else frozenset()
        if taken is None:
            return Room((), count)
        sound = {index: card for index, card in sound.items() if index not in taken}
    used, given = gpus_of(services[name]), services[name].service.gpus
    mine = dict.fromkeys((*sorted(used or ()), *(given if given != "all" else ())))
    own = [index for index in mine if index in sound]
    cards = {gpu.name for gpu in facts.gpus if not mine or gpu.index in mine}
    rest = sorted((index for index in sound if index not in mine), key=lambda index: (sound[index] not in cards, index))
    return Room((*own, *rest), count)


def room_of(view: MachineView) -> Room | None:
    """What is left of its host for a service; None without facts of its GPUs."""
    return room(view.name, view.together or {view.name: view}, view.facts)
