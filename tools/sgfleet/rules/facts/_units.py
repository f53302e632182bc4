"""What to write instead of a figure in another unit, for the rules about facts."""

from __future__ import annotations


def instead(key: str, written: float, asked: str, found: tuple[str, float] | None, source: str) -> str:
    """The unit in which the figure would fit and what it then is, or only where the right one stands."""
    if found is None:
        return f"write {source}; `sgfleet facts` on the host does"
    unit, value = found
    asks = f"{written:,} {unit}? The unit here is {asked}: write {key}: {int(value)}"
    return f"{asks}, or {source}, as `sgfleet facts` on the host does"
