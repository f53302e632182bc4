"""Whether a service's model goes with another tp-size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.rules.memory._divided import _even, _with_tp
from sgfleet.rules.memory._model import Model

if TYPE_CHECKING:
    from sgfleet.rules.rule import MachineView


def divides(view: MachineView, size: int) -> bool | None:
    """Whether `size` ranks share the model without a rest and its weights are not known to be too large for them.

    None where nothing is known of the model.
    """
    from sgfleet.memory.device import parallel_of
    from sgfleet.memory.of_host import Unknown
    from sgfleet.rules.arguments import arguments

    args = arguments(view)
    if args is None or view.memory is None:
        return None
    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return None
    model = Model(args, service, service.load.shape, parallel_of(service.settings))
    return _even(_with_tp(model, size)) and _may_fit(view, model, size)


def _may_fit(view: MachineView, model: Model, size: int) -> bool:
    from sgfleet.memory.of_host import Unknown, budget_of
    from sgfleet.memory.window import window_of

    if view.memory is None:
        return True
    changed = view.memory().variant(view.name, {str(model.args.route("tp-size")[-1]): size})
    budget = changed if isinstance(changed, Unknown) else budget_of(changed)
    return isinstance(budget, Unknown) or not window_of(budget).is_empty
