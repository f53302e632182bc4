"""How a simulated host goes from one state to the next. Pure; every fact is measured: docs/explanation/systemd.md."""

from __future__ import annotations

import signal
from dataclasses import replace
from typing import TYPE_CHECKING

from sgfleet.systemd.port import FileKind
from support.simulated_systemd.world import Unit, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.simulated_systemd.script import Script

    Reader = Callable[[bytes], Script | None]

EXEC_FAILED = 203
MASKS = {FileKind.EMPTY, FileKind.MASKED}


def unit_of(world: World, name: str, read: Reader) -> Unit:
    """The unit as the manager sees it: from memory, or else loaded now from disk, as it is then."""
    return dict(world.units).get(name) or loaded(world, name, read)


def loaded(world: World, name: str, read: Reader) -> Unit:
    """Fresh from disk."""
    file = world.file(name)
    if file.kind in MASKS:
        return Unit(None, "masked")
    if file.kind is not FileKind.REGULAR:
        return Unit(None, "not-found")
    drop_ins = tuple(path for unit, path in world.drop_ins if unit == name)
    script = read(file.content)
    return Unit(file.content, "loaded" if script else "bad-setting", script, drop_ins)


def reload(world: World, read: Reader) -> World:
    """daemon-reload: what is in memory gets its file's new text, no process notices; start limits are forgotten."""
    for name, unit in world.units:
        new = loaded(world, name, read)
        fresh = replace(
            unit,
            content=new.content,
            load_state=new.load_state,
            script=new.script,
            drop_ins=new.drop_ins,
            starts=(),
        )
        world = world.with_unit(name, fresh)
    world = replace(world, wanted=frozenset(name for name in world.links if world.file(name).kind is FileKind.REGULAR))
    for name in world.wanted:
        world = world.with_unit(name, unit_of(world, name, read))
    return _collected(world)


def start(world: World, name: str, read: Reader) -> World:
    """A start by hand, of a unit that can be started."""
    unit = unit_of(world, name, read)
    if unit.active in {"active", "activating"} and unit.sub != "auto-restart":
        return world  # the job is done at once, or is the one that is under way
    world, number = _issue(world)
    if unit.active == "deactivating" or unit.sub == "auto-restart":
        return world.with_unit(name, replace(unit, job=number, job_kind="start"))
    if unit.flush_restarts:
        unit = replace(unit, restarts=0, flush_restarts=False)
    return _run(world, name, unit, number)


def stop(world: World, name: str, read: Reader) -> World:
    """A stop by hand."""
    unit = unit_of(world, name, read)
    if unit.at_rest:
        return world
    if unit.sub == "auto-restart":
        return _collected(_rest(world, name, unit, failed=False))
    world, number = _issue(world)
    unit = replace(unit, job=number, job_kind="stop")
    if unit.active == "deactivating":
        return world.with_unit(name, unit)
    script = unit.running
    assert script is not None
    delay = script.stop_timeout if script.on_stop == "ignores" else 1
    unit = replace(unit, active="deactivating", sub="stop-sigterm", due=world.clock + delay, changed=world.clock)
    return world.with_unit(name, unit)


def reset_failed(world: World, name: str) -> World:
    """Of a unit in memory."""
    unit = dict(world.units).get(name)
    if unit is None:
        return world
    unit = replace(unit, restarts=0, starts=())
    if unit.active == "failed":
        unit = replace(unit, active="inactive", sub="dead", result="success", changed=world.clock)
    return _collected(world.with_unit(name, unit))


def main_ends(world: World, name: str, code: int, status: int) -> World:
    """The main process has ended: exited (1) with a status, or killed (2) by a signal."""
    unit = dict(world.units)[name]
    script = unit.running
    assert script is not None
    by_hand = unit.active == "deactivating"
    result = "success"
    if code == 2 and not (by_hand and status == signal.SIGTERM):
        result = "signal"
    elif code == 1 and status:
        result = "exit-code"
    if unit.sub == "stop-sigkill":
        result = "timeout"
    kept = script.kill_mode == "process"
    world = replace(
        world,
        processes=tuple((p, o) for p, o in world.processes if p != unit.main_pid and (kept or o != name)),
    )
    unit = replace(unit, main_pid=0, code=code, status=status, result=result, job=0, job_kind="", due=None)
    again = script.restart == "always" or (script.restart == "on-failure" and result != "success")
    if by_hand or not again:
        queued = dict(world.units)[name].job_kind == "start"
        world = _rest(world, name, unit)
        if queued:
            world, number = _issue(world)
            return _run(world, name, replace(dict(world.units)[name], restarts=0, flush_restarts=False), number)
        return _collected(world)
    unit = replace(
        unit, active="activating", sub="auto-restart", due=world.clock + script.restart_delay, changed=world.clock
    )
    return world.with_unit(name, unit)


def happens(world: World, name: str) -> World:
    """What was due for the unit."""
    unit = dict(world.units)[name]
    script = unit.running
    assert script is not None
    if unit.sub == "start":
        if script.ends_with == EXEC_FAILED:
            return main_ends(world, name, 1, EXEC_FAILED)
        due = None if script.ends_after is None else world.clock + script.ends_after
        unit = replace(unit, active="active", sub="running", job=0, job_kind="", due=due)
        return world.with_unit(name, replace(unit, changed=world.clock, entered=world.clock))
    if unit.sub == "running":
        code = 1 if script.ends_with >= 0 else 2
        return main_ends(world, name, code, abs(script.ends_with))
    if unit.sub == "auto-restart":
        unit = replace(unit, restarts=unit.restarts + 1)
        world, number = _issue(world)
        return _run(world, name, unit, unit.job or number)
    if unit.sub == "stop-sigterm" and script.on_stop == "ignores":
        world = world.with_unit(name, replace(unit, sub="stop-sigkill"))
        return main_ends(world, name, 2, signal.SIGKILL)
    if unit.sub == "stop-sigterm" and script.on_stop == "kills itself":
        return main_ends(world, name, 2, signal.SIGKILL)
    return main_ends(world, name, 1, 0)


def boot(world: World, read: Reader) -> World:
    """The host starts anew: files are what is left, and what is enabled is started."""
    world = replace(world, units=(), processes=(), wanted=frozenset(), boots=world.boots + 1)
    world = reload(world, read)
    for name in sorted(world.wanted):
        if unit_of(world, name, read).load_state == "loaded":
            world = start(world, name, read)
    return world


def _run(world: World, name: str, unit: Unit, job: int) -> World:
    """Start the main process of what is loaded, unless the start limit forbids it."""
    script = unit.script
    starts = tuple(when for when in unit.starts if script and world.clock - when < script.interval)
    if script is None or len(starts) >= script.burst:
        refused = unit.result if unit.result != "success" else "start-limit-hit"
        return _collected(_rest(world, name, replace(unit, result=refused, starts=starts)))
    world, invocation = _issue(world)
    world, pid = _issue(world)
    added = [(pid, name)]
    if script.child and script.ends_with != EXEC_FAILED:
        world, child = _issue(world)
        added.append((child, name))
    said = ((invocation, script.says),) if script.says else ()
    world = replace(world, processes=(*world.processes, *added), journal=(*world.journal, *said))
    unit = replace(
        unit,
        active="activating",
        sub="start",
        result="success",
        main_pid=pid,
        code=0,
        status=0,
        invocation=invocation,
        job=job,
        job_kind="start",
        due=world.clock + 1,
        starts=(*starts, world.clock),
        running=script,
        changed=world.clock,
    )
    return world.with_unit(name, unit)


def _rest(world: World, name: str, unit: Unit, *, failed: bool | None = None) -> World:
    """Inactive or failed: as the result says, if it is not said."""
    failed = unit.result != "success" if failed is None else failed
    unit = replace(
        unit,
        active="failed" if failed else "inactive",
        sub="failed" if failed else "dead",
        main_pid=0,
        job=0,
        job_kind="",
        due=None,
        flush_restarts=True,
        changed=world.clock,
    )
    return world.with_unit(name, unit)


def _collected(world: World) -> World:
    """Without the units that the manager drops from memory: at rest, not failed, wanted by nothing, no process left."""
    for name, unit in world.units:
        dropped = unit.at_rest and unit.active != "failed" and name not in world.wanted
        if dropped and not world.processes_of(name):
            world = world.with_unit(name, None)
    return world


def _issue(world: World) -> tuple[World, int]:
    return replace(world, issued=world.issued + 1), world.issued + 1
