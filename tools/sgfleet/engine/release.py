"""The flag schema of one SGLang release, as `schema/sglang/<release>.json` holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sgfleet.engine.flag import Flag


@dataclass(frozen=True)
class Release:
    """All flags of a release, in the order in which its parser declares them."""

    version: str
    flags: tuple[Flag, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Flag]:
        """Declared name without dashes (aliases and `no-` twins included) -> flag."""
        return {name: flag for flag in self.flags for name in flag.names}

    @cached_property
    def order(self) -> Mapping[str, int]:
        """Declared name -> position in the parser, for rendering in the release's own order."""
        return {name: index for index, flag in enumerate(self.flags) for name in flag.names}
