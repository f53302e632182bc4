"""The version stands in two places, which agree."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import sgfleet


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["version"] == version("sgfleet") == sgfleet.VERSION
