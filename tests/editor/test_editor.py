"""What an operator sees while writing: the real yaml-language-server, given the committed schemas and nothing else.

`make test-editor` has npm put the server into .cache/editor first.
"""

from __future__ import annotations

import json
import shutil
from itertools import count
from pathlib import Path

import pytest

from editor.language_server import LanguageServer

pytestmark = pytest.mark.editor

ROOT = Path(__file__).parents[2]
FLEET = ROOT / "tests" / "data" / "fleet"
SERVER = ROOT / ".cache/editor"
HEAD = "# yaml-language-server: $schema=../../schema/host.schema.json\nhost: kimi-01\n"


class Editor:
    """Files that are open only in the editor: each text is a host.yaml of its own, beside the committed ones."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.numbers = count()

    def open(self, text: str, name: str = "host.yaml") -> Opened:
        path = ROOT / "hosts" / f"new-{next(self.numbers)}" / name
        return Opened(self.server, path, text, self.server.diagnostics(path, text))


class Opened:
    """One open file. Places are named by the text of a line: `|` stands for the cursor."""

    def __init__(self, server, path, text, diagnostics):
        self.server, self.path, self.lines = server, path, text.split("\n")
        self.marked = {
            (self.lines[each["range"]["start"]["line"]].strip(), each["message"].split("\n")[0]) for each in diagnostics
        }

    def at(self, place):
        before, _, after = place.partition("|")
        for number, line in enumerate(self.lines):
            if line.strip() == (before + after).strip():
                return number, len(line) - len(line.lstrip()) + len(before)
        raise AssertionError(f"no line {before + after!r}")

    def offers(self, place):
        """Label -> (what would be inserted, what is told about it)."""
        found = {}
        for item in self.server.completion(self.path, *self.at(place)):
            told = item.get("documentation") or ""
            found[item["label"]] = (item["insertText"], told["value"] if isinstance(told, dict) else told)
        return found

    def hover(self, place):
        return self.server.hover(self.path, *self.at(place))


@pytest.fixture(scope="module")
def editor():
    if shutil.which("node") is None:
        pytest.fail("node is not installed")
    assert (SERVER / "node_modules/yaml-language-server").is_dir(), "run make test-editor"
    with LanguageServer(SERVER, ROOT) as server:
        yield Editor(server)


def service(release, *flags, indent="      "):
    lines = "".join(f"{indent}{flag}\n" for flag in flags)
    return f'{HEAD}services:\n  sglang-kimi:\n    release: "{release}"\n    python: /opt/python\n    flags:\n{lines}'


def declared(release):
    """The flags of a release as its committed schema has them, aliases left out."""
    properties = json.loads((ROOT / f"schema/sglang/{release}.json").read_text())["properties"]
    return {name: flag for name, flag in properties.items() if "$ref" not in flag}


@pytest.mark.parametrize("release", ["0.5.9", "0.5.23", "0.4.3"])
def test_hicache_offers_the_flags_of_the_release_with_type_choices_and_default(editor, release):
    offers = editor.open(service(release, "model-path: /m", "hicache-")).offers("hicache-|")
    flags = {name: flag for name, flag in declared(release).items() if name.startswith("hicache-")}
    assert {label for label in offers if label.startswith("hicache-")} == set(flags)
    if release == "0.5.9":
        assert len(flags) >= 8
        assert offers["hicache-ratio"][1].endswith("Type: number. Default: 2.0.")
        assert offers["hicache-size"][1].endswith("Type: integer. Default: 0.")
        assert offers["hicache-write-policy"][1].endswith(
            'One of write_back, write_through, write_through_selective. Default: "write_through".'
        )
    for name, flag in flags.items():
        inserted, told = offers[name]
        assert inserted.startswith(f"{name}:")
        for choice in flag.get("enum", ()):
            assert choice is None or choice in told
        assert "enum" in flag or "Type: " in told
        assert "default" not in flag or f"Default: {json.dumps(flag['default'])}" in told


def test_the_first_flag_of_a_service_is_offered_too(editor):
    assert "hicache-ratio" in editor.open(service("0.5.9", "hicache-")).offers("hicache-|")


def test_a_flag_of_another_release_is_marked(editor):
    assert "attn-dp-size" in declared("0.5.23")
    assert "attn-dp-size" not in declared("0.5.9")
    marked = editor.open(service("0.5.9", "model-path: /m", "attn-dp-size: 8")).marked
    assert marked == {("attn-dp-size: 8", "Property attn-dp-size is not allowed.")}
    assert editor.open(service("0.5.23", "model-path: /m", "attn-dp-size: 8")).marked == set()


def test_two_services_of_one_host_have_their_own_releases(editor):
    second = (
        '  other:\n    release: "0.5.23"\n    flags:\n      attn-dp-size: 8\n      disable-hicache-numa-detect: true\n'
    )
    marked = editor.open(service("0.5.9", "disable-hicache-numa-detect: true", "attn-dp-size: 8") + second).marked
    assert {line for line, _ in marked} == {"attn-dp-size: 8", "disable-hicache-numa-detect: true"}
    assert len(marked) == 2


def test_a_release_from_the_hosts_defaults_counts(editor):
    text = f'{HEAD}defaults:\n  release: "0.5.9"\n  flags:\n    attn-dp-size: 1\nservices:\n  a:\n    flags:\n'
    opened = editor.open(f"{text}      attn-dp-size: 2\n      hicache-ratio: many\n")
    assert {line for line, _ in opened.marked} == {"attn-dp-size: 1", "attn-dp-size: 2", "hicache-ratio: many"}
    offers = editor.open(f"{text}      model-path: x\n      hicache-\n").offers("hicache-|")
    assert "hicache-ratio" in offers


def test_values_are_marked_and_choices_offered(editor):
    opened = editor.open(service("0.5.9", "kv-cache-dtype: fp9", "tp-size: eight", "port: 30000"))
    assert {line for line, _ in opened.marked} == {"kv-cache-dtype: fp9", "tp-size: eight"}
    assert "fp8_e4m3" in dict(opened.marked)["kv-cache-dtype: fp9"]
    offers = editor.open(service("0.5.9", "hicache-write-policy: ")).offers("hicache-write-policy: |")
    assert {"write_back", "write_through", "write_through_selective"} <= set(offers)
    assert {"true", "false"} <= set(editor.open(service("0.5.9", "enable-metrics: ")).offers("enable-metrics: |"))


def test_hovering_tells_what_a_key_is_for(editor):
    opened = editor.open((FLEET / "hosts/kimi-01/host.yaml").read_text())
    told = opened.hover("hicache-ra|tio: 4.0")
    assert declared("0.5.9")["hicache-ratio"]["description"].partition(" Type:")[0] in told
    assert "Default: 2.0" in told
    assert "The SGLang release that runs" in opened.hover('rel|ease: "0.5.9"')
    assert "TimeoutStopSec=" in opened.hover("timeout-|stop-sec: 60s")


def test_keys_of_a_service_are_offered_without_what_nobody_asked_for(editor):
    opened = editor.open(f'{HEAD}services:\n  a:\n    release: "0.5.9"\n    f\n')
    offers = opened.offers("f|")
    assert offers["flags"][0].strip() == "flags:"
    assert offers["unit"][0].strip() == "unit:"
    assert "restart-sec" not in offers


def test_releases_are_offered_newest_first(editor):
    offers = list(editor.open(f"{HEAD}services:\n  a:\n    release: \n").offers("release: |"))
    releases = [label for label in offers if label[0].isdigit()]
    assert releases[0] == max(
        (path.stem for path in (ROOT / "schema/sglang").glob("[0-9]*.json")),
        key=lambda release: [int(part.removeprefix("post")) for part in release.split(".")],
    )
    assert "0.5.9" in releases


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("services:\n  a:\n    release: 0.5\n", "release: 0.5"),
        ('services:\n  a:\n    relase: "0.5.9"\n', 'relase: "0.5.9"'),
        ("services:\n  a:\n    unit:\n      restart-sec: 30\n", "restart-sec: 30"),
        ("services:\n  a:\n    unit:\n      RestartSec: 30s\n", "RestartSec: 30s"),
        ("services:\n  a:\n    gpus: most\n", "gpus: most"),
        ("services:\n  a:\n    environment:\n      A: true\n", "A: true"),
        ("services:\n  Bad Name: {}\n", "Bad Name: {}"),
        ("defaults:\n  waive: []\nservices: {}\n", "waive: []"),
    ],
)
def test_what_the_check_refuses_is_marked(editor, text, line):
    assert {marked for marked, _ in editor.open(HEAD + text).marked} == {line}


@pytest.mark.parametrize(
    "text",
    [
        "services: {}\n",
        "services:\n  a: {}\n",
        "services:\n  a:\n    flags: null\n    unit: null\n    gpus: [0, 1]\n    why: null\n",
        service("0.5.9", "hicache-ratio: null", "json-model-override-args: {a: 1}").removeprefix(HEAD),
    ],
)
def test_what_the_check_takes_is_not_marked(editor, text):
    assert editor.open(HEAD + text).marked == set()


@pytest.mark.parametrize(
    "path", sorted([*FLEET.glob("hosts/*/*.yaml"), FLEET / "fleet.yaml"]), ids=lambda path: "/".join(path.parts[-2:])
)
def test_nothing_is_marked_in_the_files_of_this_repository(editor, path):
    there = ROOT / path.relative_to(FLEET)  # beside the schemas that its first line names
    assert editor.server.diagnostics(there, path.read_text()) == []
