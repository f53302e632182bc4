"""Where a service stands, or would stand: its budgets, and what its release calls the flags that matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgfleet.memory.window import Window, window_of

if TYPE_CHECKING:
    from sgfleet.engine.release import Release
    from sgfleet.memory.device import GpuBudget
    from sgfleet.memory.host import HostBudget, ServiceShare
    from sgfleet.memory.service import Service
    from sgfleet.memory.settings import Settings


@dataclass(frozen=True, slots=True)
class Situation:
    """One service beside the others of its host. Its GPU budget is known: who makes one has looked.

    `unaccounted_bytes` is what an observed start took beside all that is counted. Where a change makes that start no
    measure any more, it still is the best guess of what will be taken.
    """

    release: Release
    service: Service
    host: HostBudget
    unaccounted_bytes: int = 0

    @property
    def settings(self) -> Settings:
        """The service's flags as far as memory goes."""
        return self.service.settings

    @property
    def budget(self) -> GpuBudget:
        """One rank's GPU."""
        budget = self.service.budget
        unaccounted = max(budget.unaccounted_bytes, self.unaccounted_bytes)
        return budget._replace(unaccounted_bytes=unaccounted)

    @property
    def share(self) -> ServiceShare:
        """What the service takes of the host's RAM."""
        return next(share for share in self.host.shares if share.name == self.service.name)

    @property
    def window(self) -> Window:
        """The memory fractions that work."""
        return window_of(self.budget)

    @property
    def groups(self) -> int:
        """Attention groups and copies of the model: each holds tokens of its own."""
        return self.settings.attention_dp * self.settings.replicas

    def flag(self, *names: str) -> str | None:
        """The first of these flags that the release has and does not deprecate."""
        known = self.release.by_name
        return next((name for name in names if name in known and known[name].deprecation is None), None)


@dataclass(frozen=True, slots=True)
class Capacity:
    """KV tokens of a service. All ranks of a group hold the same tokens; groups and copies hold tokens of their own.

    `gpu_tokens` and `ram_tokens` are sums over groups, within `error_tokens` for the GPU; a request lives in one
    group: `request_tokens` is the longest that fits. `origin` is where the GPU's figure comes from. `ram_bytes` is
    what all ranks pin, `ram_left_bytes` what is then left on the host (None: not known). `gpu_left_bytes` is what a
    rank has left for activations.
    """

    gpu_tokens: int
    error_tokens: int
    origin: str
    request_tokens: int
    ram_tokens: int
    ram_bytes: int
    ram_left_bytes: int | None
    gpu_left_bytes: int
    fraction: float
    ratio: float | None


def capacity_of(situation: Situation) -> Capacity:
    """The capacity of a service."""
    budget, share, groups = situation.budget, situation.share, situation.groups
    kv = next((pool for pool in share.rank_pools if pool.name == "kv"), None)
    error = budget.error_tokens
    origin = "measured" if budget.measured_tokens else "estimated" if error else "computed"
    return Capacity(
        gpu_tokens=budget.tokens * groups,
        error_tokens=error * groups,
        origin=origin,
        request_tokens=budget.tokens,
        ram_tokens=kv.tokens * groups if kv is not None else 0,
        ram_bytes=share.pinned_bytes,
        ram_left_bytes=situation.host.left_bytes,
        gpu_left_bytes=budget.left_bytes,
        fraction=budget.fraction.value,
        ratio=share.ratio,
    )
