"""Helps are followed to the letter, and the finding is gone.

Each case is a service of a host, or a whole file. What the help proposes is put in place of what is underlined, as a
reader in a hurry would do it.
"""

from __future__ import annotations

import re

import pytest

from rules.checking import check

HEAD = "host: h\nservices:\n  a:\n"
BASE = {"release": '"0.5.9"', "python": "/opt/sglang-0.5.9/bin/python3"}
FLAG = "flags:\n  model-path: /m\n  "

PROPOSALS = (
    re.compile(r"write a mapping, such as `[^:]+: (?P<value>[^`]+)`.*"),
    re.compile(r"write it in full and in quotes: (?P<value>.+)"),
    re.compile(r"write (?P<value>true) to give the flag"),
    re.compile(r"give the unit(?: in full)?: (?P<value>\S+) (?:or|for) .*"),
    re.compile(r"(?:put|write) it in quotes: (?P<value>.+)"),
    re.compile(r"write it without quotes: (?P<value>.+)"),
    re.compile(r"write a list: (?P<value>.+)"),
    re.compile(r"write (?P<value>.+), without (?:quotes|the brackets)"),
    re.compile(r"write (?P<value>\[.*\]), or leave it out"),
    re.compile(r"write (?P<value>\S+), or leave \S+ out"),
    re.compile(r"write one of (?P<value>[^, ]+)"),
    re.compile(r"write a port .* such as (?P<value>\d+)"),
    re.compile(r"write `[a-z-]+: (?P<value>[^`]+)`"),
    re.compile(r"write (?P<value>.+)"),
    re.compile(r"did you mean (?P<value>\S+?)(?: or .*)?\?"),
    re.compile(r"for example (?P<value>.+)"),
    re.compile(r".*such as (?P<value>\{.*\})"),
    re.compile(r".*such as (?P<value>\[.*?\])(?:,| or|$)"),
    re.compile(r'.*such as (?P<value>"[^"]*")'),
    re.compile(r".*such as (?P<value>.+?)(?:, .*| or .*|$)"),
)

# The code of the finding -> what is wrong.
CASES = [
    ("FLG009", FLAG + 'cuda-graph-bs: "1 2 4"'),
    ("FLG009", FLAG + "cuda-graph-bs: 1,2,4"),
    ("FLG009", FLAG + "cuda-graph-bs: 8"),
    ("FLG009", FLAG + "cuda-graph-bs: true"),
    ("FLG009", FLAG + "cuda-graph-bs: {a: 1}"),
    ("FLG009", FLAG + "cuda-graph-bs: []"),
    ("FLG009", FLAG + 'cuda-graph-bs: [1, "2"]'),
    ("FLG009", FLAG + "port: [30001]"),
    ("FLG009", FLAG + "port: [30001, 30002]"),
    ("FLG009", FLAG + "port: {http: 30001}"),
    ("FLG009", FLAG + "port: 1e308"),
    ("FLG009", FLAG + "port: 1.5"),
    ("FLG009", FLAG + 'port: ""'),
    ("FLG009", FLAG + 'port: "30001"'),
    ("FLG009", FLAG + "tp-size: 8.0"),
    ("FLG009", FLAG + "mem-fraction-static: 85%"),
    ("FLG009", FLAG + "mem-fraction-static: [0.8]"),
    ("FLG009", FLAG + "mem-fraction-static: 0,85"),
    ("FLG009", FLAG + "max-running-requests: 1,024"),
    ("FLG009", FLAG + 'max-running-requests: "65 536"'),
    ("FLG009", FLAG + "hicache-size: 40GB"),
    ("FLG009", FLAG + "hicache-size: forty"),
    ("FLG009", FLAG + "served-model-name: 010"),
    ("FLG009", FLAG + "served-model-name: [x]"),
    ("FLG009", FLAG + "served-model-name: {a: 1}"),
    ("FLG009", FLAG + "trust-remote-code: 1"),
    ("FLG009", FLAG + 'trust-remote-code: "true"'),
    ("FLG009", FLAG + "json-model-override-args: [1]"),
    ("FLG009", FLAG + "extra-metric-labels: 5"),
    ("FLG008", FLAG + "load-format: saftensors"),
    ("FLG008", FLAG + "lora-target-modules: [alll]"),
    ("FLG014", FLAG + "port: 0"),
    ("FLG014", FLAG + "port: -1"),
    ("FLG014", FLAG + "port: 70000"),
    ("FLG014", FLAG + "tp-size: 0"),
    ("FLG014", FLAG + "mem-fraction-static: 85"),
    ("FLG014", FLAG + "mem-fraction-static: 1.0"),
    ("FLG014", FLAG + "hicache-ratio: 0.0"),
    ("FLG014", FLAG + "page-size: 0"),
    ("FLG001", FLAG + "tensor-paralel-size: 1"),
    ("FLG002", FLAG + "tp: 1"),
    ("FLG003", FLAG + "tp_size: 1"),
    ("FLG004", FLAG + "--tp-size: 1"),
    ("FLG016", FLAG + "log-level: inof"),
    ("FLG018", FLAG + "json-model-override-args: '{a: 1}'"),
    ("SPC004", 'release: "0.5.09"'),
    ("SPC004", 'release: "0.5.9 "'),
    ("SPC004", 'release: " v0.5.9"'),
    ("SPC004", 'release: "0.5.9rc1"'),
    ("SPC004", 'release: "latest"'),
    ("SPC005", "release: 5.9"),
    ("SPC003", "gpus: 0"),
    ("SPC004", 'gpus: "0,1"'),
    ("SPC004", "gpus: ALL"),
    ("SPC004", "gpus: 0-3"),
    ("SPC004", "gpus: []"),
    ("SPC003", "flags: --model-path /m"),
    ("SPC003", "flags: [model-path]"),
    ("SPC003", "environment: A=b"),
    ("SPC003", "environment: [A=b]"),
    ("SPC003", "environment: {A: 010}"),
    ("SPC003", "environment: {A: 1.10}"),
    ("SPC003", "environment: {A: true}"),
    ("SPC003", "environment: {A: [b]}"),
    ("SPC003", "secrets: [api-key]"),
    ("SPC003", "environment-files: /etc/x.env"),
    ("SPC004", "working-directory: srv"),
    ("SPC004", "user: Root"),
    ("SPC003", "why: 5"),
    ("SPC003", "start: 15m"),
    ("SPC004", "start: {budget: 0s}"),
    ("SPC004", "start: {budget: 10 min}"),
    ("SPC004", "start: {budget: 1 hour 30 minutes}"),
    ("SPC003", "start: {budget: 15}"),
    ("SPC003", "unit: exec"),
    ("SPC004", "unit: {restart: never}"),
    ("SPC004", "unit: {restart: on_failure}"),
    ("SPC003", "unit: {restart: false}"),
    ("SPC004", "unit: {type: notify}"),
    ("SPC004", "unit: {nice: 44}"),
    ("SPC003", 'unit: {nice: "4"}'),
    ("SPC003", "unit: {limit-nofile: 1e6}"),
    ("SPC003", "unit: {after: network.target}"),
    ("SPC003", 'unit: {after: "a.target, b.target"}'),
    ("SPC004", "unit: {wants: [network]}"),
    ("SPC004", "unit: {limit-memlock: 48G}"),
    ("SPC004", "unit: {memory-max: 0GiB}"),
    ("SPC001", "unit: {RestartSec: 5s}"),
    ("SPC004", f"why: {'a' * 20_000}"),
    ("SPC004", 'secrets: {api-key: "a b"}'),
    ("SPC004", f"user: {'a' * 33}"),
    ("SPC004", f"environment: {{{'A' * 256}: x}}"),
    ("SPC004", f"working-directory: /{'a' * 4096}"),
    ("SPC004", "waive: [{code: FLG1, reason: it is long enough}]"),
    ("SPC004", "waive: [{code: SRV005, reason: short}]"),
    ("SPC003", "waive: [SRV005]"),
    ("SPC003", "waive: {code: SRV005}"),
]
FILES = [
    ("SPC003", "hosts/h/host.yaml", "host: h\nservices: [a]\n"),
    ("SPC003", "hosts/h/host.yaml", "host: h\nservices: a\n"),
    ("SPC003", "hosts/h/host.yaml", "host: h\nservices: {a: x}\n"),
    ("SPC003", "hosts/h/host.yaml", "host: h\nservices: {a: [x]}\n"),
    ("SPC004", "hosts/h/host.yaml", f"host: h\nservices: {{{'a' * 70}: {{}}}}\n"),
    ("UNT008", "hosts/h/host.yaml", HEAD.replace("a:", "docker:") + '    release: "0.5.9"\n    python: /opt/python3\n'),
    ("SPC004", "fleet.yaml", "policy: {severity: {SRV005: ignore}}\n"),
    ("SPC004", "fleet.yaml", "policy: {severity: {SRV005: warn}}\n"),
    ("SPC004", "fleet.yaml", "policy: {severity: {SRV005: info}}\n"),
    ("SPC004", "fleet.yaml", "policy: {severity: {srv5: note}}\n"),
    ("SPC003", "fleet.yaml", "policy: {severity: [SRV005]}\n"),
    ("SPC003", "fleet.yaml", "policy: {facts-max-age: 30}\n"),
    ("SPC004", "fleet.yaml", "policy: {facts-max-age: 0d}\n"),
    ("SPC003", "fleet.yaml", "policy: {allowed-users: root}\n"),
    ("POL006", "fleet.yaml", "policy: {required-flags: [served_model_name]}\n"),
]
SOUND = HEAD + "".join(f"    {key}: {value}\n" for key, value in BASE.items()) + "    flags: {model-path: /m}\n"


def service(body):
    """A host.yaml with a service of these lines, over what they leave out."""
    keys = {line.partition(":")[0] for line in body.splitlines()}
    lines = [f"{key}: {value}" for key, value in BASE.items() if key not in keys] + body.splitlines()
    if "flags" not in keys:
        lines.append("flags: {model-path: /m}")
    return HEAD + "".join(f"    {line}\n" for line in lines)


def followed(text, finding):
    """The text with what the help proposes in place of what is underlined."""
    place, help_ = finding.place, finding.help
    if "leave it out for no" in help_:
        return re.sub(r"[\w-]+: 0\w+", "", text)
    lines = text.splitlines(keepends=True)
    line = lines[place.line - 1]
    assert place.end_line == place.line, "more than one line is underlined"
    if too_many := re.fullmatch(r"take ([0-9,]+) characters out", help_):
        proposal = line[place.column - 1 : place.end_column - 1 - int(too_many[1].replace(",", ""))]
    else:
        proposal = next(found["value"] for each in PROPOSALS if (found := each.fullmatch(help_)))
    lines[place.line - 1] = line[: place.column - 1] + proposal + line[place.end_column - 1 :]
    return "".join(lines)


@pytest.mark.parametrize(
    ("code", "path", "text"),
    [(code, "hosts/h/host.yaml", service(body)) for code, body in CASES] + FILES,
    ids=[body.rpartition("\n")[2].strip() for _, body in CASES] + [text.strip() for _, _, text in FILES],
)
def test_the_help_is_right(code, path, text, tmp_path):
    files = {"hosts/h/host.yaml": SOUND, path: text}
    before = [each for each in check(tmp_path, files) if each.code == code and each.place.path == path]
    assert before, "the case has no such finding"
    assert before[0].help is not None
    after = check(tmp_path, {**files, path: followed(text, before[0])})
    again = [each for each in after if each.code == code and each.route == before[0].route]
    assert again == [], (before[0].help, again[0].message)
    broken = [each for each in after if each.code.startswith("SRC")]
    assert broken == [], (before[0].help, broken[0].message)


def test_a_secret_moves_to_where_the_help_says(tmp_path):
    before = check(tmp_path, {"hosts/h/host.yaml": service(FLAG + "api_key: correct-horse")})
    helps = [each.help for each in before if each.code == "FLG015"]
    (proposal,) = [found[1] for each in helps if (found := re.search(r"`(secrets: [^`]+)`", each))]
    body = f"flags: {{model-path: /m}}\n{proposal}\nenvironment-files: [/etc/sglang/secrets.env]"
    after = check(tmp_path, {"hosts/h/host.yaml": service(body)})
    assert {each.code for each in after} == {"FCT001"}


@pytest.mark.parametrize("name", ["tp", "tp_size", "--tp-size", "tensor-paralel-size"])
def test_a_second_name_of_a_flag_is_removed(name, tmp_path):
    before = check(tmp_path, {"hosts/h/host.yaml": service(f"{FLAG}tp-size: 2\n  {name}: 2")})
    assert [each.help for each in before if each.code.startswith("FLG00")] == [
        f"remove {name}: tp-size is given already"
    ]
