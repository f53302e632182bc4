"""The recorded verdicts of releases' start-up checks against the releases themselves: `make test-oracle`."""

from __future__ import annotations

import pytest

from oracle.startup import verdicts
from rules.combinations.cases import recorded
from sgfleet.engine import store

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("version", store.available())
def test_record_is_what_the_release_says(version):
    found = verdicts(version)
    assert {name: (was, found[name]) for name, was in recorded(version).items() if was != found[name]} == {}
