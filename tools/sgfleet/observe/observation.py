"""What was measured of one start, from whichever source. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import Any, Final

_RELEASE: Final = re.compile(r"\d+\.\d+\.\d+(?:\.post\d+)?")
_APART: Final = ("settings", "notes", "failure", "ready", "release", "version")


@dataclass(slots=True)
class Measured:
    """Figures of a start; None is unknown. Names, units and meanings are those of `spec.facts.Observation`.

    `version` is what the server calls itself, `release` the same where that is a final or post release. `ready` says
    whether the server came up, `failure` why it did not, `notes` what a person should know of the figures.
    """

    release: str | None = None
    version: str | None = None
    ranks: int | None = None
    kv_tokens: int | None = None
    swa_tokens: int | None = None
    kv_pool_gib: float | None = None
    state_slots: int | None = None
    state_pool_gib: float | None = None
    free_before_gib_min: float | None = None
    weights_gib: float | None = None
    free_after_weights_gib_min: float | None = None
    graphs_gib: float | None = None
    draft_weights_gib: float | None = None
    draft_pool_gib: float | None = None
    free_after_gib_min: float | None = None
    free_after_gib_max: float | None = None
    host_pool_gb: float | None = None
    host_pool_tokens: int | None = None
    max_running_requests: int | None = None
    context_tokens: int | None = None
    load_seconds: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    ready: bool = False
    failure: str | None = None
    notes: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, int | float]:
        """What was measured, by the names of facts.yaml, without what is unknown."""
        found = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None and each.name not in _APART:
                found[each.name.replace("_", "-")] = value
        return found

    def facts(self, when: str, how: str) -> dict[str, Any]:
        """The entry of facts.yaml. `release` must be known."""
        entry: dict[str, Any] = {"release": self.release, "read": {"when": when, "how": how}, **self.figures()}
        return {**entry, "settings": dict(self.settings)} if self.settings else entry


def release_of(version: Any) -> str | None:
    """The release that a version names; None for a development version, which is none."""
    return version if isinstance(version, str) and len(version) < 33 and _RELEASE.fullmatch(version) else None
