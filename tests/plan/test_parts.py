"""The parts of a plan, each alone."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from sgfleet.findings import Finding, Place, Severity
from sgfleet.memory.load_time import LoadTime, load_time
from sgfleet.memory.of_host import Unknown
from sgfleet.memory.units import GIB
from sgfleet.output.plan.groups import groups_of
from sgfleet.output.plan.words import headline, lost_words, ram_pinned, ram_verdict, span
from sgfleet.plan.identity import compare
from sgfleet.plan.moves import with_moves
from sgfleet.plan.records import HostChange, HostRam, Kind, Plan, Reason, Revision, ServiceChange, ServiceMemory
from sgfleet.plan.scope import scope_of
from sgfleet.plan.unit_diff import unit_diff
from sgfleet.plan.words import change_words, value_words
from sgfleet.spec.models.facts import Facts

SIDES = Revision("a", None), Revision("b", None)


def finding(message: str = "m", line: int = 1, route: tuple[str, ...] = (), **more: Any) -> Finding:
    return Finding("ABC001", Severity.ERROR, message, Place("hosts/a/host.yaml", line, 1), "a", route=route, **more)


@pytest.mark.parametrize(
    ("paths", "hosts", "causes", "formats", "library"),
    [
        (["hosts/a/host.yaml", "units/a/x.service", "units/b/y.service"], {"a", "b"}, (), False, False),
        (["fleet.yaml"], set(), ("fleet.yaml",), False, False),
        (["schema/host.schema.json"], set(), (), True, False),
        (["schema/sglang/0.5.9.json"], set(), ("schema/sglang/0.5.9.json",), False, True),
        (["schema/models/a--b.json"], set(), ("schema/models/a--b.json",), False, True),
        (["schema"], set(), ("schema",), False, True),
        (["hosts"], set(), ("hosts",), False, False),
        (["hosts/README.md"], {"README.md"}, (), False, False),
        ([], set(), (), False, False),
    ],
)
def test_paths_say_what_can_differ(
    paths: list[str], hosts: set[str], causes: tuple[str, ...], formats: bool, library: bool
) -> None:
    assert scope_of(paths) == (len(paths), frozenset(hosts), causes, formats, library)


def test_a_finding_is_the_same_wherever_its_line_went() -> None:
    old = [finding("limit is 3", 5, ("services", "x")), finding("other", 7)]
    new = [finding("limit is 4", 9, ("services", "x")), finding("another", 7)]
    found = compare(old, new)
    assert [each.message for each in found.kept] == ["limit is 4"]
    assert [each.message for each in found.new] == ["another"]
    assert [each.message for each in found.gone] == ["other"]


def test_findings_that_are_alike_are_counted() -> None:
    found = compare([finding()] * 2, [finding()] * 3)
    assert (len(found.kept), len(found.new), len(found.gone)) == (2, 1, 0)


def test_a_diff_shows_no_hash_no_secret_and_no_variable() -> None:
    before = (
        "[Unit]\nX-Sgfleet-Unit=1\n[Service]\nEnvironment=A=one\nEnvironment=B=x\n"
        "ExecStart=p \\\n --api-key secret1 \\\n --a 1\n"
    )
    after = (
        "[Unit]\nX-Sgfleet-Unit=2\n[Service]\nEnvironment=A=two\nEnvironment=B=x\n"
        "ExecStart=p \\\n --api-key \\\n secret2 \\\n --a 2\n"
    )
    text = "\n".join(unit_diff(before, after))
    assert "-Environment=A=(hidden)" in text
    assert "+Environment=A=(hidden)" in text
    assert "+    (hidden)" in text
    assert "+ --a 2" in text
    for word in ("one", "two", "secret", "X-Sgfleet"):
        assert word not in text


def test_a_unit_that_comes_or_goes_is_a_diff_of_its_own() -> None:
    assert unit_diff(None, "[Unit]\n") == ("@@ -0,0 +1 @@", "+[Unit]")
    assert unit_diff("[Unit]\n", None) == ("@@ -1 +0,0 @@", "-[Unit]")
    assert unit_diff("a\n", "a\n") == unit_diff(None, None) == ()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("a", 4.0, "4.0"),
        ("a", True, "true"),
        ("a", None, "null"),
        ("a", [0, 1], "0,1"),
        ("a", [], "none"),
        ("a", "", '""'),
        ("a", "two\nlines", "two lines"),
        ("a", {"b": 1}, '{"b": 1}'),
        ("a", "x" * 99, "x" * 60 + "…"),
        ("api-key", "abc", "(hidden)"),
        ("a", {"api-key": "abcdefgh"}, "(hidden)"),
        ("a", "hf_" + "a" * 30, "(hidden)"),
    ],
)
def test_values_in_words(name: str, value: Any, words: str) -> None:
    assert value_words(name, value) == words


def test_changes_in_words() -> None:
    assert change_words("a", "1", "2") == "a 1 → 2"
    assert change_words("a", None, "2") == "a set to 2"
    assert change_words("a", "1", None) == "a taken away (was 1)"
    assert change_words("a", "(hidden)", "(hidden)") == "a changed (not shown)"


def host(name: str, *services: ServiceChange) -> HostChange:
    return HostChange(name, "both", services)


def comes(subject: str, hash_: str = "1") -> ServiceChange:
    name, _, service = subject.partition("/")
    return ServiceChange(name, service, Kind.ADDED, hash_=hash_)


def goes(subject: str, hash_: str = "1") -> ServiceChange:
    return comes(subject, hash_)._replace(kind=Kind.REMOVED)


def pairs(*services: ServiceChange) -> dict[str, str | None]:
    names = dict.fromkeys(each.host for each in services)
    hosts = with_moves([host(name, *(each for each in services if each.host == name)) for name in names])
    return {each.subject: each.counterpart for one in hosts for each in one.services}


def test_a_move_is_of_the_same_process_and_of_the_same_name_if_there_is_one() -> None:
    assert pairs(goes("a/x"), comes("b/x")) == {"a/x": "b/x", "b/x": "a/x"}
    assert pairs(goes("a/x"), comes("b/x", "2")) == {"a/x": None, "b/x": None}
    assert pairs(goes("a/x"), comes("b/y"), comes("c/x"))["a/x"] == "c/x"
    assert pairs(goes("a/x"), comes("a/y"))["a/x"] == "a/y"


def test_services_of_a_host_stay_together() -> None:
    found = pairs(comes("b/x"), comes("b/y"), comes("c/x"), comes("c/y"), goes("z/x"), goes("z/y"))
    assert found["z/x"] == "b/x"
    assert found["z/y"] == "b/y"


def test_every_service_is_in_one_move_at_most() -> None:
    found = pairs(goes("a/x"), goes("b/x"), comes("c/x"))
    assert found == {"a/x": "c/x", "b/x": None, "c/x": "a/x"}


OBSERVED = LoadTime(300, "observed", 300, 300, "")


def restarted(name: str, load: LoadTime | None) -> ServiceChange:
    return ServiceChange("h", name, Kind.RESTARTED, (Reason("r"),), load=load)


@pytest.mark.parametrize(
    ("loads", "words"),
    [
        ([], None),
        ([OBSERVED], "5 min of lost capacity"),
        ([OBSERVED, OBSERVED], "10 min of lost capacity, summed"),
        ([OBSERVED._replace(origin="estimated")], "about 5 min of lost capacity"),
        ([OBSERVED._replace(origin="at-least")], "at least 5 min of lost capacity"),
        ([None], "how long it loads is not known"),
        ([None, None], "how long they load is not known"),
        ([OBSERVED, None], "5 min of lost capacity, summed (1 of 2 not known)"),
    ],
)
def test_lost_capacity_in_words(loads: list[LoadTime | None], words: str | None) -> None:
    services = [restarted(str(number), load) for number, load in enumerate(loads)]
    assert lost_words(Plan(*SIDES, hosts=(host("h", *services),))) == words


def test_the_headline_counts_services() -> None:
    plan = Plan(*SIDES, hosts=(host("h", restarted("a", OBSERVED), restarted("b", OBSERVED), comes("h/c")),))
    assert headline(plan) == "2 services restart, 1 service is added; 10 min of lost capacity, summed"
    assert [len(group.services) for group in groups_of(plan.services)] == [2, 1]
    assert headline(Plan(*SIDES)) == "no change"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89, "89 s"), (90, "2 min"), (660, "11 min"), (7200, "2 h"), (9000, "2 h 30 min")],
)
def test_spans(seconds: int, words: str) -> None:
    assert span(seconds) == words


def test_without_a_model_an_observed_start_is_all_there_is() -> None:
    facts = Facts.model_validate(
        {"format": 1, "host": "h", "observed": {"x": {"release": "0.5.9", "load-seconds": 400}}}, by_alias=True
    )
    unknown = Unknown("model", "nobody knows it")
    found = load_time("x", unknown, facts)
    assert found is not None
    assert (found.seconds, found.origin) == (400, "observed")
    assert load_time("y", unknown, facts) is None
    assert load_time("x", unknown, None) is None


FITS = ServiceMemory(kv_tokens=158_662, ranks=1, verdict="fits")
FAILS = ServiceMemory(kv_tokens=0, ranks=1, verdict="error", said=("weights do not fit",))
LARGER = ServiceMemory(kv_tokens=200_000, ranks=1, verdict="fits")
PINS = FITS._replace(pinned_bytes=10 * GIB)
UNKNOWN = ServiceMemory(unknown="nobody knows the model")
ESTIMATED = LoadTime(76, "estimated", 25, 228, "60 s and 16 GB of weights at 1 GB/s")
TOLD = [
    *({"after": each} for each in (FITS, FAILS, LARGER, PINS, UNKNOWN)),
    {"after": UNKNOWN._replace(unknown="the GPU is not known")},
    {"after": FAILS._replace(said=("something else",))},
    {"before": LARGER},
    {"before": LARGER, "after": FITS},
    {"before": FAILS, "after": FITS},
    {"before": PINS, "after": FAILS},
    {"reasons": (Reason("a 1 → 2"),)},
    {"reasons": (Reason("a 1 → 2", "host pool 1 → 2 GiB"),)},
    {"load": ESTIMATED},
    {"load": ESTIMATED._replace(detail="60 s and 700 GB of weights at 1 GB/s", seconds=760)},
    {"load": OBSERVED},
    {"load": OBSERVED._replace(origin="at-least")},
]
"""What may be told of a service, no two alike. That a load time is not known, and nothing of memory, is told of those
that have only reasons.
"""
KINDS = [kind for kind in Kind if kind is not Kind.UNTOUCHED]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_told_otherwise_is_an_entry_of_its_own(kind: Kind) -> None:
    """In either order: what is said of the first one is true of all that stand with it."""
    for one, other in permutations(TOLD, 2):
        first, second = ServiceChange("a", "chat", kind, **one), ServiceChange("b", "chat", kind, **other)
        found = groups_of([first, second, first._replace(host="c")])
        assert sorted(len(group.services) for group in found) == [1, 2], (one, other)


def test_a_verdict_of_error_is_told_before_what_fits() -> None:
    services = [ServiceChange(name, "chat", Kind.ADDED, after=FITS) for name in "abc"]
    services.append(ServiceChange("d", "chat", Kind.ADDED, after=FAILS))
    assert [group.first.subject for group in groups_of(services)] == ["d/chat", "a/chat"]


def test_what_is_of_one_host_each_is_told_as_such() -> None:
    services = [
        ServiceChange(
            name,
            "chat",
            Kind.RESTARTED,
            (Reason("a 1 → 2", None, f"hosts/{name}/host.yaml"), Reason("b set to 1", None, "fleet.yaml")),
            load=OBSERVED._replace(seconds=seconds, detail=f"facts of {name}"),
            diff=(f"+{name}",),
        )
        for name, seconds in (("a", 300), ("b", 600))
    ]
    (group,) = groups_of(services)
    assert [reason.path for reason in group.reasons] == ["hosts/a/host.yaml, …", "fleet.yaml"]
    assert group.load == "10 min of load each at most"
    assert group.load_detail == "facts of b, …"
    assert group.diff_of == "a/chat, one of 2 services"
    (alone,) = groups_of(services[:1])
    assert (alone.load_detail, alone.diff_of) == ("facts of a", "a/chat")


RAM = HostRam(available_bytes=396 * GIB, pinned_bytes=0, left_bytes=396 * GIB, reserve_bytes=48 * GIB, fits=True)
UNCOUNTED = RAM._replace(fits=None, uncounted=("chat",))


@pytest.mark.parametrize(
    ("ram", "figure", "words"),
    [
        (RAM, "0.0", "396.0 of 396.0 GiB left, policy wants 48.0: fits"),
        (UNCOUNTED, "not known", "what is left of 396.0 GiB is not known, policy wants 48.0: not counted: chat"),
        (
            UNCOUNTED._replace(pinned_bytes=96 * GIB, left_bytes=300 * GIB),
            "not known",
            "what is left of 396.0 GiB is not known, policy wants 48.0: not counted: chat; the others pin 96.0 GiB",
        ),
        (
            UNCOUNTED._replace(pinned_bytes=400 * GIB, left_bytes=-4 * GIB),
            "not known",
            "at least 4.0 GiB more than the 396.0 that are available; not counted: chat",
        ),
    ],
)
def test_a_sum_that_leaves_a_service_out_is_no_figure(ram: HostRam, figure: str, words: str) -> None:
    assert ram_pinned(ram) == figure
    assert ram_verdict(ram) == words
