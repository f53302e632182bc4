"""The fixture `systemd`: one private systemd a test session (a worker, under pytest-xdist).

Where there can be none, the tests that ask for it are skipped with the reason; in CI as root that is a failure.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

import pytest

from support.private_systemd import PrivateSystemd, SystemdUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test, saying why. In CI as root everything is expected to be there: then it fails."""
    if os.environ.get("CI") and os.getuid() == 0:
        pytest.fail(f"must run in CI: {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def systemd() -> Iterator[PrivateSystemd]:
    """A running private systemd, shared by the session: name units so that tests do not meet, and remove them."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    try:
        instance = PrivateSystemd.boot(f"test-{os.getpid()}-{worker}", dies_with_caller=True)
    except SystemdUnavailableError as error:
        skip_or_fail(f"no private systemd: {error}")
    yield instance
    instance.stop()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever uses the fixture carries the marker, so that `-m "not systemd"` leaves all of it out."""
    for item in items:
        if "systemd" in getattr(item, "fixturenames", ()):
            item.add_marker("systemd")
