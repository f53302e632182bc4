"""`sgfleet options`: what is offered passes `check`, what is applied changes those lines alone, unknown is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sgfleet.cli.kv_options import options_of
from sgfleet.cli.main import main
from sgfleet.fleet.workspace import Workspace

HERE = Path(__file__).parent
REPOSITORY = Path(__file__).parents[2]
NAME = "kimi-01/sglang-kimi"
HOST = "hosts/kimi-01/host.yaml"
FACTS = "hosts/kimi-01/facts.yaml"


class Fleet:
    """A copy of the story's host that a test changes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(HERE / "kimi", root, dirs_exist_ok=True)

    def text(self, path: str = HOST) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def change(self, old: str, new: str, path: str = HOST) -> None:
        text = self.text(path)
        assert old in text
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")

    def options(self):
        workspace = Workspace(self.root)
        (found,) = options_of(workspace, workspace.repository.host("kimi-01"), {"sglang-kimi"})
        return found


@pytest.fixture
def fleet(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet").mkdir()
    made = Fleet(tmp_path / "fleet")
    monkeypatch.chdir(made.root)
    return made


def by_title(found, title):
    return next(option for option in found.options if option.move.title == title)


def reason(found, title):
    return next(ruled.reason for ruled in found.ruled if ruled.title == title)


def test_golden(fleet, capsys):
    """The story's own question. Write the file anew with what is printed once the figures are known to be right."""
    assert main(["options", NAME]) == 0
    assert capsys.readouterr().out == (HERE / "kimi.txt").read_text(encoding="utf-8")


def test_table_fits_100_columns(fleet, capsys):
    main(["options"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 100


def test_ratio_4_from_2_has_the_figures_of_the_engine(fleet):
    fleet.change("hicache-ratio: 4.0", "hicache-ratio: 2.0")
    capacity = by_title(fleet.options(), "ratio 4").capacity
    assert (capacity.gpu_tokens, capacity.ram_tokens) == (159_277, 637_109)
    assert capacity.ram_bytes == 8 * 637_109 * 70_272
    assert capacity.ram_left_bytes == 425_201_762_304 - 8 * 637_109 * 70_272
    assert capacity.origin == "measured"


def test_ratio_5_is_ruled_out_with_its_arithmetic(fleet):
    said = reason(fleet.options(), "ratio 5")
    assert "416.96 GiB of 396.00 GiB" in said
    assert "4.17" in said


def test_host_tier_does_not_raise_the_longest_request(fleet):
    found = fleet.options()
    tier = next(option for option in found.options if option.move.kind == "host-tier")
    assert tier.capacity.request_tokens == found.now.request_tokens
    assert any("longest request" in cost for cost in tier.move.costs)


def test_fp8_halves_the_row_and_warns_of_flashinfers_copies(fleet):
    found = fleet.options()
    alone = by_title(found, "FP8 KV (flashinfer)")
    assert alone.capacity.gpu_tokens == pytest.approx(2 * 159_277, rel=0.02)
    assert alone.move.accuracy
    assert alone.move.risk.word == "high"
    assert any("copies" in risk for risk in alone.risks)
    assert by_title(found, "FP8 KV (triton)").move.risk.word == "medium"


def test_a_larger_pool_takes_its_ratio_along(fleet):
    for option in fleet.options().options:
        assert option.capacity.ram_left_bytes >= 48 * 2**30, option.move.title


def test_order_is_least_risk_then_most_tokens(fleet):
    found = fleet.options().options
    keys = [(option.move.risk, -option.capacity.gpu_tokens, -option.capacity.ram_tokens) for option in found]
    assert keys == sorted(keys)


def test_every_option_gains(fleet):
    found = fleet.options()
    for option in found.options:
        gains = (
            option.capacity.gpu_tokens > found.now.gpu_tokens,
            option.capacity.ram_tokens > found.now.ram_tokens,
        )
        assert any(gains), option.move.title


def test_every_option_applied_passes_check(fleet, capsys):
    before = fleet.text()
    count = len(fleet.options().options)
    assert count >= 8
    for number in range(1, count + 1):
        (fleet.root / HOST).write_text(before, encoding="utf-8")
        assert main(["options", NAME, "--apply", str(number)]) == 0
        assert fleet.text() != before
        capsys.readouterr()
        main(["check", "kimi-01", "--format", "json"])
        findings = json.loads(capsys.readouterr().out)["findings"]
        assert not [each for each in findings if each["severity"] == "error" and not each.get("waived")], number


def test_apply_leaves_every_other_line(fleet, capsys):
    before = fleet.text().splitlines()
    found = fleet.options()
    number = next(at for at, option in enumerate(found.options, 1) if option.move.kind == "host-tier")
    assert main(["options", NAME, "--apply", str(number)]) == 0
    after = fleet.text().splitlines()
    assert len(after) == len(before)
    (changed,) = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert changed[0].strip() == "hicache-ratio: 4.0   # asked for in review"
    assert changed[1].strip().startswith("hicache-ratio: ")
    assert changed[1].endswith("# asked for in review")
    said = capsys.readouterr()
    assert "sgfleet render kimi-01" in said.err
    assert said.out.startswith("--- a/hosts/kimi-01/host.yaml")


def test_apply_refuses_what_is_not_there(fleet):
    from sgfleet.cli.common import UsageError

    before = fleet.text()
    for number in ("0", "99"):
        with pytest.raises(UsageError, match="has no option"):
            main(["options", NAME, "--apply", number])
    assert fleet.text() == before


def test_value_from_fleet_goes_to_the_service(fleet):
    fleet.change("      hicache-ratio: 4.0   # asked for in review\n", "")
    fleet.change(
        "    trust-remote-code: false\n", "    trust-remote-code: false\n    hicache-ratio: 4.0\n", "fleet.yaml"
    )
    option = next(option for option in fleet.options().options if option.move.kind == "host-tier")
    assert option.patch.path == HOST
    assert any("fleet.yaml" in note for note in option.patch.notes)


def test_without_gpus_nothing_is_computed(fleet, capsys):
    text = fleet.text(FACTS)
    start, end = text.index("gpus:\n"), text.index("memory:\n", text.index("gpus:\n"))
    (fleet.root / FACTS).write_text(text[:start] + text[end:], encoding="utf-8")
    assert main(["options", NAME]) == 3
    said = capsys.readouterr().out
    assert "not computed" in said
    assert "sgfleet facts" in said


def test_without_ram_the_host_tier_is_not_judged(fleet):
    fleet.change("  available-bytes: 425201762304      # 396 GiB\n", "  swap-total-bytes: 0\n", FACTS)
    found = fleet.options()
    assert [ruled.title for ruled in found.ruled if ruled.unknown] == ["a larger host tier"]
    assert all(option.move.kind != "host-tier" for option in found.options)
    assert found.now.ram_left_bytes is None


def test_without_compute_capability_fp8_is_not_judged(fleet):
    fleet.change(', compute-capability: "12.0"', "", FACTS)
    found = fleet.options()
    assert any(ruled.unknown and ruled.title == "FP8 KV" for ruled in found.ruled)
    assert all(option.move.accuracy is None for option in found.options)


def test_links_give_the_time_to_bring_a_prefix_back(fleet):
    assert fleet.options().reload is None
    link = 'compute-capability: "12.0", pcie: {generation: 5, width: 16, current-width: 8}'
    fleet.change('compute-capability: "12.0"', link, FACTS)
    reload = fleet.options().reload
    assert reload.rank_bytes == 32_768 * 70_272
    assert reload.reload_seconds == pytest.approx(32_768 * 70_272 / (8 * 3.938e9 * 0.8))
    assert reload.compute_seconds > reload.reload_seconds
    assert any("x8" in said for said in reload.assumptions)


def test_json_is_versioned_and_whole(fleet, capsys):
    assert main(["options", "kimi-01", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["format"] == 1
    (service,) = answer["services"]
    assert service["now"]["gpu_tokens"] == 159_277
    assert [option["number"] for option in service["options"]] == list(range(1, len(service["options"]) + 1))
    for option in service["options"]:
        assert option["restart"] is True
        assert option["patch"].startswith("--- a/")
        assert option["capacity"]["gpu_origin"] in {"measured", "computed", "estimated"}


def test_a_file_that_changed_meanwhile_is_left_alone(fleet, monkeypatch):
    from sgfleet.cli import kv_options
    from sgfleet.cli.common import UsageError

    real = kv_options.options_of

    def slow(workspace, spec, wanted):
        found = real(workspace, spec, wanted)
        fleet.change("restart-sec: 30s", "restart-sec: 31s", "fleet.yaml")
        fleet.change("port: 30000", "port: 30001")
        return found

    monkeypatch.setattr(kv_options, "options_of", slow)
    with pytest.raises(UsageError, match="changed in the meantime"):
        main(["options", NAME, "--apply", "1"])
    assert "port: 30001" in fleet.text()
