"""What goes with the host pools: flags that have no effect without them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.rules.combinations import idle_flag

if TYPE_CHECKING:
    from sgfleet.rules.rule import ServiceView

_SWITCH: Final = "enable-hierarchical-cache"


def removal(view: ServiceView) -> str:
    """What to remove for a service without host pools: "remove enable-hierarchical-cache and hicache-size"."""
    flags = {name: value for name, value in view.service.flags.items() if name != _SWITCH}
    without = replace(view, service=view.service.model_copy(update={"flags": flags}), asked=[])
    idle = [str(problem.route[-1]) for problem in idle_flag.check(without)]
    already = {str(problem.route[-1]) for problem in idle_flag.check(view)}
    names = [_SWITCH, *sorted(set(idle) - already)]
    listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    return f"remove {listed}"
