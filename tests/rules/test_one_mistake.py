"""A mistake in a flag is one finding: what depends on that flag does not say something else about the same slip."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rules.checking import check

FLEET = Path(__file__).parents[1] / "data" / "fleet"
LLAMA, KIMI = "hosts/llama-70b-01/host.yaml", "hosts/kimi-01/host.yaml"
SAID_ALREADY = {"MEM030"}
"""Says that memory was not checked: no second opinion of the mistake."""


@pytest.mark.parametrize(
    ("path", "right", "wrong", "code"),
    [
        (LLAMA, "tp-size: 4", "tp_size: 4", "FLG003"),
        (LLAMA, "tp-size: 4", "--tp-size: 4", "FLG004"),
        (LLAMA, "tp-size: 4", "tp: 4", "FLG002"),
        (LLAMA, "tp-size: 4", "tpsize: 4", "FLG001"),
        (LLAMA, "tp-size: 4", "tensor-paralel-size: 4", "FLG001"),
        (LLAMA, "tp-size: 4", "TP_SIZE: 4", "FLG001"),
        (LLAMA, "tp-size: 4", 'tp-size: "4"', "FLG009"),
        (LLAMA, "quantization: modelopt_fp8", "quantisation: modelopt_fp8", "FLG001"),
        (LLAMA, "model-path:", "model_path:", "FLG003"),
        (LLAMA, "served-model-name:", "served_model_name:", "FLG003"),
        (LLAMA, "mem-fraction-static: 0.86", "mem-fraction: 0.86", "FLG002"),
        (KIMI, "speculative-algorithm: EAGLE3", "speculative-algorithm: eagle3", "FLG008"),
        (KIMI, "speculative-algorithm: EAGLE3", "speculative_algorithm: EAGLE3", "FLG003"),
        (KIMI, "enable-hierarchical-cache: true", "enable-hierarchical-cache: yes", "FLG009"),
        (KIMI, "enable-hierarchical-cache: true", "enable_hierarchical_cache: true", "FLG003"),
        (KIMI, "enable-hierarchical-cache: true", "enable-hierachical-cache: true", "FLG001"),
        (KIMI, "trust-remote-code: true", "trust_remote_code: true", "FLG003"),
    ],
)
def test_one_mistake_is_one_finding(tmp_path: Path, path: str, right: str, wrong: str, code: str) -> None:
    shutil.copytree(FLEET, tmp_path, dirs_exist_ok=True)
    host = path.split("/")[1]
    before = {finding.code for finding in check(tmp_path, {}) if finding.host == host}
    text = (tmp_path / path).read_text()
    assert text.count(right) == 1
    found = [f for f in check(tmp_path, {path: text.replace(right, wrong)}) if f.host == host]
    assert [f.code for f in found if f.code not in before | SAID_ALREADY] == [code], found


def test_both_a_slip_and_the_flag_itself_is_the_flag(tmp_path: Path) -> None:
    shutil.copytree(FLEET, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / LLAMA).read_text().replace("tp-size: 4", "tp-size: 4\n      tpsize: 1")
    found = [f for f in check(tmp_path, {LLAMA: text}) if f.host == "llama-70b-01"]
    assert [f.code for f in found] == ["FLG001"]
    assert found[0].help == "remove tpsize: tp-size is given already"
