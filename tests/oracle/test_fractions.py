"""Memory fraction and page size by our rules against what each release's own start-up chooses: `make test-oracle`."""

from __future__ import annotations

import pytest

from memory.choices import RECORDED, agree, cases, ours, recorded, takes
from oracle.choices import theirs
from sgfleet.engine import store
from sgfleet.engine.version import in_order

pytestmark = pytest.mark.oracle

COUNT = 600
VERSIONS = in_order(store.available())


@pytest.mark.parametrize("version", VERSIONS)
def test_fraction_and_page_size_are_the_release_s_own(version):
    release = store.load(version)
    asked = [case for case in cases(version, COUNT) if takes(release, case)]
    answers = theirs(version, asked)
    differing = [
        f"{case}: ours {mine}, theirs {answer}"
        for case, answer in zip(asked, answers, strict=True)
        if answer is not None and answer[0] is not None and not agree(mine := ours(release, case), answer)
    ]
    assert not differing, f"{len(differing)} of {len(asked)}\n" + "\n".join(differing[:12])
    assert sum(answer is not None for answer in answers) > COUNT // 20, "hardly a command line is taken any more"


@pytest.mark.parametrize("version", [VERSIONS[0], "0.5.9", VERSIONS[-1]])
def test_record_is_what_the_release_says(version):
    release = store.load(version)
    asked = [index for index, case in enumerate(RECORDED) if takes(release, case)]
    answers = dict(zip(asked, theirs(version, [RECORDED[index] for index in asked]), strict=True))
    at = VERSIONS.index(version)
    for index, spans in enumerate(recorded()):
        there = next(span for span in spans if VERSIONS.index(span[0]) <= at <= VERSIONS.index(span[1]))
        assert there[2] == answers.get(index)
