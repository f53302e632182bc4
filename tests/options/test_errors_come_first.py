"""Nothing is offered after which `check` has an error about the service: walked over what the manual calls bad."""

from __future__ import annotations

import pytest

from rules.checking import check
from rules.examples import complete
from sgfleet.cli.common import UsageError
from sgfleet.cli.kv_options import options_of
from sgfleet.cli.main import main
from sgfleet.findings import Severity
from sgfleet.fleet.workspace import Workspace
from sgfleet.rules.bearing import bearing_on, bearing_on_host, before_memory
from sgfleet.rules.registry import entries

BAD = [
    pytest.param(entry, example, id=f"{entry.rule.code}-{number}")
    for entry in entries().values()
    if entry.rule.code.startswith(("MEM", "SRV004", "HST002", "FLG014"))
    for number, example in enumerate(entry.page.bad)
    if any("memory-mib" in each for each in example.files)
]
CASE = """\
host: example-01
defaults: {release: "0.5.23", python: /opt/python, flags: {model-path: Qwen/Qwen3-8B}}
services:
  one: {gpus: [0], flags: {FLAGS}}
"""
FACTS = """\
format: 1
host: example-01
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000, available-bytes: 250000000000}
"""


def _errors(findings, name):
    found = [*bearing_on(findings, name), *bearing_on_host(findings)]
    return [each for each in found if each.severity is Severity.ERROR and each.waived is None]


def _offered(root, files):
    findings = check(root, files)
    workspace = Workspace(root)
    for spec in workspace.repository.hosts(dict.fromkeys(workspace.repository.host_names)):
        for service in options_of(workspace, spec, None):
            assert service.refused == bool(before_memory(findings, service.name))
            if service.refused:
                assert not service.options
            yield from ((service.name, option) for option in service.options)


@pytest.mark.parametrize(("entry", "example"), BAD)
def test_what_is_offered_passes_check(entry, example, tmp_path):
    made = complete(example, entry.rule.stage)
    for number, (name, option) in enumerate(list(_offered(tmp_path, made.files))):
        root = tmp_path / str(number)
        after = check(root, {**made.files, option.patch.path: option.patch.after})
        assert not _errors(after, name), option.move.title


@pytest.mark.parametrize(
    "flags",
    [
        "tp-size: 4",
        "bogus-flag: 3",
        "page-size: 0",
        "attention-backend: flashmla",
        "quantization: awq",
        "context-length: 200000",
    ],
)
def test_an_error_that_no_option_puts_right_comes_first(tmp_path, capsys, flags):
    check(tmp_path, {"hosts/example-01/host.yaml": CASE.replace("FLAGS", flags), "hosts/example-01/facts.yaml": FACTS})
    assert main(["options", "--root", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "check has an error that comes first" in said
    with pytest.raises(UsageError, match="nothing to apply"):
        main(["options", "--root", str(tmp_path), "--apply", "1"])


def test_what_is_not_judged_is_a_high_risk(tmp_path):
    flags = "cpu-offload-gb: 20, mem-fraction-static: 0.7"
    files = {"hosts/example-01/host.yaml": CASE.replace("FLAGS", flags), "hosts/example-01/facts.yaml": FACTS}
    found = list(_offered(tmp_path, files))
    assert found
    for _, option in found:
        assert option.move.risk.word == "high"
        assert any(each.startswith("not judged: offloading") for each in option.risks)
