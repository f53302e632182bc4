"""agent.toml: what can be meant is read, everything else is an error that names its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgfleet.agent.local import load, parse
from sgfleet.agent.toml_keys import LocalError

if TYPE_CHECKING:
    from pathlib import Path

GOOD = 'host = "box-01"\n[repository]\nurl = "/srv/fleet.git"\n[trust]\nmode = "none"\n'


def test_what_is_not_said_has_a_default() -> None:
    local = parse(GOOD)
    assert (local.host, local.remote.branch, local.apply, local.bake_seconds) == ("box-01", "main", True, 120.0)


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ("[apply]\nbake = '25h'", "apply.bake"),
        ("[apply]\nstop = '99999999999h'", "apply.stop"),
        ("[apply]\nbake = inf", "apply.bake"),
        ("[apply]\nbake = -1", "apply.bake"),
        ("[apply]\ntolerance = nan", "apply.tolerance"),
        ("[apply]\ntime-scale = 0", "apply.time-scale"),
        ("[apply]\nwindows = ['25:00-26:00']", "apply.windows"),
        ("[apply]\nwindows = ['10:00-10:00']", "apply.windows"),
        ("[apply]\ndrift = 'ignore'", "apply.drift"),
        ("[apply]\nconfirm = 'yes'", "apply.confirm"),
        ("[limits]\nreserve = '99999999999TiB'", "limits.reserve"),
        ("[limits]\nreserve = 16", "limits.reserve"),
        ("[limits]\nports = [30999, 30000]", "limits.ports"),
        ("[limits]\nuser = ['a']", "limits.user"),
        ("[report]\ntextfile = 'relative'", "report.textfile"),
        ("[nothing]\na = 1", "nothing"),
    ],
)
def test_what_cannot_be_meant_names_its_key(lines: str, key: str) -> None:
    with pytest.raises(LocalError) as refused:
        parse(f"{GOOD}{lines}\n")
    assert refused.value.key == key
    assert str(refused.value).startswith(key)


@pytest.mark.parametrize("value", ["'597h'", "'9999h'", "'99999999999h'", "0"])
def test_a_time_limit_is_one_that_the_system_takes(value: str) -> None:
    with pytest.raises(LocalError, match="repository"):
        parse(GOOD.replace("[trust]", f"timeout = {value}\n[trust]"))


def test_a_file_that_others_may_write_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(GOOD)
    path.chmod(0o666)
    with pytest.raises(LocalError, match="written by others"):
        load(path)
    path.chmod(0o644)
    assert load(path).host == "box-01"
