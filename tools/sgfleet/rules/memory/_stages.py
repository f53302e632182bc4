"""Pipeline stages as the way out where no number of ranks will do: each stage has its part of the layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sgfleet.memory.settings import Settings
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.memory._tried import Tries
    from sgfleet.rules.rule import MachineView

_STAGES: Final = (2, 4, 8)
_RANKS: Final = (64, 32, 16, 8, 4, 2, 1)


def gpus_needed(view: MachineView, settings: Settings, tp: int, pp: int = 1) -> str:
    """What so many ranks need beyond what the service has: "with 2 GPUs in gpus", "on a host with 16 such GPUs", or "".

    Without facts nothing is said.
    """
    host = len((view.facts.gpus if view.facts is not None else None) or ())
    needed = tp * pp * settings.replicas // settings.nodes
    if not host:
        return ""
    if needed > host:
        return f"on a host with {needed} such GPUs"
    return "" if view.service.gpus == "all" or needed <= len(set(view.service.gpus)) else f"with {needed} GPUs in gpus"


def in_stages(view: MachineView, args: Arguments, settings: Settings, tries: Tries) -> str:
    """The fewest stages of which no rule has anything to say on this host's GPUs, in words; "" where there are none.

    Whether the release can divide this model into stages is not known here.
    """
    gpus = len((view.facts.gpus if view.facts is not None else None) or ())
    if settings.pp > 1 or not args.has("pp-size"):
        return ""
    room = gpus * settings.nodes // settings.replicas
    tp_size, pp_size = str(args.route("tp-size")[-1]), str(args.route("pp-size")[-1])
    for stages in _STAGES:
        for ranks in _RANKS:
            if ranks * stages > room or tries.outcome({tp_size: ranks, pp_size: stages}).said:
                continue
            needed = gpus_needed(view, settings, ranks, stages)
            where = f", {needed}," if needed else ""
            return f"tp-size {ranks} with pp-size {stages}{where} fits, if the release has stages for this model"
    return ""
