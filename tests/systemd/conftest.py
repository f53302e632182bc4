"""What the tests on a real systemd share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.private_systemd.users import lingering_user
from support.probe import Probe
from support.systemd_hosts import Host, RealHost, SimulatedHost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.private_systemd import PrivateSystemd
    from support.private_systemd.users import User


@pytest.fixture
def probe(systemd: PrivateSystemd) -> Iterator[Probe]:
    """Runs units that show what arrives, and removes them."""
    probe = Probe(systemd)
    yield probe
    probe.clean()


@pytest.fixture(scope="session")
def system_host(systemd: PrivateSystemd) -> Iterator[RealHost]:
    """The system manager of the private systemd."""
    host = RealHost(systemd)
    yield host
    host.manager.close()


@pytest.fixture(scope="session")
def user(systemd: PrivateSystemd) -> User:
    """A user with a manager that no login keeps."""
    return lingering_user(systemd, "fleet")


@pytest.fixture(scope="session")
def user_host(systemd: PrivateSystemd, user: User) -> Iterator[RealHost]:
    """That user's manager."""
    host = RealHost(systemd, user)
    yield host
    host.manager.close()


@pytest.fixture(
    params=[
        "simulated",
        pytest.param("system", marks=pytest.mark.systemd),
        pytest.param("user", marks=pytest.mark.systemd),
    ]
)
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    """Each host in turn that has to be like the others."""
    host: Host = SimulatedHost() if request.param == "simulated" else request.getfixturevalue(f"{request.param}_host")
    yield host
    host.clean()
