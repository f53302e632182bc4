"""What is known of FP8 rows and latent attention, against the sources in the wheels: `make test-oracle`."""

from __future__ import annotations

import re
import zipfile

import pytest

from oracle.wheels import wheel
from sgfleet.engine import store
from sgfleet.engine.version import in_order
from sgfleet.options.moves.kv_type import LATENT_COPIES

pytestmark = pytest.mark.oracle

VERSIONS = in_order(store.available())


def source(release, path):
    """A module's text; empty where the release does not have it."""
    with zipfile.ZipFile(wheel(release)) as archive:
        name = f"sglang/srt/{path}"
        return archive.read(name).decode() if name in archive.namelist() else ""


@pytest.mark.parametrize("backend", LATENT_COPIES)
def test_the_copy_is_there_from_its_release_on_and_not_before(backend):
    era = LATENT_COPIES[backend].eras[-1]
    at = VERSIONS.index(era.since)
    assert not re.search(era.sign, source(VERSIONS[at - 1], era.source))
    for release in (VERSIONS[at], VERSIONS[-1]):
        assert re.search(era.sign, source(release, era.source)), release
