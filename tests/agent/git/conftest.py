"""An origin, a mirror of it on a host, and keys for who signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgfleet.agent.mirror import Mirror
from sgfleet.agent.remote import RemoteSettings
from support.git_origin import Origin
from support.signing import SshSigner

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path / "origins" / "fleet.git")


@pytest.fixture
def mirror(origin: Origin, tmp_path: Path) -> Mirror:
    return Mirror(tmp_path / "state" / "mirror.git", RemoteSettings(f"file://{origin.path}"))


@pytest.fixture(scope="session")
def ann(tmp_path_factory: pytest.TempPathFactory) -> SshSigner:
    return SshSigner.make(tmp_path_factory.mktemp("keys"), "ann")


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> SshSigner:
    return SshSigner.make(tmp_path_factory.mktemp("keys"), "stranger")
