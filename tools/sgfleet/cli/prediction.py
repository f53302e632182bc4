"""What was computed for a service, by the names that facts.yaml gives to measured figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sgfleet.fleet.workspace import Workspace

_GIB: Final = 2**30


def prediction(workspace: Workspace, host: str, service: str) -> tuple[dict[str, int | float], str | None]:
    """Figures of the service as it is specified, without what an earlier start measured; or why there are none."""
    from sgfleet.memory.of_host import HostMemory, Unknown

    spec = workspace.repository.host(host)
    if service not in spec.services:
        return {}, "the specification cannot be put together"
    facts = None if spec.facts is None else spec.facts.model_copy(update={"observed": {}})
    services = {name: each.service for name, each in spec.services.items()}
    memory = HostMemory(services, workspace.release, facts, workspace.repository.fleet.policy, workspace.root)
    budget = memory.budget(service)
    if isinstance(budget, Unknown):
        return {}, budget.message
    pools = budget.pools
    in_bytes = {
        "kv-pool-gib": pools.kv_bytes + pools.sliding_bytes,
        "state-pool-gib": pools.state_bytes or None,
        "free-before-gib-min": budget.free_before.bytes,
        "weights-gib": budget.weights.bytes,
        "graphs-gib": budget.graph_bytes or None,
        "draft-weights-gib": budget.draft_weights.bytes if budget.draft_weights is not None else None,
        "draft-pool-gib": pools.draft_bytes or None,
        "free-after-gib-min": budget.left_bytes,
    }
    figures: dict[str, int | float] = {"kv-tokens": budget.tokens}
    if pools.sliding_tokens is not None:
        figures["swa-tokens"] = pools.sliding_tokens
    figures |= {name: round(size / _GIB, 2) for name, size in in_bytes.items() if size is not None}
    return figures, None
