"""The story's change in all three forms, byte for byte; the pull request's comment is the one in the documentation.

SGFLEET_GOLDEN=1 writes the golden files anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plan.repository import KIMI, MIXED, Fleet

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("golden")
PAGE = ROOT / "docs/how-to/review-a-change.md"
ENDS = {"text": "txt", "json": "json", "markdown": "md"}
COMMIT = re.compile(r"\b[0-9a-f]{12}(?:[0-9a-f]{28})?\b")


def story(fleet: Fleet) -> None:
    """`can we do ratio 4?`"""
    fleet.edit(KIMI, "hicache-ratio: 4.0", "hicache-ratio: 2.0")
    fleet.render()
    fleet.commit("the default ratio")
    fleet.edit(KIMI, "hicache-ratio: 2.0", "hicache-ratio: 4.0")
    fleet.render()


def everything(fleet: Fleet) -> None:
    """Every kind of change, and findings that come and go."""
    fleet.edit(KIMI, "hicache-ratio: 4.0", "hicache-ratio: 5.0")
    fleet.edit(KIMI, "port: 30000", "port: 30001")
    fleet.edit(MIXED, "port: 30100", "port: 30000")
    fleet.edit(MIXED, "The chat model", "A chat model")
    fleet.edit("hosts/llama-70b-01/host.yaml", "  sglang-llama:", "  sglang-llama-2:")
    fleet.edit("hosts/llama-70b-01/host.yaml", "enable-metrics: true", "enable-metric: true")
    fleet.write("hosts/new-01/host.yaml", "host: new-01\nservices: {}\n")


def nothing(fleet: Fleet) -> None:
    """A comment."""
    fleet.edit(KIMI, "port: 30000", "port: 30000    # behind the proxy")


@pytest.mark.parametrize("form", ENDS)
@pytest.mark.parametrize("change", [story, everything, nothing])
def test_golden(fleet: Fleet, change: Callable[[Fleet], None], form: str) -> None:
    change(fleet)
    found = COMMIT.sub("0123456789ab", fleet.plan("--format", form, "HEAD").out)
    file = GOLDEN / f"{change.__name__}.{ENDS[form]}"
    if os.environ.get("SGFLEET_GOLDEN"):
        file.write_text(found)
    assert found == file.read_text()


def test_the_comment_in_the_documentation_is_the_real_one() -> None:
    comment = (GOLDEN / "story.md").read_text().partition("\n")[2]
    assert comment in PAGE.read_text()
