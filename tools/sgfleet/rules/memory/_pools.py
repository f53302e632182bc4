"""What rules about host pools ask: a service's share of the host's RAM, and how far it may be off."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.rules.memory._budget import gib, known

if TYPE_CHECKING:
    from sgfleet.memory.device import GpuBudget
    from sgfleet.memory.host import ServiceShare
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.memory.service import Service
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView, Route


class Pools(NamedTuple):
    """The host pools of one service, which has some. `error_bytes` is that of all its ranks."""

    args: Arguments
    memory: HostMemory
    service: Service
    share: ServiceShare
    budget: GpuBudget
    error_bytes: int

    @property
    def route(self) -> Route:
        """The flag that decides their size."""
        for name in ("hicache-size", "hicache-ratio"):
            if self.args.said(name) is not None and (self.share.ratio is not None) == (name == "hicache-ratio"):
                return self.args.route(name)
        return self.args.route("enable-hierarchical-cache")

    @property
    def sums(self) -> tuple[str, ...]:
        """How they come about: one rank, then all ranks."""
        from sgfleet.memory.sizes import ROUNDING

        lines = []
        for pool in self.share.rank_pools:
            what = "slots" if pool.name == "state" else "tokens"
            ratio = self.share.ratio
            grown = f" ({ratio:g} × {pool.device_tokens:,})" if ratio is not None and pool.device_tokens else ""
            line = (
                f"{pool.name} pool: {pool.tokens:,} {what}{grown} × {pool.token_bytes:,} B = {gib(pool.bytes)} a rank"
            )
            if pool.resident_bytes > pool.bytes * (1 + ROUNDING):
                line += f", {pool.why_more}: {gib(pool.resident_bytes)}"
            lines.append(line)
        share = self.share
        error = f" ± {self.error_bytes / 2**30:,.2f}" if self.error_bytes else ""
        lines.append(f"{share.ranks} ranks × {gib(share.rank_bytes)} = {gib(share.pinned_bytes)}{error}")
        return tuple(lines)


def pools_of(view: MachineView) -> Pools | None:
    """The host pools of a view's service; None where it has none, or they cannot be computed."""
    if view.service.flags.get("enable-hierarchical-cache") is not True:
        return None
    found = known(view)
    if found is None or found.service.settings.hicache is None:
        return None
    share = found.memory.share(view.name)
    if share is None or not share.rank_pools:
        return None
    return Pools(found.args, found.memory, found.service, share, found.budget, share.error_bytes)


def ratio_help(found: Pools) -> str:
    """The largest ratio, or size, that no rule has anything to say about, beside the other services as they are."""
    share = found.share
    if share.sizes is not None:
        size = share.sizes.safe
        if size is None:
            lower = (
                ", or lower mem-fraction-static: the host pool must be the larger one" if share.sizes.least > 1 else ""
            )
            return f"no size fits: remove enable-hierarchical-cache{lower}"
        return f"hicache-size {size} is the largest that fits"
    ratio = None if share.largest is None else share.largest.safe
    if ratio is None or ratio <= 0:
        return "no ratio fits: remove enable-hierarchical-cache, or lower mem-fraction-static, which both pools follow"
    if ratio <= 1:
        return f"the largest ratio that fits is {ratio:.2f}, which is no use: remove enable-hierarchical-cache"
    return f"hicache-ratio {ratio:.2f} is the largest that fits"
