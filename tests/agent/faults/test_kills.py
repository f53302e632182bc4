"""The agent is killed at every moment of every kind of work; one more settling, and the host is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from agent.faults.soundness import assert_sound
from support.agent_host import SERVICE, Pass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent.faults.tally import Tally
    from support.agent_host import AgentHost

CALM = {"timeout-stop-sec": "2s", "restart-sec": "1s", "start-limit-burst": 3, "after": []}


class Work(NamedTuple):
    """`begin` moves main; then the pass that is killed; `end` says how the host must stand after the next ones."""

    what: str
    outcome: str
    begin: Callable[[AgentHost, int], Any]
    end: Callable[[AgentHost, int, Pass], None]
    is_first: bool = False


def _flags(number: int) -> dict[str, Any]:
    return {"log-level": ["error", "warning"][number % 2]}


def _change(host: AgentHost, number: int) -> None:
    host.push(_flags(number))


def _changed(host: AgentHost, number: int, found: Pass) -> None:
    assert found.code == 0, found.lines
    assert host.record()["quarantine"] == []
    assert_sound(host, _flags(number)["log-level"])


def _reload(host: AgentHost, number: int) -> None:
    host.push(unit={**CALM, "restart-sec": f"{2 + number}s"})


def _reloaded(host: AgentHost, number: int, found: Pass) -> None:
    assert found.code == 0, found.lines
    assert f"RestartSec={2 + number}" in host.file()
    assert_sound(host)


def _bad(host: AgentHost, number: int) -> None:
    host.push({"model-path": host.other_model(fault="crash"), "served-model-name": f"bad{number}"})


def _back(host: AgentHost, _: int, found: Pass) -> None:
    assert found.code == 30, found.lines
    assert host.remembered()["services"][SERVICE]["wanted"]["unit"] in dict(host.record()["quarantine"])
    assert_sound(host, str(host.model))


def _none(host: AgentHost) -> None:
    host.origin.commit({"hosts/box-01/host.yaml": '{"host": "box-01", "services": {}}'})


def _remove(host: AgentHost, _: int) -> None:
    host.push()
    assert host.settle().code == 0
    _none(host)


def _removed(host: AgentHost, _: int, found: Pass) -> None:
    assert found.code == 0, found.lines
    assert SERVICE not in host.remembered()["services"]
    assert_sound(host)


def _install(host: AgentHost, _: int) -> None:
    _none(host)
    assert host.settle().code == 0
    host.push()


def _installed(host: AgentHost, _: int, found: Pass) -> None:
    assert found.code == 0, found.lines
    assert_sound(host, "--served-model-name")


def _install_bad(host: AgentHost, number: int) -> None:
    _none(host)
    assert host.settle().code in {0, 30}
    _bad(host, number)


def _nothing(host: AgentHost, _: int, found: Pass) -> None:
    assert found.code == 30, found.lines
    assert_sound(host)


WORKS = {
    "install": Work("a first install", "the unit runs, verified", _install, _installed),
    "install-bad": Work("a first install of a bad unit", "nothing runs, nothing is left", _install_bad, _nothing),
    "change": Work("a change", "the new unit runs, verified", _change, _changed),
    "reload": Work("a change that needs no restart", "the new unit is in force, verified", _reload, _reloaded),
    "back": Work("a bad change, and the way back", "the unit before it runs, verified", _bad, _back),
    "removal": Work("a removal", "nothing runs, nothing is left", _remove, _removed),
}


def _moments(only: tuple[int, ...] | None, part: int, parts: int) -> Iterator[int]:
    if only is not None:
        yield from only
        return
    yield from range(part, 10_000, parts)


def _try(host: AgentHost, name: str, tally: Tally, moments: Iterator[int]) -> None:
    """Kill at each of these moments, until there is none any more."""
    work = WORKS[name]
    host.configure(limits="remove-all = true")
    host.push()
    assert host.settle().code == 0
    wrong = []
    for number, moment in enumerate(moments):
        work.begin(host, number)
        if host.tick(kill_at=moment).code != -9:
            break
        try:
            work.end(host, number, host.settle())
        except AssertionError as error:
            wrong.append(f"killed at {moment}: {error}")
        tally.count(f"killed during {work.what}", work.outcome)
    assert not wrong, f"{len(wrong)} times:\n" + "\n".join(wrong[:5])


@pytest.mark.faults
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("name", WORKS)
def test_every_moment(host: AgentHost, tally: Tally, name: str, part: int) -> None:
    _try(host, name, tally, _moments(None, part, 2))


@pytest.mark.parametrize(("name", "moment"), [("change", 11), ("back", 37), ("reload", 13)])
def test_a_moment(host: AgentHost, tally: Tally, name: str, moment: int) -> None:
    """Right after the stop; right after the bad start; right after a unit was replaced whose process stays."""
    _try(host, name, tally, _moments((moment,), 0, 1))
