"""The pools that HiCache keeps in host RAM for one rank: tokens and bytes, exact to the byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.era import from_release
from sgfleet.memory.eras import (
    HOST_CHECK_FORGETS_LAYERS,
    HOST_DRAFT,
    HOST_INDEX_APART,
    HOST_PAGES,
    HOST_PINNING,
    HOST_RATIO,
    HOST_RATIO_BUFFER_ONLY,
    HOST_SPLIT,
)
from sgfleet.memory.units import GB

if TYPE_CHECKING:
    from sgfleet.memory.cell import Cell
    from sgfleet.memory.pools import DevicePools
    from sgfleet.memory.settings import Hicache, Settings

POWER_OF_TWO: Final = "pinned as the next power of two"


class HostPool(NamedTuple):
    """One pool. `name` is "kv", "index", "sliding", "state" or "draft"; `tokens` are slots for "state".

    `bytes` is what the release logs and checks; `resident_bytes` is what it takes of the host's RAM, pinned, and
    `why_more` the reason where they differ.
    """

    name: str
    tokens: int
    token_bytes: int
    device_tokens: int
    bytes: int
    resident_bytes: int
    why_more: str = ""


class Mirrored(NamedTuple):
    """What a rank has to mirror: its device pools, what a token takes of each, and the draft's place."""

    pools: DevicePools
    cell: Cell
    settings: Settings
    page_size: int
    draft_packed: bool = False
    draft_layers: int = 0


def default_ratio(settings: Settings) -> float:
    """The ratio where none is given."""
    if settings.hicache is not None and settings.hicache.buffer_only:
        return HOST_RATIO_BUFFER_ONLY
    return HOST_RATIO.at(settings.release)


def host_pools(mirrored: Mirrored, hicache: Hicache, ratio: float | None = None) -> tuple[HostPool, ...]:
    """The host pools of one rank, in the order in which the release makes them. `ratio` overrides the asked one."""
    asked = ratio if ratio is not None else hicache.ratio
    share = default_ratio(mirrored.settings) if asked is None else asked
    size_gb = hicache.size_gb if ratio is None else 0.0
    maker = _Maker(mirrored, share, size_gb)
    return tuple(maker.pools())


def total_bytes(pools: tuple[HostPool, ...]) -> int:
    """RAM that the pools of a rank take."""
    return sum(pool.resident_bytes for pool in pools)


class _Maker:
    """One rank's pools by one ratio or size."""

    def __init__(self, mirrored: Mirrored, ratio: float, size_gb: float) -> None:
        self.of = mirrored
        self.release = mirrored.settings.release
        self.ratio = ratio
        self.sizes = self._sizes(size_gb)

    def pools(self) -> list[HostPool]:
        """KV first; then what rides on it."""
        cell, pools = self.of.cell, self.of.pools
        packed = cell.draft_host if self.of.draft_packed else 0
        apart = HOST_INDEX_APART.at(self.release) if cell.host_index else True
        row = cell.full_host + packed + (0 if apart else cell.host_index)
        kv = self._pool("kv", pools.tokens, row)
        if cell.latent and HOST_CHECK_FORGETS_LAYERS.at(self.release):
            one_layer = "of which the release counts one layer"
            why = f"{one_layer}, {kv.why_more}" if kv.why_more else one_layer
            kv = kv._replace(bytes=kv.bytes // cell.full_layers, why_more=why)
        if not apart:
            kv = self._index_page(kv, cell.host_index)
        made = [kv]
        if cell.host_index and apart:
            keys = cell.host_index + (cell.draft_host_index if self.of.draft_packed else 0)
            made.append(self._index_page(self._exact("index", kv.tokens, keys, pools.tokens), keys))
        if pools.sliding_tokens and cell.sliding_host:
            made.append(self._pool("sliding", pools.sliding_tokens, cell.sliding_host))
        if pools.state is not None and pools.state.slot_bytes:
            made.append(self._pool("state", pools.state.count, pools.state.slot_bytes, page_size=1))
        if self.of.draft_layers and not self.of.draft_packed and HOST_DRAFT.at(self.release) != "none":
            made += self._draft_beside(kv)
        return made

    def _sizes(self, size_gb: float) -> dict[str, float]:
        """--hicache-size of each pool that has one, GB."""
        if size_gb <= 0:
            return {}
        pools = self.of.pools
        device = {"kv": pools.kv_bytes, "sliding": pools.sliding_bytes, "state": pools.state_bytes}
        total = sum(device.values())
        if not HOST_SPLIT.at(self.release) or not total:
            return dict.fromkeys(device, size_gb)
        return {name: size_gb * size / total for name, size in device.items()}

    def _pool(self, name: str, device_tokens: int, token_bytes: int, page_size: int | None = None) -> HostPool:
        page = page_size or self.of.page_size
        if not token_bytes:
            return HostPool(name, 0, 0, device_tokens, 0, 0)
        sized = name in self.sizes
        tokens = int(self.sizes[name] * GB // token_bytes) if sized else int(device_tokens * self.ratio)
        return self._exact(name, self._rounded(tokens, page), token_bytes, device_tokens)

    def _rounded(self, tokens: int, page: int) -> int:
        match HOST_PAGES.at(self.release):
            case "one-more":
                return (tokens // page + 1) * page
            case "down":
                return tokens // page * page
            case _:
                return tokens

    def _exact(self, name: str, tokens: int, token_bytes: int, device_tokens: int) -> HostPool:
        size = tokens * token_bytes
        resident, why = size, ""
        if HOST_PINNING.at(self.release) == "power-of-two" and size:
            resident = 1 << (size - 1).bit_length()
            why = POWER_OF_TWO if resident != size else ""
        return HostPool(name, tokens, token_bytes, device_tokens, size, resident, why)

    def _draft_beside(self, kv: HostPool) -> list[HostPool]:
        """A pool of as many slots as the target's. The release gets there through a ratio, in floating point."""
        device = self.of.pools.tokens
        if from_release(self.release, "0.5.23") or not device:
            tokens = kv.tokens
        else:
            tokens = self._rounded(int(device * (kv.tokens / device)), self.of.page_size)
        made = [self._exact("draft", tokens, self.of.cell.draft_host, device)]
        if self.of.cell.draft_host_index and from_release(self.release, "0.5.18"):
            keys = self.of.cell.draft_host_index
            made.append(self._index_page(self._exact("draft index", tokens, keys, device), keys))
        return made

    def _index_page(self, pool: HostPool, key_bytes: int) -> HostPool:
        """Index keys get a page more than the log and the check count."""
        page = "and a page more" if "index" in pool.name else "and a page of index keys more"
        why = f"{pool.why_more} {page}".strip()
        return pool._replace(resident_bytes=pool.resident_bytes + self.of.page_size * key_bytes, why_more=why)
