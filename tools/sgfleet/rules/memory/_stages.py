"""The GPUs that other ranks need, and pipeline stages as the way out where no number of ranks will do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.rules.arguments import Arguments
from sgfleet.rules.ranks import layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.memory.settings import Settings
    from sgfleet.rules.memory._tried import Tries
    from sgfleet.rules.rule import MachineView

_STAGES: Final = (2, 4, 8)
_RANKS: Final = (64, 32, 16, 8, 4, 2, 1)


ANOTHER_HOST: Final = "on a host with"


def gpus_needed(view: MachineView, flags: Mapping[str, Any]) -> str:
    """What the ranks of changed flags need beyond what the service has, in words that go behind the change; else "".

    "with 2 GPUs in gpus", "on a host with 16 such GPUs", "with a lower base-gpu-id or gpu-id-step". Where nobody knows
    how many GPUs there are nothing is said.
    """
    host = len((view.facts.gpus if view.facts is not None else None) or ())
    own = host if view.service.gpus == "all" else len(set(view.service.gpus))
    if view.release is None or not own:
        return ""
    ranks = layout(Arguments(view.release, {**view.service.flags, **flags}, view.service.secrets))
    if ranks is None or ranks.last < own:
        return ""
    if ranks.on_host <= own:
        return "with a lower base-gpu-id or gpu-id-step"
    needed = ranks.last + 1
    return f"{ANOTHER_HOST} {needed} such GPUs" if host and needed > host else f"with {needed} GPUs in gpus"


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
            needed = gpus_needed(view, {tp_size: ranks, pp_size: stages})
            where = f", {needed}," if needed else ""
            return f"tp-size {ranks} with pp-size {stages}{where} fits, if the release has stages for this model"
    return ""
