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
    own = view.service.flags
    without = {name: value for name, value in own.items() if name != _SWITCH}
    changed = replace(view, service=view.service.model_copy(update={"flags": without}), asked=[])
    already = {str(problem.route[-1]) for problem in idle_flag.check(view)}
    idle = {str(problem.route[-1]) for problem in idle_flag.check(changed)}
    goes = sorted(name for name in idle if name not in already or name.startswith("hicache-"))
    names = [*([_SWITCH] if _SWITCH in own or not goes else []), *goes]
    listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    return f"remove {listed}"
