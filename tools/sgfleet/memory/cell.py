"""What a token takes on a rank of one pipeline stage, summed over the stage's layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.memory.era import from_release
from sgfleet.memory.eras import DRAFT_IN_BUDGET
from sgfleet.memory.rows import host_row_bytes, index_bytes, index_key_bytes, row_bytes
from sgfleet.model.layer import Attention, LatentAttention

if TYPE_CHECKING:
    from sgfleet.memory.draft import DraftLayers
    from sgfleet.memory.resolve import Resolved
    from sgfleet.memory.settings import Settings
    from sgfleet.model.layer import Layer


class Cell(NamedTuple):
    """Bytes a token on a rank. `full` and `sliding` are layers that keep every token, and those with a window's pool.

    `budget` is what the release divides its memory by; `allocated` what the pools then have; `host` what one token
    takes in a host pool. `index` is the part of `full` that is index keys, `host_index` likewise. `draft` is what
    draft layers add to the budget of a token, `draft_allocated` what their pool has; not `draft_counted`: no release
    takes that pool out of its budget. `latent`: MLA rows, which every
    rank holds whole.
    """

    full_budget: int
    full_allocated: int
    full_host: int
    full_layers: int
    index_allocated: int = 0
    host_index: int = 0
    sliding_budget: int = 0
    sliding_allocated: int = 0
    sliding_host: int = 0
    sliding_layers: int = 0
    draft: int = 0
    draft_allocated: int = 0
    draft_host: int = 0
    draft_host_index: int = 0
    draft_counted: bool = True
    latent: bool = False

    @property
    def layers(self) -> int:
        """Layers with KV rows."""
        return self.full_layers + self.sliding_layers

    @property
    def budget(self) -> int:
        """Bytes a token where all layers keep it."""
        return self.full_budget + self.sliding_budget


def cell_of(
    layers: tuple[Layer, ...], settings: Settings, resolved: Resolved, draft: DraftLayers | None = None
) -> Cell:
    """The cell of a stage that has these layers."""
    full = [layer.mixer for layer in layers if not (resolved.sliding and _slides(layer))]
    sliding = [layer.mixer for layer in layers if resolved.sliding and _slides(layer)]
    full_rows = [row_bytes(mixer, settings, resolved, budget=True) for mixer in full]
    index_budget = sum(index_bytes(mixer, settings, resolved, budget=True) for mixer in full)
    index_allocated = sum(index_bytes(mixer, settings, resolved, budget=False) for mixer in full)
    count = sum(1 for row in full_rows if row)
    cell = Cell(
        full_budget=sum(full_rows) + index_budget,
        full_allocated=sum(row_bytes(mixer, settings, resolved, budget=False) for mixer in full) + index_allocated,
        full_host=sum(host_row_bytes(mixer, settings, resolved) for mixer in full),
        full_layers=count,
        index_allocated=index_allocated,
        host_index=index_allocated if from_release(settings.release, "0.5.9") else 0,
        sliding_budget=sum(row_bytes(mixer, settings, resolved, budget=True) for mixer in sliding),
        sliding_allocated=sum(row_bytes(mixer, settings, resolved, budget=False) for mixer in sliding),
        sliding_host=sum(host_row_bytes(mixer, settings, resolved) for mixer in sliding),
        sliding_layers=len(sliding),
        latent=any(isinstance(mixer, LatentAttention) for mixer in full),
    )
    return cell if draft is None else _with_draft(cell, draft, settings, resolved)


def _slides(layer: Layer) -> bool:
    return isinstance(layer.mixer, Attention) and layer.mixer.window is not None


def _with_draft(cell: Cell, draft: DraftLayers, settings: Settings, resolved: Resolved) -> Cell:
    """Add a draft's rows: by rule to the budget, as they are to what is allocated."""
    values = cell._asdict()
    values["draft"] = _draft_budget(cell, draft, settings) if draft.rows_counted else 0
    values["draft_counted"] = draft.rows_counted
    if draft.mixers:
        rows = [row_bytes(mixer, settings, resolved, budget=False) for mixer in draft.mixers]
        index = sum(
            index_key_bytes(mixer.indexer)
            for mixer in draft.mixers
            if isinstance(mixer, LatentAttention) and mixer.indexer
        )
        values["draft_allocated"] = sum(rows) + index
        values["draft_host"] = sum(host_row_bytes(mixer, settings, resolved) for mixer in draft.mixers)
        values["draft_host_index"] = index
    else:
        share = draft.count / max(1, cell.full_layers)
        values["draft_allocated"] = int((cell.full_allocated) * share)
        values["draft_host"] = int(cell.full_host * share)
    return Cell(**values)


def _draft_budget(cell: Cell, draft: DraftLayers, settings: Settings) -> int:
    """The release counts draft layers as if they were the target's; DSA index keys apart from 0.5.18 on."""
    if not DRAFT_IN_BUDGET.at(settings.release) or not cell.full_layers:
        return 0
    if cell.index_allocated and from_release(settings.release, "0.5.18"):
        rows = cell.full_budget - cell.index_allocated
        keys = sum(
            index_key_bytes(mixer.indexer)
            for mixer in draft.mixers
            if isinstance(mixer, LatentAttention) and mixer.indexer
        )
        return int(rows * draft.count / cell.full_layers) + keys
    return int(cell.full_budget * draft.count / cell.full_layers)
