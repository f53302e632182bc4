"""The GPUs of a host: which service takes which, and which are left for one of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from sgfleet.rules.arguments import arguments
from sgfleet.rules.ranks import MOST, layout
from sgfleet.rules.rule import Together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView, ServiceView
    from sgfleet.spec.models.facts import Facts
    from sgfleet.spec.models.service import Service


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


class Takers:
    """How many services of a host take each GPU. Asked once a host: some services have a finding each."""

    def __init__(self, services: Mapping[str, ServiceView]) -> None:
        self.used = {name: gpus_of(service) for name, service in services.items()}
        self._count = Counter(index for used in self.used.values() for index in used or ())
        self._all = sum(used is None for used in self.used.values())

    def but(self, name: str, index: int) -> bool:
        """Whether a service other than `name` takes the GPU."""
        own = self.used[name]
        if self._all > (own is None):
            return True
        return self._count[index] > (own is not None and index in own)


def takers(services: Mapping[str, ServiceView]) -> Takers:
    """Who takes what, kept with the services of a host where they have a place for it."""
    kept: list[Takers] = services.kept if isinstance(services, Together) else []
    if not kept:
        kept.append(Takers(services))
    return kept[0]


def room(
    name: str, services: Mapping[str, ServiceView], facts: Facts | None, but: Set[int] = frozenset()
) -> Room | None:
    """What is left of a host for the service `name`, `but` aside; None without facts of its GPUs."""
    if facts is None or facts.gpus is None:
        return None
    taken = takers(services)
    sound = {
        gpu.index: gpu.name
        for gpu in facts.gpus
        if gpu.problem is None and not gpu.mig and gpu.index not in but and not taken.but(name, gpu.index)
    }
    given = services[name].service.gpus
    mine = dict.fromkeys((*sorted(taken.used[name] or ()), *(given if given != "all" else ())))
    own = [index for index in mine if index in sound]
    cards = {gpu.name for gpu in facts.gpus if not mine or gpu.index in mine}
    rest = sorted((index for index in sound if index not in mine), key=lambda index: (sound[index] not in cards, index))
    return Room((*own, *rest), needed(services[name]))


def room_of(view: MachineView) -> Room | None:
    """What is left of its host for a service; None without facts of its GPUs."""
    return room(view.name, view.together or Together({view.name: view}), view.facts)
