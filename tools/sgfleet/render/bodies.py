"""Bodies of units that were rendered before, for services that are alike: hosts of a fleet share most of theirs.

Nothing here changes what is rendered. A body is found again only for the very same values in the same order, with the
numbers spelled the same, under the same release; and only so many are kept.
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.release import Release
    from sgfleet.render.unit import Body
    from sgfleet.spec.models.service import Service

KEPT: Final = 128

_EXACT: Final = 2
"""The version of marshal's format whose bytes do not depend on which equal values are one object."""


class _Kept(NamedTuple):
    release: Release
    body: Body


_known: dict[bytes, _Kept] = {}


def kept_body(service: Service, release: Release, texts: Mapping[str, str]) -> Body | None:
    """The body of a service like this one; None where none was rendered lately.

    `texts` are the spellings of its numbers. Releases are told apart by identity: two may have the same version.
    """
    kept = _known.get(_key(service, texts))
    return kept.body if kept is not None and kept.release is release else None


def keep_body(service: Service, release: Release, texts: Mapping[str, str], body: Body) -> None:
    """Remember it for the next one."""
    if len(_known) >= KEPT:
        _known.clear()
    _known[_key(service, texts)] = _Kept(release, body)


def _key(service: Service, texts: Mapping[str, str]) -> bytes:
    """All values but the waivers, which are in no unit. Unlike JSON it tells 1 from 1.0, and infinity from null."""
    values = _plain(service)
    del values["waive"]
    return marshal.dumps((values, dict(texts)), _EXACT)


def _plain(model: object) -> dict[str, Any]:
    return {name: _plain(value) if hasattr(value, "model_fields_set") else value for name, value in vars(model).items()}
