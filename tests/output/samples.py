"""Findings of every shape, as the golden files hold them."""

from __future__ import annotations

from sgfleet.findings import Finding, Place, Severity
from sgfleet.output.summary import Failure, Summary

HOST = "hosts/kimi-01/host.yaml"


def at(line: int, text: str, marked: str, path: str = HOST) -> Place:
    """The place of `marked` in its line."""
    column = text.index(marked) + 1
    return Place(path, line, column, line, column + len(marked), text)


FULL = Finding(
    code="MEM001",
    severity=Severity.ERROR,
    message="the host pools of 8 ranks do not fit into the host's RAM",
    place=at(112, "      hicache-ratio: 5.0", "5.0"),
    host="kimi-01",
    service="sglang-kimi",
    arithmetic=(
        "8 ranks x 52.1 GiB = 417.0 GiB of pinned host pools",
        "396.0 GiB available - 48.0 GiB reserved = 348.0 GiB",
    ),
    help="hicache-ratio: 4.1 is the largest that fits",
    based_on=("hosts/kimi-01/facts.yaml", "policy.reserve.host-ram"),
    related=((at(7, "    host-ram: 48GiB   # stays free", "48GiB", "fleet.yaml"), "the reserve comes from here"),),
    route=("services", "sglang-kimi", "flags", "hicache-ratio"),
)
DEFAULT = Finding(
    code="FLG001",
    severity=Severity.ERROR,
    message="SGLang 0.5.9 has no flag tp",
    place=at(5, "    tp: 8", "tp", "fleet.yaml"),
    host="kimi-01",
    service="sglang-kimi",
    help="write tp-size",
    route=("defaults", "flags", "tp"),
)
DEFAULT_AGAIN = DEFAULT._replace(host="kimi-02")
WIDE = Finding(
    code="SPC001",
    severity=Severity.WARNING,
    message="the value is not what the key wants",
    place=at(9, "\twhy: 模型 e\u0301 → [真, 假]", "[真, 假]"),
    host="kimi-01",
)
HOSTILE = Finding(
    code="SPC002",
    severity=Severity.WARNING,
    message="unknown key \x1b[2J\n::error::gotcha",
    place=Place("hosts/kimi-01/a,b: %.yaml", 3, 3, 3, 8, "  \x1b[2Jx\u202e: \x9b1m\u2028"),
    host="kimi-01",
    help="100% of\r\nthem",
)
MULTILINE = Finding(
    code="SPC003",
    severity=Severity.NOTE,
    message="the text goes on for lines",
    place=Place(HOST, 20, 10, 23, 1, "    why: >-  "),
    host="kimi-01",
    service="sglang-kimi",
    route=("services", "sglang-kimi", "why"),
)
EMPTY = Finding(
    code="SPC004",
    severity=Severity.ERROR,
    message="a release is needed",
    place=Place(HOST, 4, 12, 4, 12, "  release: "),
    host="kimi-01",
)
LONG = Finding(
    code="SPC005",
    severity=Severity.ERROR,
    message="the value is too long",
    place=at(6, "      model-path: " + "x" * 200 + "NEEDLE" + "y" * 200, "NEEDLE"),
    host="kimi-01",
)
WHOLE_FILE = Finding(
    code="FCT001",
    severity=Severity.NOTE,
    message="nothing is known of this host",
    place=Place("hosts/kimi-02/facts.yaml"),
    host="kimi-02",
    help="run sgfleet facts on it",
)
WAIVED = Finding(
    code="UNT001",
    severity=Severity.WARNING,
    message="the service runs as root",
    place=at(14, "    user: root", "root"),
    host="kimi-02",
    service="sglang-kimi",
    route=("services", "sglang-kimi", "user"),
    waived="The machine has one tenant.",
)

HOSTS = (
    (EMPTY, LONG, WIDE, HOSTILE, MULTILINE, FULL, DEFAULT),
    (WHOLE_FILE, WAIVED, DEFAULT_AGAIN),
)
FAILURES = (Failure("MEM002", "kimi-02/sglang-kimi", "ZeroDivisionError"),)


def summary() -> Summary:
    """The numbers of `HOSTS`."""
    counted = Summary(hosts=41, services=43, failures=len(FAILURES))
    for findings in HOSTS:
        counted.count(findings)
    return counted
