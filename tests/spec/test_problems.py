"""What is said about a wrong file: one finding a place, in our own words, with what to write instead.

`bad/NAME.yaml` is a file as somebody might write it, `bad/NAME.out` what is said about it, a line a finding. The first
word of NAME says which file it is: host, facts or fleet. With SGFLEET_ACCEPT=1 the .out files are written anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import StringConstraints

from sgfleet.rules.registry import entries
from sgfleet.spec.models.expectation import Hint, expectation
from sgfleet.spec.models.kinds import MODELS
from sgfleet.spec.text_faults import text_fault
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


def texts(hint, names=()):
    """Every place of a model where a text of bounded length stands: the way to it, and its type."""
    if fields := hint.fields():
        for key, field in fields.items():
            yield from texts(Hint.of(field.annotation, field.metadata), (*names, key))
    elif hint.branches:
        for each in hint.branches:
            yield from texts(each, names)
    elif hint.origin is dict:
        key, value = map(Hint.of, get_args(hint.type))
        yield from texts(key, (*names, "KEY"))
        yield from texts(value, (*names, "x"))
    elif hint.origin is tuple:
        yield from texts(Hint.of(get_args(hint.type)[0]), (*names, 0))
    elif hint.type is str and any(isinstance(each, StringConstraints) for each in hint.metadata):
        yield names, hint


BOUNDED = [(model, names, hint) for model in MODELS.values() for names, hint in texts(Hint(model))]


@pytest.mark.parametrize(("model", "names", "hint"), BOUNDED, ids=lambda each: str(each)[:40])
def test_of_every_text_that_is_too_long_it_is_said_how_long_it_is(model, names, hint):
    (limits,) = [each for each in hint.metadata if isinstance(each, StringConstraints)]
    what = expectation(hint).what
    said = re.search(r"(?:at most|to) (\d+)", what)
    most = limits.max_length or (int(said[1]) if said else None)
    if most is None:
        return
    pattern = re.compile((limits.pattern or ".*").removeprefix("^").removesuffix("$"))
    fitting = next(each for each in EXAMPLES if pattern.fullmatch(each))
    grown = "a" if "a" in fitting else "1"
    longer = fitting.replace(grown, grown * (most + 1), 1)
    fault = text_fault(longer, hint.metadata, what)
    assert fault is not None
    assert fault[0].startswith(f"is {len(longer):,} characters long, and ")
    assert fault[0].endswith(f" at most {most:,}")
    assert fault[1] == f"take {len(longer) - most:,} characters out"
    assert text_fault(fitting, hint.metadata, what) is None


EXAMPLES = ("a", "/a", "http://127.0.0.1:1/a", "a.service", "1.0.0")


def test_a_why_that_is_too_long(tmp_path):
    host = HOST.replace("}", f", why: {'a' * 200_000}}}")
    (found,) = repository(tmp_path, {"hosts/h/host.yaml": host}).host("h").findings
    assert found.message == "why is 200,000 characters long, and may have at most 2,000"
    assert found.help == "take 198,000 characters out"


def test_a_name_of_a_variable_that_is_too_long(tmp_path):
    host = HOST.replace("}", f", environment: {{{'A' * 300}: x}}}}")
    (found,) = repository(tmp_path, {"hosts/h/host.yaml": host}).host("h").findings
    assert found.message.endswith(" is 300 characters long, and the name of a variable has at most 255")


def test_every_code_about_keys_and_values_has_a_case():
    codes = {line.split()[1] for path in BAD.glob("*.out") for line in path.read_text().splitlines()}
    assert {code for code in entries() if "SPC001" <= code <= "SPC009"} <= codes
