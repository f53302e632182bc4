"""facts.yaml: only what was probed changes, and everything else stays as somebody wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facts.recorded import MACHINES, RecordedMachine
from sgfleet.facts.file import LayoutError, written
from sgfleet.facts.merge import left_behind, merged
from sgfleet.facts.probe import Probe, probe
from sgfleet.source.read import read_text

WHEN, LATER = "2026-06-10T08:00:00Z", "2026-06-11T08:00:00Z"
BY_HAND = """\
# yaml-language-server: $schema=../../schema/facts.schema.json
# Rack 4, unit 12.
format: 1
host: a

read:
  gpus: {how: "as its owner reported"}
  observed: {how: 'by hand'}

# Two cards were changed in May.
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068}
  # this one is new
  - {index: 1, name: NVIDIA L40S, memory-mib: 46068}

memory:
  available-bytes: 1000      # a guess

checkpoints:
  - {path: /m/by-hand, total-bytes: 5, model: org/name}

observed:    # from the log
  one:
    release: "0.5.9"   # really
    kv-tokens: 12
"""


def write(text, found, when=WHEN, **how):
    document = None if text is None else read_text(text, "hosts/a/facts.yaml")
    known = {} if document is None else document.data
    sections = {"format": 1, "host": "a", **merged(known, found, when, **how)}
    first = "# yaml-language-server: $schema=../../schema/facts.schema.json\n"
    return written(document, sections, path="hosts/a/facts.yaml", first=first)


@pytest.mark.parametrize("name", sorted(path.stem for path in MACHINES.iterdir()))
def test_a_new_file_and_the_same_again(name):
    found = probe(RecordedMachine.of(name))
    text = write(None, found)
    assert read_text(text, "f").data["host"] == "a"
    assert write(text, found) == text
    later = write(text, found, LATER)
    changed = [line for line in later.splitlines() if line not in text.splitlines()]
    assert all("when" in line for line in changed), "only the moment is new"


def test_what_a_person_wrote_stays():
    text = write(BY_HAND, probe(RecordedMachine.of("pcie-8")))
    for line in (
        "# Rack 4, unit 12.",
        "# Two cards were changed in May.",
        "# this one is new",
        "  observed: {how: 'by hand'}",
        "  - {path: /m/by-hand, total-bytes: 5, model: org/name}",
        "observed:    # from the log",
        '    release: "0.5.9"   # really',
    ):
        assert line in text
    data = read_text(text, "f").data
    assert len(data["gpus"]) == 8
    assert data["memory"]["available-bytes"] == 415235784 * 1024
    assert list(data["read"]) == ["gpus", "memory", "numa", "limits", "software", "observed"]


def test_equal_parts_keep_their_text():
    found = Probe({"gpus": read_text(BY_HAND, "f").data["gpus"]}, {"gpus": "NVML"})
    text = write(BY_HAND, found)
    assert text.partition("# Two cards")[2] == BY_HAND.partition("# Two cards")[2]


def test_what_a_busy_machine_cannot_say_stays():
    text = write(BY_HAND, probe(RecordedMachine.of("busy")))
    data = read_text(text, "f").data
    assert data["memory"]["available-bytes"] == 1000
    assert data["memory"]["total-bytes"] == 24684096 * 1024
    assert "with the services stopped" in data["unknown"]["memory.available-bytes"]
    quiet = read_text(write(text, probe(RecordedMachine.of("no-gpu"))), "f").data
    assert "unknown" not in quiet
    assert quiet["memory"]["available-bytes"] == 24157652 * 1024


def test_more_available_than_there_is_any_more_does_not_stay():
    text = BY_HAND.replace("available-bytes: 1000 ", f"available-bytes: {2**60} ")
    data = read_text(write(text, probe(RecordedMachine.of("busy"))), "f").data
    assert "available-bytes" not in data["memory"]


def test_gpus_that_are_unknown_leave_those_of_the_file():
    text = write(BY_HAND, probe(RecordedMachine.of("missing-driver")))
    data = read_text(text, "f").data
    assert len(data["gpus"]) == 2
    assert data["read"]["gpus"] == {"how": "as its owner reported"}
    assert "2 NVIDIA GPU(s)" in data["unknown"]["gpus"]


def test_entries_are_told_apart_by_their_key():
    found = Probe({"checkpoints": [{"path": "/m/z"}, {"path": "/m/a", "layers": 2}]}, {"checkpoints": "headers"})
    data = read_text(write(BY_HAND, found), "f").data
    assert [entry["path"] for entry in data["checkpoints"]] == ["/m/by-hand", "/m/a", "/m/z"]
    again = Probe({"checkpoints": [{"path": "/m/by-hand", "layers": 4}]}, {"checkpoints": "headers"})
    data = read_text(write(BY_HAND, again), "f").data
    assert data["checkpoints"] == [{"path": "/m/by-hand", "layers": 4, "model": "org/name"}]


def test_unknown_parts_that_were_not_looked_at_stay():
    before = BY_HAND + "unknown: {checkpoints./m/old: gone, gpus: no driver}\n"
    data = read_text(write(before, probe(RecordedMachine.of("pcie-8"))), "f").data
    assert data["unknown"] == {"checkpoints./m/old": "gone"}


def test_of_a_machine_that_was_replaced_nothing_older_stays():
    found = probe(RecordedMachine.of("busy"))
    known = read_text(BY_HAND, "f").data
    data = read_text(write(BY_HAND, found, replaced=True), "f").data
    assert "available-bytes" in known["memory"]
    assert "available-bytes" not in data["memory"], "the machine cannot say it now, and the one before is gone"
    assert not data.get("checkpoints"), "it is not on this machine: what is there was looked at"
    assert data["observed"] == known["observed"]
    dark = read_text(write(BY_HAND, probe(RecordedMachine.of("missing-driver")), replaced=True), "f").data
    assert "gpus" not in dark
    assert "gpus" not in dark["read"]
    assert "gpus" in dark["unknown"]


def test_of_a_machine_that_was_replaced_the_folders_that_are_there_stay():
    text = BY_HAND.replace("  - {path: /m/by-hand", "  - {path: /m/gone, layers: 2}\n  - {path: /m/by-hand")
    text = text.replace(
        "  observed: {how", "  checkpoints: {how: headers}\n  environments: {how: folders}\n  observed: {how"
    )
    text += 'environments:\n  - {python: /p, release: "0.5.9"}\n'
    text += "unknown: {checkpoints./m/gone: no config.json, environments./p: several, disks: not asked}\n"
    found = Probe({"checkpoints": [{"path": "/m/by-hand", "layers": 4}]}, {"checkpoints": "headers"})
    stays = read_text(write(text, found), "f").data
    assert [entry["path"] for entry in stays["checkpoints"]] == ["/m/gone", "/m/by-hand"]
    assert left_behind(stays, found) == {"environments": ["/p"], "checkpoints": ["/m/gone"]}
    data = read_text(write(text, found, replaced=True), "f").data
    assert data["checkpoints"] == [{"path": "/m/by-hand", "layers": 4, "model": "org/name"}]
    assert not data.get("environments")
    assert data["read"].keys() == {"gpus", "checkpoints", "observed"}
    assert data["unknown"] == {"disks": "not asked"}


@pytest.mark.parametrize("text", ["{format: 1, host: a}\n", "{\n format: 1,\n host: a}\n"])
def test_a_layout_that_cannot_be_kept_is_refused(text):
    with pytest.raises(LayoutError):
        write(text, probe(RecordedMachine.of("pcie-8")))


def test_multi_line_values_are_replaced_whole():
    before = "format: 1\nhost: a\ngpus: [{index: 0,\n  name: x}]\n# end\n"
    text = write(before, Probe({"gpus": []}, {"gpus": "NVML"}))
    assert "name: x" not in text
    assert text.endswith("gpus: []\n# end\n")


COMMENT = st.text("abc #:{}[]'\"-", max_size=12).map(lambda text: f"# {text}")


@given(st.data())
def test_comments_in_lines_of_their_own_are_never_lost(data):
    lines = []
    for line in BY_HAND.splitlines():
        lines += data.draw(st.lists(COMMENT, max_size=2))
        lines.append(line)
    before = "\n".join(lines) + "\n"
    name = data.draw(st.sampled_from(["pcie-8", "no-gpu", "busy", "mig"]))
    after = write(before, probe(RecordedMachine.of(name)))
    kept = [line.strip() for line in after.splitlines()]
    for line in lines:
        if line.lstrip().startswith("#"):
            assert line.strip() in kept


def test_the_files_of_this_repository():
    for path in sorted(Path(__file__).parents[2].glob("hosts/*/facts.yaml")):
        text = path.read_text()
        document = read_text(text, "f")
        assert written(document, dict(document.data), path="f") == text
