"""What each format promises beyond its golden file."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output.samples import DEFAULT, FAILURES, FULL, HOSTS
from output.test_output_golden import FORMATS, write
from sgfleet.findings import Finding, Place, Severity
from sgfleet.output import progress
from sgfleet.output.colour import coloured, paint_for, plain
from sgfleet.output.few import MOST
from sgfleet.output.github import command
from sgfleet.output.progress import Progress
from sgfleet.output.sarif import fingerprint
from sgfleet.output.summary import Summary
from sgfleet.output.text import LONGEST_LINE, Text, render
from sgfleet.output.visible import visible, width

ROOT = Path(__file__).parents[2]
SARIF = json.loads((Path(__file__).parent / "schemas/sarif-schema-2.1.0.json").read_text())
CHECK = json.loads((ROOT / "schema/output/check.schema.json").read_text())


def test_sarif_is_valid():
    document = json.loads(write("check.sarif"))
    jsonschema.Draft4Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(document)
    run = document["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_is_valid_when_empty():
    stream = io.StringIO()
    writer = FORMATS["check.sarif"](stream)
    writer.begin()
    writer.end(Summary(hosts=1, services=1), ())
    jsonschema.Draft4Validator(SARIF).validate(json.loads(stream.getvalue()))


def test_json_is_valid():
    jsonschema.Draft202012Validator.check_schema(CHECK)
    document = json.loads(write("check.json"))
    jsonschema.Draft202012Validator(CHECK).validate(document)
    assert len(document["findings"]) == sum(map(len, HOSTS))


def test_json_schema_refuses_what_it_should():
    document = json.loads(write("check.json"))
    del document["findings"][0]["place"]["line"]
    with pytest.raises(jsonschema.ValidationError, match="'line' is a required property"):
        jsonschema.Draft202012Validator(CHECK).validate(document)


def test_fingerprint_stays_when_lines_move():
    moved = FULL._replace(place=FULL.place._replace(line=200, end_line=200), message="other words")
    assert fingerprint(moved) == fingerprint(FULL)
    assert fingerprint(FULL._replace(service="other")) != fingerprint(FULL)
    assert fingerprint(FULL._replace(route=(*FULL.route[:-1], "hicache-size"))) != fingerprint(FULL)
    bare = FULL._replace(route=())
    assert fingerprint(bare._replace(place=bare.place._replace(line=9, end_line=9))) == fingerprint(bare)


def test_the_report_for_gitlab_has_what_gitlab_asks_for():
    entries = json.loads(write("gitlab.json"))
    assert len({each["fingerprint"] for each in entries}) == len(entries)
    for each in entries:
        assert each["description"]
        assert each["check_name"]
        assert each["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not each["location"]["path"].startswith(("/", "./"))
        assert each["location"]["lines"]["begin"] >= 1
    shown = [finding for findings in HOSTS for finding in findings if finding.waived is None]
    assert len(entries) == len(shown) + len(FAILURES)


def test_equal_findings_have_fingerprints_of_their_own():
    prints = [
        each["partialFingerprints"]["sgfleet/v1"] for each in json.loads(write("check.sarif"))["runs"][0]["results"]
    ]
    assert len(set(prints)) == len(prints)


def test_a_default_that_is_wrong_everywhere_is_told_once():
    stream = io.StringIO()
    writer = Text(stream)
    for number in range(10_000):
        writer.add([DEFAULT._replace(host=f"host-{number}")])
    writer.end(Summary(), ())
    assert stream.getvalue().count("has no flag tp") == 1
    assert "the same for 9,999 more services" in stream.getvalue()


def test_two_services_of_a_host_share_one_finding():
    own = DEFAULT._replace(place=DEFAULT.place._replace(path="hosts/kimi-01/host.yaml"))
    stream = io.StringIO()
    writer = Text(stream)
    writer.add([own, own._replace(service="other")])
    writer.add([own._replace(host="kimi-02")])
    assert "for kimi-01/sglang-kimi and 1 more service\n" in stream.getvalue()
    assert "for kimi-02/sglang-kimi\n" in stream.getvalue()


def told(*hosts):
    stream = io.StringIO()
    writer = Text(stream)
    for found in hosts:
        writer.add(found)
    writer.end(Summary(), ())
    return stream.getvalue()


def many(number, path="hosts/a/host.yaml", **changed):
    return [
        FULL._replace(message=f"number {each}", place=FULL.place._replace(path=path, line=each + 1), **changed)
        for each in range(number)
    ]


def test_many_of_a_code_in_a_file_are_counted():
    text = told(many(3000), many(3000, "hosts/b/host.yaml"))
    assert text.count("number ") == 2 * MOST
    for host in "ab":
        assert f"error[{FULL.code}]: 2,980 more in hosts/{host}/host.yaml; --format json lists all of them\n" in text
    assert "more in" not in told(many(MOST), many(MOST, "hosts/b/host.yaml"))


def test_what_is_counted_hides_nothing_else():
    other = FULL._replace(code="TST999", message="seen", place=FULL.place._replace(path="hosts/a/host.yaml", line=9999))
    text = told([*many(50, severity=Severity.NOTE), *many(50), *many(50, code="TST998"), other])
    assert "]: seen" in text
    assert text.count("number ") == 3 * MOST


def test_many_in_a_file_of_all_hosts_are_counted_at_the_end():
    text = told(*([each] for each in many(100, "fleet.yaml")), *([each] for each in many(100, "fleet.yaml", host="z")))
    assert text.count("number ") == MOST
    assert text.count("the same for 1 more service") == MOST
    assert "80 more in fleet.yaml" in text


def test_units_of_a_host_are_counted_together():
    found = [each._replace(place=Place(f"units/a/s{number}.service")) for number, each in enumerate(many(100))]
    assert "80 more in units/a; --format json" in told(found)


def test_machines_are_told_everything():
    for form in ("check.json", "check.sarif", "github.txt"):
        stream = io.StringIO()
        writer = FORMATS[form](stream)
        writer.begin()
        writer.add(many(100))
        writer.end(Summary(), ())
        assert stream.getvalue().count("number ") >= 100


# Everything that a YAML file or a message of ours could hold, controls and overrides with preference.
texts = st.text(st.one_of(st.characters(), st.sampled_from("\t\x1b\x9b\u202e\u200b\r\n\x00模\u0301 :%,")), max_size=300)


@st.composite
def findings(draw):
    text = draw(texts)
    start = draw(st.integers(1, len(text) + 1))
    end = draw(st.integers(start, len(text) + 2))
    line = draw(st.integers(1, 2000))
    place = Place(draw(texts.filter(bool)), line, start, line + draw(st.integers(0, 1)), end, text)
    return Finding(
        "FLG001", draw(st.sampled_from(Severity)), draw(texts), place, help=draw(texts), arithmetic=(draw(texts),)
    )


@given(findings())
def test_text_sends_nothing_raw_and_underlines_in_place(finding):
    lines = list(render(finding))
    for line in lines:
        assert all(each.isprintable() for each in line)
    number = next(index for index, line in enumerate(lines) if line.lstrip().startswith(f"{finding.place.line} |"))
    shown, marks = lines[number], lines[number + 1]
    assert re.fullmatch(r" +\| +\^+", marks)
    assert width(shown) <= 2 * len("<U+10FFFF>") * (LONGEST_LINE + 20)
    column = marks.index("^") - marks.index("|") - 2
    if len(finding.place.text) <= LONGEST_LINE and "\t" not in finding.place.text:
        assert column == width(visible(finding.place.text[: finding.place.column - 1]))


@given(findings())
def test_colour_changes_nothing_but_colour(finding):
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in render(finding, coloured)]
    assert bare == [line.rstrip() for line in render(finding, plain)]


@given(findings())
def test_github_command_is_one_line_that_reads_back(finding):
    line = command(finding)
    assert "\n" not in line
    assert "\r" not in line
    match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line, re.DOTALL)
    properties = dict(each.split("=", 1) for each in match[2].split(","))
    path = properties["file"].replace("%2C", ",").replace("%3A", ":").replace("%0A", "\n").replace("%0D", "\r")
    assert path.replace("%25", "%") == finding.place.path


@given(findings())
def test_json_and_sarif_read_back(finding):
    for name in ("check.json", "check.sarif"):
        stream = io.StringIO()
        writer = FORMATS[name](stream)
        writer.begin()
        writer.add([finding])
        writer.end(Summary(), ())
        assert stream.getvalue().isascii()
        json.loads(stream.getvalue())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "stream", "wanted"),
    [
        ({}, Terminal(), coloured),
        ({}, io.StringIO(), plain),
        ({"NO_COLOR": "1"}, Terminal(), plain),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, Terminal(), plain),
        ({"FORCE_COLOR": "1"}, io.StringIO(), coloured),
        ({"TERM": "dumb"}, Terminal(), plain),
    ],
)
def test_colour_only_where_it_is_wanted(monkeypatch, environment, stream, wanted):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert paint_for(stream) is wanted


def test_progress_is_for_terminals_only_and_leaves_nothing(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    clock = iter(range(100))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    pipe, terminal = io.StringIO(), Terminal()
    for stream in (pipe, terminal):
        shown = Progress(stream, "hosts", 10_000)
        shown.step()
        shown.step(1_233)
        shown.clear()
        shown.clear()
    assert pipe.getvalue() == ""
    assert terminal.getvalue().split("\r\x1b[K") == ["", "1 of 10,000 hosts", "1,234 of 10,000 hosts", ""]


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ({"hosts": 3, "services": 4}, "no findings in 3 hosts, 4 services"),
        ({"hosts": 1, "services": 1, "waived": 1}, "no findings in 1 host, 1 service (1 waived)"),
        ({"hosts": 1, "services": 2, "sound": "all is well"}, "all is well in 1 host, 2 services"),
        ({"hosts": 41, "errors": 3, "warnings": 1, "hosts_with_findings": 2}, "3 errors, 1 warning in 2 of 41 hosts"),
        ({"hosts": 3, "errors": 3}, "3 errors in the files of the fleet, none in 3 hosts"),
        ({"errors": 1}, "1 error, and no host was looked at"),
        ({"hosts": 10_000, "notes": 1_200, "hosts_with_findings": 1_100}, "1,200 notes in 1,100 of 10,000 hosts"),
    ],
)
def test_summary_line(numbers, says):
    assert str(Summary(**numbers)) == says


def test_a_host_that_is_counted_twice_is_one():
    summary = Summary(hosts=1)
    for _ in range(2):
        summary.count([FULL])
    assert summary.hosts_with_findings == 1


def test_a_file_whose_name_is_no_utf_8_has_its_bytes_in_sarif():
    stream = io.StringIO()
    writer = FORMATS["check.sarif"](stream)
    writer.begin()
    writer.add([FULL._replace(place=FULL.place._replace(path="hosts/\udcff"))])
    writer.end(Summary(), ())
    assert '"hosts/%FF"' in stream.getvalue()
