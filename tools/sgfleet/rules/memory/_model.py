"""The model of a service for rules that need no GPU: its shape, and how many ways each part of it is divided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sgfleet.rules.arguments import arguments

if TYPE_CHECKING:
    from sgfleet.memory.service import Service
    from sgfleet.model.parallel import Parallel
    from sgfleet.model.shape import ModelShape
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView


Kind = Literal["plain", "latent", "sparse-latent"]
"""What a release tells attention backends apart by: "sparse-latent" is "latent" as well."""


class Model(NamedTuple):
    """A model that is known, and its parallel sizes."""

    args: Arguments
    service: Service
    shape: ModelShape
    parallel: Parallel

    @property
    def source(self) -> str:
        """What a verdict about it is based on."""
        source = self.shape.source
        return source.name if source.match == "exact" else f"{source.name}, by its name"


def model_of(view: MachineView) -> Model | None:
    """The model of a service on more than one rank; None where nothing is known of it, which MEM030 or FCT001 says."""
    args = arguments(view)
    if args is None or view.memory is None or args.integer("tp-size") in (None, 1):
        return None
    from sgfleet.memory.device import parallel_of
    from sgfleet.memory.of_host import Unknown

    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return None
    return Model(args, service, service.load.shape, parallel_of(service.settings))


def kinds(view: MachineView) -> tuple[frozenset[Kind], str] | None:
    """The kinds of a model's attention, and where that is known from; None where it is not, or is another one."""
    if view.memory is None:
        return None
    from sgfleet.memory.of_host import Unknown
    from sgfleet.model.layer import Attention, CompressedAttention, LatentAttention

    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return None
    shape = service.load.shape
    mixers = list(shape.mixers)
    if any(isinstance(each, CompressedAttention) or (isinstance(each, Attention) and each.indexer) for each in mixers):
        return None
    latent = [each for each in mixers if isinstance(each, LatentAttention)]
    found: tuple[Kind, ...] = ("plain",)
    if latent:
        found = ("latent", "sparse-latent") if any(each.indexer for each in latent) else ("latent",)
    elif not any(isinstance(each, Attention) for each in mixers):
        return None
    source = shape.source
    return frozenset(found), source.name if source.match == "exact" else f"{source.name} (by its name)"


def divisors(number: int, most: int = 64) -> str:
    """The powers of two that divide a number, in words for a help: "1, 2 or 4"."""
    found = [str(size) for size in (1, 2, 4, 8, 16, 32, 64) if size <= most and number % size == 0]
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"


def capability(view: MachineView) -> tuple[int, int] | None:
    """The compute capability of the service's GPUs, the lowest one; None where it is not known of all of them."""
    gpus, wanted = (view.facts.gpus if view.facts is not None else None) or (), view.service.gpus
    found = []
    for gpu in gpus:
        if wanted != "all" and gpu.index not in wanted:
            continue
        if gpu.compute_capability is None:
            return None
        major, _, minor = gpu.compute_capability.partition(".")
        found.append((int(major), int(minor)))
    return min(found, default=None)


def gpu_name(view: MachineView) -> str:
    """The name of the service's first GPU."""
    gpus, wanted = (view.facts.gpus if view.facts is not None else None) or (), view.service.gpus
    return next((gpu.name for gpu in gpus if wanted == "all" or gpu.index in wanted), "the GPU")
