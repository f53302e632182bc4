"""The memory budgets of hosts for their rules. Hosts that are alike in what decides memory share one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.rules.shared import content

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sgfleet.fleet.workspace import Workspace
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.spec.host_spec import HostSpec

_KEPT: Final = 128
_OF_SERVICE: Final = ("release", "gpus", "flags", "environment", "unit")
_OF_FACTS: Final = ("gpus", "memory", "numa", "limits", "checkpoints", "observed")


class Memories:
    """Budgets by what they are computed from, for as long as one command runs."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: dict[bytes, HostMemory] = {}

    def of(self, spec: HostSpec) -> Callable[[], HostMemory]:
        """A function that gives the budgets of a host. The first rule that asks imports and computes."""
        found: list[HostMemory] = []

        def memory() -> HostMemory:
            if not found:
                found.append(self._of(spec))
            return found[0]

        return memory

    def _of(self, spec: HostSpec) -> HostMemory:
        facts = (
            None if spec.facts is None or spec.facts_document is None else _part(spec.facts_document.data, _OF_FACTS)
        )
        key = content([facts, {name: _part(each.data, _OF_SERVICE) for name, each in spec.services.items()}])
        if key not in self._known:
            from sgfleet.memory.of_host import HostMemory

            if len(self._known) >= _KEPT:
                self._known.clear()
            workspace = self._workspace
            self._known[key] = HostMemory(
                {name: each.service for name, each in spec.services.items()},
                workspace.release,
                spec.facts,
                workspace.repository.fleet.policy,
                workspace.library,
            )
        return self._known[key]


def _part(data: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    return [data.get(key) for key in keys]
