"""What rules about host pools ask: a service's share of the host's RAM, and how far it may be off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.rules.memory._budget import gib, known
from sgfleet.rules.memory._removal import removal
from sgfleet.rules.memory._tried import Tries

if TYPE_CHECKING:
    from sgfleet.memory.device import GpuBudget
    from sgfleet.memory.host import ServiceShare
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.memory.service import Service
    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView, Route


_STEP: Final = 0.05
_USEFUL: Final = 1.05
"""A host pool that is hardly larger than the one on the GPU is not worth a smaller one there."""


class Pools(NamedTuple):
    """The host pools of one service, which has some. `error_bytes` is that of all its ranks."""

    view: MachineView
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
        from sgfleet.memory.units import gib_within

        pinned = gib_within(share.pinned_bytes, self.error_bytes)
        lines.append(f"{share.ranks} ranks × {gib(share.rank_bytes)} = {pinned}")
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
    return Pools(view, found.args, found.memory, found.service, share, found.budget, share.error_bytes)


def ratio_help(found: Pools) -> str:
    """The largest ratio, or size, that no rule has anything to say about, beside the other services as they are."""
    share = found.share
    if share.sizes is not None:
        if share.sizes.safe is not None:
            return f"hicache-size {share.sizes.safe} is the largest that fits"
        return _none_fits(found, "size")
    ratio = None if share.largest is None else share.largest.safe
    if ratio is not None and ratio > 1:
        return f"hicache-ratio {ratio:.2f} is the largest that fits"
    return _none_fits(found, "ratio")


def _none_fits(found: Pools, what: str) -> str:
    """What else there is: another memory fraction, which the pool on the GPU follows, or no host pool."""
    from sgfleet.memory.of_host import Unknown

    view = found.view
    tries = Tries(view, "")
    if tries.is_one:
        return ""
    smaller = _smaller_pool(found, tries, f"hicache-{what}")
    none = "no ratio above 1 fits" if what == "ratio" else "no size fits"
    if smaller is None:
        return f"{none}, with no lower mem-fraction-static either: {removal(view)}"
    written = " and ".join(f"`{flag}: {value:g}`" for flag, value in smaller.items())
    budget = found.memory.changed(view.name, smaller).budget(view.name)
    tokens = "" if isinstance(budget, Unknown) else f", which leaves {budget.tokens:,} KV tokens on the GPU"
    return f"{none}: {removal(view)}, or write {written}{tokens}"


def _smaller_pool(found: Pools, tries: Tries, flag: str) -> dict[str, float] | None:
    """The highest lower fraction beside which a host pool fits, with the size or ratio that then does."""
    window = found.memory.window(found.view.name)
    if window is None or window.good is None:
        return None
    name, low = str(found.args.route("mem-fraction-static")[-1]), window.good[0]
    here = min(found.budget.fraction.value, window.good[1])
    steps = int((here - low) / _STEP)
    for fraction in (*(round(here - _STEP * step, 3) for step in range(1, steps + 1)), low):
        share = found.memory.changed(found.view.name, {name: fraction}).share(found.view.name)
        if share is None or fraction >= found.budget.fraction.value:
            continue
        if share.sizes is not None:
            fits: float | None = share.sizes.safe
        else:
            fits = share.largest.safe if share.largest is not None else None
            fits = fits if fits is not None and fits > _USEFUL else None
        changed = {name: fraction, str(found.args.route(flag)[-1]): fits or 0}
        if fits is not None and not tries.outcome(changed).said:
            return changed
    return None
