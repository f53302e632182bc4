"""What the tests with real releases use."""

from __future__ import annotations

import pytest

from real_sglang.environments import Environment


@pytest.fixture(scope="session")
def environment_of():
    """A release's environment; its absence is an error, since `make test-sglang` makes it first."""

    def found(release):
        environment = Environment(release)
        assert environment.is_installed, f"{environment.folder} is not installed: run `make test-sglang`"
        return environment

    return found
