"""What tests of plans share."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan.repository import Fleet


@pytest.fixture
def fleet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Fleet:
    """A repository with three hosts and one commit."""
    return Fleet.new(tmp_path / "fleet", capsys)


@pytest.fixture
def schema() -> Path:
    """The flag schemas that this project ships."""
    return Path(__file__).parents[2] / "schema" / "sglang"
