"""What it takes for one unit to follow another, from their texts alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.render.effect import INSTALL, RELOADED, Effect, effect_of, restart_hash
from sgfleet.render.identity import unit_hash

UNIT = """\
# a/b: SGLang 0.5.9

[Unit]
Description=one
After=network.target
X-Sgfleet-Spec=1

[Service]
Type=exec
Environment=A=1
Environment=B=2
ExecStart=/usr/bin/python3 -m sglang.launch_server \\
    --port 30000 \\
    --tp-size 8
Restart=on-failure
KillMode=control-group
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
"""


def effect(old: str, new: str) -> Effect:
    assert old in UNIT
    return effect_of(UNIT, UNIT.replace(old, new)).effect


def test_the_same_bytes_take_nothing() -> None:
    assert effect_of(UNIT, UNIT) == effect_of("", "")
    assert effect_of(UNIT, UNIT).effect is Effect.NONE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# a/b: SGLang 0.5.9", "# Why: for a reason"),
        ("X-Sgfleet-Spec=1", "X-Sgfleet-Spec=2\nX-Sgfleet-Commit=3"),
        ("Type=exec", "; a note\nType = exec  "),
        (" \\\n    --port 30000 \\\n   ", " --port   30000\t"),
        ("[Install]", "[X-Ours]\nType=simple\n[Install]"),
        ("Type=exec\nEnvironment=A=1", "Environment=A=1\nType=exec"),
        ("[Unit]", "above the first section, systemd drops it = 1\n[Unit]"),
        ("Type=exec", "no assignment\nType=exec"),
    ],
)
def test_what_systemd_does_not_act_on(old: str, new: str) -> None:
    assert effect(old, new) is Effect.REFRESH


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Description=one", "Description=two"),
        ("Restart=on-failure\n", ""),
        ("WantedBy=multi-user.target", "WantedBy=default.target\nAlias=x.service"),
        ("KillMode=control-group", "KillMode=control-group\nTimeoutStopSec=3"),
    ],
)
def test_what_a_daemon_reload_is_enough_for(old: str, new: str) -> None:
    assert effect(old, new) is Effect.RELOAD


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--port 30000", "--port 30001"),
        ("--port 30000", '"--port" 30000'),
        ("Environment=A=1", "Environment=A=2"),
        ("Environment=A=1\nEnvironment=B=2", "Environment=B=2\nEnvironment=A=1"),
        ("Environment=A=1\n", ""),
        ("LimitNOFILE=65536", "LimitNOFILE=65537"),
        ("LimitNOFILE=65536", "LimitNOFILE=65536\nMemoryMax=1G"),
        ("Type=exec", "Type=exec\nNobodyTriedThis=1"),
        ("Restart=on-failure", "restart=on-failure"),
        ("[Service]", "[Service]\nDescription=in the wrong section"),
        ("[Install]", "[Unknown]\nA=1\n[Install]"),
        ("[Install]", "[Install"),
    ],
)
def test_what_takes_a_restart(old: str, new: str) -> None:
    assert effect(old, new) is Effect.RESTART


def test_a_text_that_is_no_unit_takes_a_restart_on_either_side() -> None:
    for before, after in ((UNIT, "[Unit"), ("[Unit", UNIT), ("[Unit", "[Unit\n")):
        assert effect_of(before, after).effect is Effect.RESTART
        assert restart_hash(before) != restart_hash(after)


def test_the_settings_that_need_most_come_first_with_their_values() -> None:
    found = effect_of(UNIT, UNIT.replace("Description=one", "Description=two").replace("A=1", "A=3"))
    assert [(each.key, each.effect) for each in found.changes] == [
        ("Environment", Effect.RESTART),
        ("Description", Effect.RELOAD),
    ]
    assert (found.changes[0].before, found.changes[0].after) == (("A=1", "B=2"), ("A=3", "B=2"))


LINES = st.lists(
    st.sampled_from(
        [*UNIT.splitlines(), "KillMode=mixed", "# a comment", "X-A=1", "Odd=1", "[X-B]", "Nice=5", "[Unit"]
    ),
    max_size=12,
).map("\n".join)


@given(LINES, LINES)
def test_the_hash_is_the_same_exactly_where_no_restart_is_due(before: str, after: str) -> None:
    found = effect_of(before, after)
    assert (restart_hash(before) == restart_hash(after)) == (found.effect is not Effect.RESTART)
    assert found.effect is effect_of(after, before).effect
    assert bool(found.changes) == (found.effect in {Effect.RELOAD, Effect.RESTART})


@given(LINES, LINES)
def test_the_same_lines_for_systemd_never_take_a_restart(before: str, after: str) -> None:
    """A text that systemd refuses is no unit, whatever its lines are."""
    if "[Unit" not in {*before.split("\n"), *after.split("\n")} and unit_hash(before) == unit_hash(after):
        assert effect_of(before, after).effect in {Effect.NONE, Effect.REFRESH}


def test_the_list_names_settings_by_section() -> None:
    assert {section for section, _ in RELOADED} == {"Unit", "Service"}
    assert INSTALL not in {section for section, _ in RELOADED}
