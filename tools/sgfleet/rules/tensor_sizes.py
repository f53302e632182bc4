"""Values of `tp-size` that a service could have, for a help that names one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.rules.arguments import arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

_LARGEST: Final = 1024
"""Ranks of one model on one host: no host has as many GPUs."""


def tensor_sizes(view: MachineView, most: int) -> Iterator[int]:
    """Values up to `most`, the largest first, that no other rule refuses: the parts divide, the weights may fit.

    Of a model that nobody knows the powers of two, by which heads are mostly divided.
    """
    from sgfleet.rules.memory._sizes import divides

    args = arguments(view)
    if args is None:
        return
    name = str(args.route("tp-size")[-1])
    powers = [1 << power for power in range(_LARGEST.bit_length())]
    for size in sorted({min(most, _LARGEST), *powers}, reverse=True):
        if not 0 < size <= most or not _splits(view, name, size):
            continue
        known = divides(view, size)
        if known or (known is None and size in powers):
            yield size


def _splits(view: MachineView, name: str, size: int) -> bool:
    """Whether the other parallel sizes go with this one."""
    from sgfleet.findings import Severity
    from sgfleet.rules.combinations import attention_dp, expert_parallelism, uneven_split

    service = view.service.model_copy(update={"flags": {**view.service.flags, name: size}})
    changed = replace(view, service=service, asked=[])
    return not any(
        (problem.severity or rules.RULE.severity) is Severity.ERROR
        for rules in (attention_dp, expert_parallelism, uneven_split)
        for problem in rules.check(changed)
    )
