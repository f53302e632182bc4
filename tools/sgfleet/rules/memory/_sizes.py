"""Whether a service's model goes with another tp-size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.rules.memory._divided import _even, _may_fit, _with_tp
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
