"""What is said about a wrong file: one finding a place, in our own words, with what to write instead.

`bad/NAME.yaml` is a file as somebody might write it, `bad/NAME.out` what is said about it, a line a finding. The first
word of NAME says which file it is: host, facts or fleet. With SGFLEET_ACCEPT=1 the .out files are written anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sgfleet.rules.registry import entries
from spec.repositories import repository, said

BAD = Path(__file__).with_name("bad")
NAMES = sorted(path.stem for path in BAD.glob("*.yaml"))
HOST = 'host: h\nservices:\n  a: {release: "0.5.9", python: /opt/python}\n'


def findings_of(name, root):
    text = (BAD / f"{name}.yaml").read_text()
    kind = name.partition("-")[0]
    files = {"hosts/h/host.yaml": HOST}
    files[{"fleet": "fleet.yaml"}.get(kind, f"hosts/h/{kind}.yaml")] = text
    made = repository(root, files)
    return [*made.findings, *made.host("h").findings]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said(name, tmp_path):
    found = findings_of(name, tmp_path)
    lines = "".join(f"{line}\n" for line in said(found))
    golden = BAD / f"{name}.out"
    if os.environ.get("SGFLEET_ACCEPT"):
        golden.write_text(lines)
    assert lines == golden.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_finding_is_fit_to_be_shown(name, tmp_path):
    found = findings_of(name, tmp_path)
    assert found
    places = [(str(each.place), each.code, each.message) for each in found]
    assert len(places) == len(set(places))
    for each in found:
        assert each.code in entries()
        assert each.severity == entries()[each.code].rule.severity
        assert each.message[0] in "'\"0123456789" or each.message[0].islower()
        assert not each.message.endswith(".")
        assert not re.search(
            r"\n|pydantic|validat|literal|input should|\bstr\b|\bint\b|dict|tuple", each.message.lower()
        )
        assert each.place.line > 0


@pytest.mark.parametrize("written", ["-1", "1024", "99999999999", "two", "1.5"])
def test_for_a_gpu_that_no_host_has_no_other_one_is_proposed(tmp_path, written):
    """The nearest number is the answer for an amount; here it would be somebody else's GPU."""
    host = HOST.replace("/opt/python}", f"/opt/python, gpus: [0, {written}]}}")
    facts = "format: 1\nhost: h\ngpus:\n" + "".join(
        f"  - {{index: {index}, name: NVIDIA L40S, memory-mib: 46068}}\n" for index in range(3)
    )
    (alone,) = repository(tmp_path / "a", {"hosts/h/host.yaml": host}).host("h").findings
    assert alone.message == f"gpus[1]: {written} is not a GPU index from 0 to 1023"
    assert alone.help is None
    (known,) = repository(tmp_path / "b", {"hosts/h/host.yaml": host, "hosts/h/facts.yaml": facts}).host("h").findings
    assert known.message.removeprefix("services.a.") == alone.message
    assert known.help == "h has GPUs 0 to 2"


PATHS = {"python": "{}", "working-directory": "{}", "environment-files": "[{}]"}


@pytest.mark.parametrize(
    ("escape", "name"), [("\\0", "U+0000"), ("\\n", "U+000A"), ("\\t", "U+0009"), ("\\x7f", "U+007F")]
)
@pytest.mark.parametrize("key", PATHS)
def test_a_character_that_no_path_can_have_is_named(tmp_path, key, escape, name):
    host = HOST.replace(", python: /opt/python", "" if key == "python" else ", python: /opt/python")
    for text, place in ((f'"/srv/{escape}t"', "after 5 characters"), (f'"/srv/t{escape}"', "at its end")):
        given = host.replace("}", f", {key}: {PATHS[key].format(text)}}}")
        (found,) = repository(tmp_path / place[:2], {"hosts/h/host.yaml": given}).host("h").findings
        what = f"{key}[0]" if key == "environment-files" else key
        assert found.message == f"{what} holds {name} {place}, which an absolute path cannot have"
        assert found.help == "take that character out"


def test_a_character_in_a_folder_of_the_policy_or_a_name(tmp_path):
    files = {
        "fleet.yaml": 'policy: {allowed-models: ["/srv\\t"]}\n',
        "hosts/h/host.yaml": HOST.replace("}", ', user: "sgl\\0ang", working-directory: "srv\\t"}'),
    }
    made = repository(tmp_path, files)
    messages = [each.message for each in (*made.findings, *made.host("h").findings)]
    assert (
        messages[0]
        == "policy.allowed-models[0] holds U+0009 at its end, which an absolute path of a folder cannot have"
    )
    assert messages[1].startswith("user holds U+0000 after 3 characters, which a name of a user")
    assert messages[2] == r'working-directory: "srv\t" is not an absolute path', "without the tab it is none either"


def test_a_path_that_is_too_long(tmp_path):
    host = HOST.replace("}", f", working-directory: /{'a' * 4999}}}")
    (found,) = repository(tmp_path, {"hosts/h/host.yaml": host}).host("h").findings
    assert found.message == "working-directory is 5,000 characters long, and an absolute path has at most 4,096"


def test_every_code_about_keys_and_values_has_a_case():
    codes = {line.split()[1] for path in BAD.glob("*.out") for line in path.read_text().splitlines()}
    assert {code for code in entries() if "SPC001" <= code <= "SPC009"} <= codes
