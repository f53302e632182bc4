"""What is remembered of a service."""

from __future__ import annotations

from sgfleet.agent.reason import Reason
from sgfleet.agent.record import MOST_QUARANTINED, Record


def test_of_too_many_bad_units_the_oldest_is_forgotten():
    record = Record()
    for number in range(MOST_QUARANTINED + 3):
        record = record.condemn(f"u{number}", Reason("gate", str(number)))
    assert len(record.quarantine) == MOST_QUARANTINED
    assert record.failure("u2") is None
    assert record.failure("u3") == Reason("gate", "3")


def test_a_unit_that_fails_again_is_there_once_with_its_last_reason():
    first, last = Reason("gate", "first"), Reason("gate", "last")
    record = Record().condemn("a", first).condemn("b", first).condemn("a", last)
    assert record.quarantine == (("b", first), ("a", last))
