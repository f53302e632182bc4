from __future__ import annotations

import pytest

from agent.admission.making import Made


@pytest.fixture
def made(tmp_path) -> Made:
    return Made(tmp_path)
