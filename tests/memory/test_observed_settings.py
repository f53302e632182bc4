"""An observed start keeps the settings that it was measured with, whatever the spec says since."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sgfleet.cli.main import main

FLEET = Path(__file__).parents[1] / "data" / "fleet"


def tokens(root: Path, capsys) -> int:
    assert main(["memory", "kimi-01", "--root", str(root)]) in (0, 1)
    out = capsys.readouterr().out
    return int(re.search(r"KV tokens +([\d,]+)", out)[1].replace(",", ""))


def kimi(root: Path, observed: str = "", flags: str = "") -> None:
    shutil.copytree(FLEET / "hosts/kimi-01", root / "hosts/kimi-01", dirs_exist_ok=True)
    facts, host = root / "hosts/kimi-01/facts.yaml", root / "hosts/kimi-01/host.yaml"
    facts.write_text(facts.read_text() + observed)
    host.write_text(host.read_text().replace("      tp-size: 8\n", f"      tp-size: 8\n{flags}"))


def test_a_fraction_that_was_raised_since_gives_more_tokens(tmp_path, capsys):
    kimi(tmp_path, "    settings: {mem_fraction_static: 0.75}\n", "      mem-fraction-static: 0.78\n")
    assert tokens(tmp_path, capsys) > 180_000


def test_a_start_that_said_nothing_is_taken_for_one_of_todays_settings(tmp_path, capsys):
    kimi(tmp_path, flags="      mem-fraction-static: 0.78\n")
    assert tokens(tmp_path, capsys) == 159_277


def test_settings_that_are_todays_change_nothing(tmp_path, capsys):
    kimi(tmp_path, "    settings: {tp_size: 8, speculative_num_steps: 2, dtype: nonsense}\n")
    assert tokens(tmp_path, capsys) == 159_277
