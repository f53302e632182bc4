"""Every example of the manual is run: a bad one yields its finding at one of its own lines, a good one does not.

examples.py says how an example is completed to a repository; the whole of `check` then looks at it. So an example also
shows that nothing before its rule objects: a good example has no error of the reader or the models.
"""

from __future__ import annotations

import contextlib

import pytest

from rules.checking import check
from rules.examples import complete
from sgfleet.findings import Severity
from sgfleet.rules.manual import ManualError
from sgfleet.rules.registry import DOCUMENTED, entries

ENTRIES = [entry for entry in entries().values() if entry.rule.stage != "render"]


def _examples(kind):
    found = []
    for entry in ENTRIES:
        with contextlib.suppress(ManualError):  # test_registry.py says what is amiss
            for number, example in enumerate(getattr(entry.page, kind)):
                if example.files:
                    name = f"{entry.rule.code}-{number}" if number else entry.rule.code
                    found.append(pytest.param(entry, example, id=name))
    return found


@pytest.mark.parametrize(("entry", "example"), _examples("bad"))
def test_bad(entry, example, tmp_path):
    made = complete(example, entry.rule.stage)
    found = check(tmp_path, made.files)
    places = [finding.place for finding in found if finding.code == entry.rule.code]
    assert places, f"no {entry.rule.code} among {_told(found)}"
    for place in places:
        lines = made.shown.get(place.path, ())
        assert place.line == 0 or place.line in lines, f"{place} is none of the lines that the example shows"
    if entry.family not in DOCUMENTED:
        assert not _unread(found), "the example cannot be read"
        for finding in (each for each in found if each.code == entry.rule.code):
            assert finding.based_on, "a finding names what it was decided from"
            assert finding.message, "a message is one line"
            assert "\n" not in finding.message, "a message is one line"
            assert not finding.message.endswith("."), "a message has no full stop"


@pytest.mark.parametrize(("entry", "example"), _examples("good"))
def test_good(entry, example, tmp_path):
    found = check(tmp_path, complete(example, entry.rule.stage).files)
    assert entry.rule.code not in {finding.code for finding in found}, _told(found)
    if entry.rule.stage != "source":
        assert not _unread(found), "the example cannot be read"


def _unread(found):
    """Errors behind which nothing was checked."""
    before = {code for code, entry in entries().items() if entry.rule.stage in {"source", "spec"}}
    return [
        f"{finding.code} {finding.place}: {finding.message}"
        for finding in found
        if finding.code in before and finding.severity is Severity.ERROR
    ]


def _told(found):
    return [f"{finding.code} {finding.place}: {finding.message}" for finding in found]
