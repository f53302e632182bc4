"""What every release answers, read anew from its wheel, against what is committed: `make test-oracle`."""

from __future__ import annotations

import pytest

from oracle.wheels import wheel
from sgfleet.engine import endpoints, store
from sgfleet.engine.extract.endpoints import endpoints_of
from sgfleet.engine.extract.wheel import Wheel

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("version", store.available())
def test_endpoints_are_those_of_the_wheel(version):
    opened = Wheel(wheel(version))
    try:
        assert endpoints.load(version) == endpoints_of(version, opened)
    finally:
        opened.close()
