"""What is told of a host: every state with what happens next, also where little is left to tell from."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.told import ALL, FREEZE, HEAD, NEW, NOW, OLD, STATE, service, there
from sgfleet.agent.installed import Installed
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import Record
from sgfleet.agent.seen import Wanted, Word
from sgfleet.agent.state import HostState, ServiceState, decode, encode
from sgfleet.agent.status import UNKNOWN, There, as_json, lines, overview
from sgfleet.agent.store import Freeze

SCHEMA = json.loads((Path(__file__).parents[2] / "schema/output/agent-status.schema.json").read_text())


def of(each: ServiceState, **more):
    return overview("box-01", HostState(head=HEAD, services={"a": each}), None, {"a": there()}, NOW)._replace(**more)


@pytest.mark.parametrize("word", Word)
def test_every_state_has_its_code_and_one_line_that_says_what_is_next(word):
    told = of(service(word, Reason("why", "because of this")))
    assert told.code == {"steady": 0, "blocked": 20, "rolled-back": 30, "broken": 40}.get(word.value, 10)
    line = list(lines(told))[-1]
    assert line.startswith(f"a  {word.value}, since 2026-09-21 14:12:20Z, commit {HEAD[:12]}: because of this")
    assert ("; next: " in line) == (word is not Word.STEADY)


def test_the_worst_of_all_is_the_code():
    assert overview("box-01", STATE, None, ALL, NOW).code == 40
    kept = {name: each for name, each in STATE.services.items() if name in {"s-steady", "s-rolled-back", "s-blocked"}}
    assert overview("box-01", STATE._replace(services=kept), None, ALL, NOW).code == 30


@pytest.mark.parametrize(
    "more", [{"refused": (NEW, Reason("x", "y"))}, {"trouble": Reason("x", "y")}, {"offline": (NOW, Reason("x", "y"))}]
)
def test_a_host_that_cannot_follow_is_no_steady_one(more):
    assert of(service(Word.STEADY), **more).code == 20


def test_without_any_state_the_units_tell():
    told = overview("box-01", None, None, {"a": there()}, NOW)
    (row,) = told.rows
    assert (row.state, row.commit, row.installed) == (UNKNOWN, HEAD, OLD)
    assert told.code == 10
    assert row.next == "the next tick holds it against its gate: sgfleet agent tick"
    assert list(lines(told)) == [
        "box-01: main was not read yet",
        f"a  unknown, commit {HEAD[:12]}: nothing is remembered of it; next: {row.next}",
    ]


def test_a_host_with_nothing_says_so():
    assert list(lines(overview("box-01", None, None, {}, NOW))) == [
        "box-01: main was not read yet",
        "box-01: no service",
    ]


@pytest.mark.parametrize(
    ("stands", "drifts"),
    [
        (there(), False),
        (there(unit=NEW), True),
        (None, True),
        (There(Installed(foreign=Reason("foreign", "a symbolic link"))), True),
    ],
)
def test_what_the_host_has_instead_is_drift(stands, drifts):
    state = HostState(head=HEAD, services={"a": service(Word.STEADY)})
    (row,) = overview("box-01", state, None, {"a": stands} if stands else {}, NOW).rows
    assert (row.drift is not None) == drifts


def test_what_an_attempt_is_about_to_replace_is_no_drift():
    (row,) = of(STATE.services["s-gating"]).rows
    assert row.drift is None


def test_a_freeze_that_is_over_is_none():
    assert overview("box-01", None, FREEZE, {}, NOW).frozen == FREEZE
    assert overview("box-01", None, Freeze("x", NOW - 9, NOW), {}, NOW).frozen is None
    assert overview("box-01", None, Freeze("x", NOW - 9, None), {}, NOW).frozen is not None
    assert "box-01: frozen until 2026-09-21 15:13:20Z: benchmark; next: sgfleet agent unfreeze" in list(
        lines(overview("box-01", STATE, FREEZE, ALL, NOW))
    )


def test_a_confirmation_is_asked_for_by_name():
    told = of(service(Word.PENDING, Reason("confirm", "waits for a person", "sgfleet agent confirm SERVICE")))
    assert list(lines(told))[-1].endswith("next: sgfleet agent confirm a")


def test_signs_of_the_end_stand_below_the_service():
    told = overview(
        "box-01",
        HostState(head=HEAD, services={"a": service(Word.BROKEN, Reason("failed", "it ended"))}),
        None,
        {"a": there()._replace(failing=("a GPU ran out of memory",))},
        NOW,
    )
    assert list(lines(told))[-1].strip() == "its journal: a GPU ran out of memory"


@pytest.mark.parametrize("freeze", [None, FREEZE])
@pytest.mark.parametrize("state", [None, STATE, STATE._replace(trouble=Reason("spec", "no folder", "bring it back"))])
def test_the_json_form_is_as_its_schema_says(state, freeze):
    document = json.loads(json.dumps(as_json(overview("box-01", state, freeze, ALL, NOW))))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert next(iter(document)) == "format"
    assert document.keys() == SCHEMA["properties"].keys()
    for each in document["services"].values():
        assert each.keys() == SCHEMA["$defs"]["service"]["properties"].keys()


@given(st.sampled_from(Word), st.text(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
def test_nothing_that_is_remembered_breaks_it(word, text, since, refused):
    each = service(word, Reason(text, text, text), Record(OLD, broken=Reason("x", text)))
    shown = each.shown._replace(since_seconds=since)
    each = each._replace(shown=shown, wanted=Wanted(refusal=Reason("x", text)) if refused else Wanted(NEW))
    told = of(each)
    assert list(lines(told))
    jsonschema.Draft202012Validator(SCHEMA).validate(as_json(told))


def test_the_state_that_metrics_count_in_is_kept():
    assert decode(encode(STATE)) == STATE


def test_a_state_of_before_there_were_counts_is_read():
    import hashlib

    whole = json.loads(encode(STATE))["state"]
    del whole["counts"]
    body = json.dumps(whole, separators=(",", ":"))
    digest = hashlib.sha256(body.encode()).hexdigest()
    assert decode(f'{{"format":1,"sha256":"{digest}","state":{body}}}\n'.encode()) == STATE._replace(counts={})
