"""What the rules say of flags in every release, against what the releases themselves said.

Verdicts change from one release to another. The ends of each span are looked at, so that a range that is off by one
release shows, and some releases in between.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from rules.combinations.cases import CASES, spans, words_of
from rules.views import service
from sgfleet.engine import store
from sgfleet.engine.version import key
from sgfleet.findings import Severity
from sgfleet.rules.registry import checks

RULES = [
    each for each in checks()["service"] if each.rule.code.startswith("CMB") or each.rule.code in ("FLG014", "FLG016")
]


BETWEEN = ("0.4.3", "0.4.5", "0.4.9", "0.5.1", "0.5.5", "0.5.9", "0.5.12", "0.5.15", "0.5.20")


def asked():
    """(name of a case, release, verdict) for what is worth asking."""
    for name, first, last, verdict in spans():
        inside = [version for version in BETWEEN if key(first) <= key(version) <= key(last)]
        yield from ((name, version, verdict) for version in dict.fromkeys((first, *inside, last)))


def refuses(case, version):
    """Whether a rule reports an error, and which."""
    view = service(case["flags"], release=version, environment=case.get("environment", {}))
    return sorted(
        {
            each.rule.code
            for each in RULES
            for problem in each.check(view)
            if (problem.severity or each.rule.severity) is Severity.ERROR
        }
    )


def differences():
    """Name of a case -> (release, what the release says, what the rules say) where the two differ."""
    found = defaultdict(list)
    for name, version, verdict in asked():
        if verdict != "no-flag":
            codes = refuses(CASES[name], version)
            if bool(codes) != (verdict == "refuses"):
                found[name].append((version, verdict, codes))
    return found


@pytest.fixture(scope="module")
def differing():
    return differences()


def test_rules_and_releases_agree(differing):
    unexplained = {name: found for name, found in differing.items() if not CASES[name].keys() & {"later", "unseen"}}
    assert unexplained == {}


def test_what_rules_know_better_is_explained(differing):
    stricter = {name for name, found in differing.items() if any(codes for _, _, codes in found)}
    assert stricter == {name for name, case in CASES.items() if "later" in case}


def test_what_rules_do_not_see_is_explained(differing):
    looser = {name for name, found in differing.items() if any(not codes for _, _, codes in found)}
    assert looser == {name for name, case in CASES.items() if "unseen" in case}


def test_record_is_of_every_case_and_release():
    by_case = defaultdict(list)
    for name, first, last, _ in spans():
        by_case[name].append((first, last))
    assert by_case.keys() == CASES.keys()
    known = store.available()
    for runs in by_case.values():
        covered = [version for first, last in runs for version in known[known.index(first) : known.index(last) + 1]]
        assert covered == known


def test_no_flag_is_what_the_schema_says():
    for name, version, verdict in asked():
        assert words_of(store.load(version), CASES[name]) is not None or verdict == "no-flag", (name, version)
