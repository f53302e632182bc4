"""Every committed schema, and our parser on it, against the release's own code: `make test-oracle`.

SGFLEET_ORACLE_LINES sets the number of random command lines a release (5,000), SGFLEET_ORACLE_SEED their seed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from oracle import compare
from oracle.lines import lines
from oracle.peer import Peer
from oracle.wheels import PYTHON, wheel
from sgfleet.engine import store

pytestmark = pytest.mark.oracle

COUNT = int(os.environ.get("SGFLEET_ORACLE_LINES", "5000"))
SEED = int(os.environ.get("SGFLEET_ORACLE_SEED", "1"))
AT_ONCE = 500


@pytest.mark.parametrize("version", store.available())
def test_release_parser_agrees(version):
    release = store.load(version)
    with Peer(PYTHON, wheel(version)) as peer:
        differing = [f"{version} {option}: {field}: ours {ours!r}, theirs {theirs!r}"
                     for option, field, ours, theirs in compare.fields(release, peer.described)]  # fmt: skip
        differing += [f"{version} default of {name}: ours {ours}, theirs {theirs}"
                      for name, ours, theirs in compare.defaults(release, peer.described)]  # fmt: skip
        asked = accepted = 0
        batch = []
        for line in lines(peer.described["actions"], f"{version}/{SEED}", COUNT):
            batch.append(line)
            if len(batch) == AT_ONCE or asked + len(batch) == COUNT:
                for one, theirs in zip(batch, peer.ask(batch), strict=True):
                    wrong = compare.disagreement(compare.answer(release, one), theirs)
                    accepted += theirs["ok"]
                    if wrong:
                        differing.append(f"{version} {one}: {wrong}")
                asked += len(batch)
                batch = []
    _report(version, differing)
    assert not differing, "\n".join(differing[:20])
    assert asked == COUNT
    assert COUNT // 5 < accepted < COUNT * 4 // 5, "the command lines no longer try both sides of the verdict"


def _report(version, differing):
    """All differences of all releases in one folder, for whoever mends them."""
    folder = os.environ.get("SGFLEET_ORACLE_REPORT")
    if folder:
        (Path(folder) / f"{version}.txt").write_text("".join(f"{line}\n" for line in differing))
