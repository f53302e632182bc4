"""What the tests on a real systemd share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.probe import Probe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.private_systemd import PrivateSystemd


@pytest.fixture
def probe(systemd: PrivateSystemd) -> Iterator[Probe]:
    """Runs units that show what arrives, and removes them."""
    probe = Probe(systemd)
    yield probe
    probe.clean()
