"""A wheel file -> the release that it holds."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from sgfleet.engine import version as versions
from sgfleet.engine.descriptions import json_flags
from sgfleet.engine.extract.endpoints import endpoints_of
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.release import extract
from sgfleet.engine.extract.wheel import Wheel
from sgfleet.engine.release import Origin, Release

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.engine.endpoints import Endpoints
    from sgfleet.engine.extract.flags import ReadFlag
    from sgfleet.engine.flag import Flag


def read(path: Path) -> tuple[Release, Endpoints | ExtractionError]:
    """The flags that the wheel's sources declare, and what its server answers, or why that cannot be read.

    Raises:
        ExtractionError: the file is no wheel of SGLang, or declares its flags in a way that is not understood.
    """
    wheel = Wheel(path)
    try:
        if not versions.is_release(wheel.version):
            raise ExtractionError(f"{path}: {wheel.version} is no final or post release")
        found = extract(wheel)
        release = Release(
            version=wheel.version,
            flags=tuple(_explained(one) for one in found.flags),
            requires_python=wheel.requires_python,
            config_parser=found.config_parser,
            environment=found.environment,
            renamed=found.renamed,
            origin=Origin(path.name, wheel.sha256, found.modules),
        )
        return annotated(release), _endpoints(wheel)
    finally:
        wheel.close()


def _endpoints(wheel: Wheel) -> Endpoints | ExtractionError:
    """Flags are worth having without them."""
    try:
        return endpoints_of(wheel.version, wheel)
    except ExtractionError as error:
        return error


def _explained(one: ReadFlag) -> Flag:
    return one.flag._replace(why_opaque="; ".join(str(doubt) for doubt in one.doubts) or None)


def annotated(release: Release) -> Release:
    """The release with what this project knows besides: which text flags hold JSON."""
    known = json_flags()

    def takes_json(flag: Flag) -> bool:
        return flag.type in (None, "str", "nullable_str") and flag.choices is None and not known.isdisjoint(flag.names)

    flags = (flag._replace(takes_json=takes_json(flag)) for flag in release.flags)
    return dataclasses.replace(release, flags=tuple(flags))
