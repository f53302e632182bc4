"""Memory fractions and page sizes of every release, against what its own start-up chose when it was asked."""

from __future__ import annotations

import pytest

from memory.choices import RECORDED, agree, ours, recorded
from sgfleet.engine import store
from sgfleet.engine.version import in_order

VERSIONS = in_order(store.available())
SPANS = recorded()


@pytest.mark.parametrize("version", VERSIONS)
def test_recorded_choices(version):
    release, at, compared = store.load(version), VERSIONS.index(version), 0
    for case, spans in zip(RECORDED, SPANS, strict=True):
        answer = next(span[2] for span in spans if VERSIONS.index(span[0]) <= at <= VERSIONS.index(span[1]))
        if answer is not None and answer[0] is not None:
            compared += 1
            mine = ours(release, case)
            assert agree(mine, answer), f"{case}: ours {mine}, theirs {answer}"
    assert compared > 10
