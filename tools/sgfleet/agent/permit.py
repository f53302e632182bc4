"""Whether something new may begin on the host now. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.agent.reason import Reason
from sgfleet.agent.seen import Permit

if TYPE_CHECKING:
    from sgfleet.agent.local import Local
    from sgfleet.agent.store import Freeze


def permit(
    local: Local,
    freeze: Freeze | None,
    now_seconds: float,
    minute: int,
    unit: str,
    confirmed: tuple[str, ...],
    busy: str | None,
) -> Permit:
    """`minute` is of the day, local time; `busy` another service of the host of which something is under way."""
    go = Permit(drift=local.drift)
    if freeze is not None and (freeze.until_seconds is None or now_seconds < freeze.until_seconds):
        left = "" if freeze.until_seconds is None else f", for {(freeze.until_seconds - now_seconds) / 60:.0f} min more"
        reason = Reason("frozen", f"frozen: {freeze.reason}{left}", "sgfleet agent unfreeze")
        return go._replace(word="frozen", reason=reason)
    if not local.apply:
        reason = Reason("report", "this host only reports what it would do", 'mode = "apply" in agent.toml')
        return go._replace(word="report", reason=reason)
    if local.windows and not any(window.holds(minute) for window in local.windows):
        text = f"waits for its window: {', '.join(map(str, local.windows))}"
        return go._replace(word="window", reason=Reason("window", text))
    if local.confirm and unit not in confirmed:
        reason = Reason("confirm", "waits for a person", "sgfleet agent confirm SERVICE")
        return go._replace(word="confirm", reason=reason)
    if busy is not None:
        return go._replace(word="lock", reason=Reason("lock", f"waits for {busy}: one service at a time"))
    return go
