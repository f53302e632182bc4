"""A wheel file -> the release that it holds."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from sgfleet.engine import version as versions
from sgfleet.engine.descriptions import json_flags
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.release import extract
from sgfleet.engine.extract.wheel import Wheel
from sgfleet.engine.release import Origin, Release

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.engine.extract.flags import ReadFlag
    from sgfleet.engine.flag import Flag


def read(path: Path) -> Release:
    """The flags that the wheel's sources declare.

    Raises:
        ExtractionError: the file is no wheel of SGLang, or declares its flags in a way that is not understood.
    """
    wheel = Wheel(path)
    try:
        if not versions.is_release(wheel.version):
            raise ExtractionError(f"{path}: {wheel.version} is no final or post release")
        found = extract(wheel)
        return Release(
            version=wheel.version,
            flags=tuple(_finished(one) for one in found.flags),
            requires_python=wheel.requires_python,
            config_parser=found.config_parser,
            environment=found.environment,
            renamed=found.renamed,
            origin=Origin(path.name, wheel.sha256, found.modules),
        )
    finally:
        wheel.close()


def _finished(one: ReadFlag) -> Flag:
    flag = one.flag
    takes_json = flag.type in (None, "str", "nullable_str") and not json_flags().isdisjoint(flag.names)
    why = "; ".join(str(doubt) for doubt in one.doubts) or None
    return dataclasses.replace(flag, why_opaque=why, takes_json=takes_json)
