"""The flag schema of one SGLang release, as `schema/sglang/<release>.json` holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from sgfleet.engine.flag import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.flag import Flag


class Origin(NamedTuple):
    """Where a schema was read: the wheel's file name, its SHA-256 in hexadecimal digits, the modules that were read."""

    wheel: str
    sha256: str
    modules: tuple[str, ...]


@dataclass(frozen=True)
class Release:
    """All flags of a release, in the order in which its parser declares them.

    `requires_python` is the wheel's version specifier. `config_parser` is the module that reads `--config FILE`, None
    where the release has no such flag. `environment` says which choices a flag has besides when a variable is switched
    on: variable -> flag -> choices. `renamed` maps a dest to the field of SGLang's ServerArgs that gets its value,
    where the two differ.
    """

    version: str
    flags: tuple[Flag, ...]
    requires_python: str | None = None
    config_parser: str | None = None
    environment: Mapping[str, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Flag]:
        """Declared name without dashes (aliases and `no-` twins included) -> flag."""
        return {name: flag for flag in self.flags for name in flag.names}

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """Destination -> default, as with argparse of the first flag that has one. An alias has none of its own."""
        return {flag.dest: flag.default for flag in reversed(self.flags) if flag.default != SUPPRESSED}

    @cached_property
    def order(self) -> Mapping[str, int]:
        """Declared name -> position in the parser, for rendering in the release's own order."""
        return {name: index for index, flag in enumerate(self.flags) for name in flag.names}
