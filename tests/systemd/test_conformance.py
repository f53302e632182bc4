"""One suite for every `Manager`: the simulated one, the system's and a user's. So the simulation cannot drift.

Each test is also a fact that the agent's planner relies on: docs/explanation/systemd.md names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgfleet.systemd.port import Failure, FileKind, SystemdError
from support.simulated_systemd import Script

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.systemd.port import UnitState
    from support.systemd_hosts import Host


def installed(host: Host, script: Script, *, enable: bool = False) -> str:
    """A unit with that script, loaded."""
    name = host.name()
    host.manager.install(name, script.unit())
    if enable:
        host.manager.enable(name)
    host.manager.reload()
    return name


def running(host: Host, script: Script, *, enable: bool = False) -> tuple[str, UnitState]:
    """The same, started; and its state once it runs."""
    name = installed(host, script, enable=enable)
    host.manager.start(name)
    state = host.wait(name, lambda state: state.running)
    if script.on_stop != "ends":
        host.trapped(state.main_pid)
    return name, state


def shown(host: Host, name: str) -> UnitState:
    return host.manager.show([name])[name]


def failure_of(call: Callable[[], object]) -> Failure:
    with pytest.raises(SystemdError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return caught.value.failure


# Files


def test_what_is_not_there_is_said_to_be_absent_and_nothing_happens_to_it(host: Host) -> None:
    name = host.name()
    assert shown(host, name).load_state == "not-found"
    assert host.manager.read(name).kind is FileKind.ABSENT
    assert name not in host.manager.installed()
    for nothing in (
        host.manager.remove,
        host.manager.discard,
        host.manager.stop,
        host.manager.reset_failed,
        host.manager.disable,
    ):
        nothing(name)
    assert failure_of(lambda: host.manager.start(name)) is Failure.REFUSED
    assert failure_of(lambda: host.manager.enable(name)) is Failure.REFUSED


def test_one_call_tells_the_state_of_many(host: Host) -> None:
    there, absent = installed(host, Script()), host.name()
    states = host.manager.show([absent, there])
    assert [(name, state.name, state.load_state) for name, state in states.items()] == [
        (absent, absent, "not-found"),
        (there, there, "loaded"),
    ]
    assert host.manager.show([]) == {}


def test_an_installed_unit_is_there_as_it_was_given(host: Host) -> None:
    name = installed(host, Script())
    file = host.manager.read(name)
    assert (file.kind, file.content, file.mode) == (FileKind.REGULAR, Script().unit(), 0o644)
    assert name in host.manager.installed()
    assert host.left(name) == 0
    state = shown(host, name)
    assert (state.load_state, state.unit_file_state, state.needs_reload) == ("loaded", "disabled", False)
    assert state.fragment_path.endswith(f"/systemd/{'user' if 'home' in state.fragment_path else 'system'}/{name}")
    host.manager.remove(name)
    assert host.manager.read(name).kind is FileKind.ABSENT


@pytest.mark.parametrize("kind", [FileKind.MASKED, FileKind.LINK, FileKind.OTHER])
def test_what_is_no_regular_file_is_left_to_whoever_made_it(host: Host, kind: FileKind) -> None:
    name = host.name()
    host.put(name, kind)
    assert host.manager.read(name).kind is kind
    assert failure_of(lambda: host.manager.install(name, Script().unit())) is Failure.REFUSED
    assert failure_of(lambda: host.manager.remove(name)) is Failure.REFUSED
    assert host.manager.read(name).kind is kind
    assert host.left(name) == 0


def test_an_empty_file_is_a_masked_unit_and_is_never_written(host: Host) -> None:
    name = host.name()
    host.put(name, FileKind.EMPTY)
    host.manager.reload()
    state = shown(host, name)
    assert (state.load_state, state.unit_file_state) == ("masked", "masked")
    assert host.manager.read(name).kind is FileKind.EMPTY
    assert failure_of(lambda: host.manager.start(name)) is Failure.REFUSED
    assert failure_of(lambda: host.manager.install(name, b"")) is Failure.REFUSED
    host.manager.install(name, Script().unit())
    host.manager.reload()
    assert shown(host, name).load_state == "loaded"


def test_staged_units_wait_unseen(host: Host) -> None:
    name = host.name()
    contents = [Script(version=version).unit() for version in (1, 2)]
    for content in (*contents, contents[0]):
        host.manager.stage(name, content)
    host.manager.reload()
    assert host.left(name) == 2
    assert name not in host.manager.installed()
    assert shown(host, name).load_state == "not-found"
    host.manager.install(name, contents[1])
    assert (host.left(name), host.manager.read(name).content) == (1, contents[1])
    host.manager.discard(name)
    assert host.left(name) == 0
    assert host.manager.read(name).content == contents[1]


def test_on_a_full_disk_what_is_staged_can_be_installed_and_nothing_is_torn(host: Host) -> None:
    name = installed(host, Script(version=1))
    host.manager.stage(name, Script(version=2).unit())
    with host.full():
        for call in (host.manager.stage, host.manager.install):
            assert failure_of(lambda call=call: call(name, Script(version=3).unit())) is Failure.NO_SPACE
        assert host.manager.read(name).content == Script(version=1).unit()
        assert host.left(name) == 1
        host.manager.install(name, Script(version=2).unit())
        assert host.manager.read(name).content == Script(version=2).unit()
        assert shown(host, name).needs_reload or shown(host, name).load_state == "loaded"
        host.manager.remove(name)
    assert host.left(name) == 0
    assert host.manager.read(name).kind is FileKind.ABSENT


def test_on_a_read_only_folder_nothing_changes(host: Host) -> None:
    name = installed(host, Script(version=1))
    host.manager.stage(name, Script(version=2).unit())
    with host.read_only():
        for call in (
            lambda: host.manager.stage(name, Script(version=3).unit()),
            lambda: host.manager.install(name, Script(version=2).unit()),
            lambda: host.manager.remove(name),
            lambda: host.manager.discard(name),
            lambda: host.manager.enable(name),
        ):
            assert failure_of(call) is Failure.READ_ONLY
        host.manager.install(name, Script(version=1).unit())  # as it is: nothing to write
        host.manager.start(name)
        host.wait(name, lambda state: state.running)
        host.manager.stop(name)
        host.wait(name, lambda state: state.at_rest)
    assert host.manager.read(name).content == Script(version=1).unit()
    host.manager.discard(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", "a", "-a.service", ".a.service", "../a.service", "a/b.service", "a.socket", "a@b.service", "a.service\n"),
        *("a b.service", "ä.service", f"{'a' * 300}.service", "a.service ", "*.service", "a\\x2d.service"),
    ],
)
def test_a_name_that_is_none_is_never_passed_on(host: Host, name: str) -> None:
    for call in (
        lambda: host.manager.show([name]),
        lambda: host.manager.read(name),
        lambda: host.manager.drop_ins(name),
        lambda: host.manager.stage(name, b"x"),
        lambda: host.manager.install(name, b"x"),
        lambda: host.manager.remove(name),
        lambda: host.manager.discard(name),
        lambda: host.manager.start(name),
        lambda: host.manager.stop(name),
        lambda: host.manager.reset_failed(name),
        lambda: host.manager.enable(name),
        lambda: host.manager.disable(name),
        lambda: host.manager.journal(name, "0" * 32, 1),
        lambda: host.manager.verify(name, b"x"),
    ):
        assert failure_of(call) is Failure.BAD_NAME


# Starts and ends


def test_a_unit_that_runs(host: Host) -> None:
    name, state = running(host, Script())
    assert (state.active_state, state.sub_state, state.result, state.restarts) == ("active", "running", "success", 0)
    assert (state.exec_main_code, state.exec_main_status, state.job) == (0, 0, 0)
    assert len(state.invocation_id) == 32
    assert host.manager.processes(state.control_group)[0] == state.main_pid
    host.manager.start(name)
    assert host.wait(name, lambda state: state.running) == state  # its job may be seen for a moment


def test_a_start_by_hand_is_another_run(host: Host) -> None:
    name, first = running(host, Script(), enable=True)
    host.manager.stop(name)
    host.wait(name, lambda state: state.at_rest)
    host.manager.start(name)
    second = host.wait(name, lambda state: state.running)
    assert second.invocation_id not in {first.invocation_id, ""}


@pytest.mark.parametrize("enable", [True, False])
def test_after_a_clean_stop_only_a_wanted_unit_is_remembered(host: Host, enable: bool) -> None:
    name, before = running(host, Script(), enable=enable)
    host.manager.stop(name)
    state = host.wait(name, lambda state: state.at_rest)
    assert (state.active_state, state.sub_state, state.result) == ("inactive", "dead", "success")
    assert state.invocation_id == (before.invocation_id if enable else "")


def test_a_service_that_kills_itself_when_it_is_stopped_is_failed(host: Host) -> None:
    name, before = running(host, Script(on_stop="kills itself"))
    host.manager.stop(name)
    state = host.wait(name, lambda state: state.at_rest)
    assert (state.active_state, state.result, state.exec_main_code, state.exec_main_status) == (
        "failed",
        "signal",
        2,
        9,
    )
    assert state.invocation_id == before.invocation_id
    host.manager.reset_failed(name)
    assert shown(host, name).active_state == "inactive"


def test_a_service_that_ignores_the_stop_is_killed_after_its_time_and_is_failed(host: Host) -> None:
    name, before = running(host, Script(on_stop="ignores", stop_timeout=900))
    host.manager.stop(name)
    stopping = shown(host, name)
    assert (stopping.active_state, stopping.sub_state, stopping.main_pid) == (
        "deactivating",
        "stop-sigterm",
        before.main_pid,
    )
    assert stopping.job
    assert not stopping.running
    state = host.wait(name, lambda state: state.at_rest)
    assert (state.active_state, state.result, state.exec_main_status) == ("failed", "timeout", 9)


def test_a_start_during_a_stop_waits_for_its_end(host: Host) -> None:
    name, before = running(host, Script(on_stop="ignores", stop_timeout=900))
    host.manager.stop(name)
    host.manager.start(name)
    assert shown(host, name).active_state == "deactivating"
    assert host.wait(name, lambda state: state.running).invocation_id != before.invocation_id


def test_a_service_that_ends_well_at_once_reads_inactive_and_successful(host: Host) -> None:
    name = installed(host, Script(ends_after=0), enable=True)
    host.manager.start(name)
    state = host.wait(name, lambda state: state.at_rest)
    assert (state.active_state, state.result, state.exec_main_code) == ("inactive", "success", 1)
    assert state.invocation_id  # that is all that tells it from a unit that was never started


@pytest.mark.parametrize(
    ("ends_with", "result", "code", "status"),
    [(2, "exit-code", 1, 2), (203, "exit-code", 1, 203), (-9, "signal", 2, 9)],
)
@pytest.mark.parametrize("ends_after", [0, 60])
def test_a_crash_loop_never_reads_failed_until_the_start_limit(
    host: Host, ends_after: int, ends_with: int, result: str, code: int, status: int
) -> None:
    script = Script(ends_after=ends_after, ends_with=ends_with, burst=3, restart_delay=100)
    name = installed(host, script)
    host.manager.start(name)
    waiting = host.wait(name, lambda state: state.sub_state == "auto-restart")
    assert (waiting.active_state, waiting.main_pid) == ("activating", 0)
    assert not waiting.at_rest
    seen: dict[str, int] = {}
    states: set[str] = set()

    def failed(state: UnitState) -> bool:
        states.add(state.active_state)
        seen[state.invocation_id] = state.restarts
        return state.active_state == "failed"

    last = host.wait(name, failed)
    assert states <= {"activating", "active", "failed"}
    assert len(seen) == 3  # a new run for each restart
    assert (last.restarts, last.result, last.exec_main_code, last.exec_main_status) == (3, result, code, status)
    assert last.invocation_id in seen


def test_endless_restarts_of_a_service_that_ends_well_end_at_the_start_limit(host: Host) -> None:
    name = installed(host, Script(ends_after=0, restart="always", burst=2))
    host.manager.start(name)
    state = host.wait(name, lambda state: state.active_state == "failed")
    assert (state.result, state.restarts) == ("start-limit-hit", 2)


def test_a_run_that_restarts_in_between_shows_in_the_invocation_id(host: Host) -> None:
    name, before = running(host, Script(restart="always"))
    host.kill(before.main_pid)
    state = host.wait(name, lambda state: state.running and state.main_pid != before.main_pid)
    assert (state.active_state, state.result, state.restarts) == ("active", "success", 1)
    assert state.invocation_id != before.invocation_id
    host.manager.reset_failed(name)
    state_after = shown(host, name)
    assert state_after.restarts == 0  # so NRestarts alone proves nothing
    assert state_after.invocation_id == state.invocation_id


def test_a_stop_ends_the_wait_for_a_restart(host: Host) -> None:
    name = installed(host, Script(ends_after=0, ends_with=1, restart_delay=60_000))
    host.manager.start(name)
    host.wait(name, lambda state: state.sub_state == "auto-restart")
    host.manager.stop(name)
    assert host.wait(name, lambda state: state.at_rest).active_state == "inactive"


@pytest.mark.parametrize("forget", ["reset_failed", "reload"])
def test_the_start_limit_refuses_a_start_in_silence_until_it_is_forgotten(host: Host, forget: str) -> None:
    name = installed(host, Script(ends_after=0, ends_with=1, restart="no", burst=2), enable=True)
    runs = []
    for _ in range(3):
        host.manager.start(name)
        runs.append(host.wait(name, lambda state: state.active_state == "failed" and not state.job))
    assert runs[2].invocation_id == runs[1].invocation_id != runs[0].invocation_id
    assert runs[2].result == "exit-code"
    host.manager.reload() if forget == "reload" else host.manager.reset_failed(name)
    host.manager.start(name)
    host.wait(name, lambda state: state.active_state == "failed" and state.invocation_id != runs[2].invocation_id)


# Files of running units


def test_a_new_text_is_in_force_after_reload_and_start(host: Host) -> None:
    name, _ = running(host, Script(says="old"), enable=True)
    host.manager.install(name, Script(says="new").unit())
    assert shown(host, name).needs_reload
    host.manager.stop(name)
    host.wait(name, lambda state: state.at_rest)
    host.manager.start(name)
    without = host.wait(name, lambda state: state.running)
    assert without.needs_reload
    assert "old" in journal(host, name, without, "old")  # a start takes what is loaded
    host.manager.reload()
    state = shown(host, name)
    assert not state.needs_reload
    assert (state.main_pid, state.invocation_id) == (without.main_pid, without.invocation_id)
    host.manager.stop(name)
    host.wait(name, lambda state: state.at_rest)
    host.manager.start(name)
    assert "new" in journal(host, name, host.wait(name, lambda state: state.running), "new")


def journal(host: Host, name: str, state: UnitState, until: str) -> tuple[str, ...]:
    """The journal of that run, once the line is in it: it comes a moment after it was printed."""
    found: list[tuple[str, ...]] = []

    def there(_: UnitState) -> bool:
        found.append(host.manager.journal(name, state.invocation_id, 20))
        return until in found[-1]

    host.wait(name, there)
    return found[-1]


def test_a_unit_whose_file_is_gone_runs_on_and_can_be_stopped(host: Host) -> None:
    name, before = running(host, Script())
    host.manager.remove(name)
    assert shown(host, name).needs_reload
    host.manager.reload()
    state = shown(host, name)
    assert (state.load_state, state.fragment_path, state.unit_file_state) == ("not-found", "", "")
    assert state.running
    assert state.invocation_id == before.invocation_id
    host.manager.stop(name)
    host.wait(name, lambda state: state.at_rest)
    assert failure_of(lambda: host.manager.start(name)) is Failure.REFUSED


@pytest.mark.parametrize("kind", [FileKind.EMPTY, FileKind.MASKED])
def test_a_unit_that_is_masked_runs_on_and_can_be_stopped(host: Host, kind: FileKind) -> None:
    name, before = running(host, Script())
    host.put(name, kind)
    assert shown(host, name).unit_file_state == "disabled"  # as it was loaded: read() knows better
    host.manager.reload()
    state = shown(host, name)
    assert state.unit_file_state == "masked"
    assert (state.load_state, state.running, state.invocation_id) == ("masked", True, before.invocation_id)
    host.manager.stop(name)
    host.wait(name, lambda state: state.at_rest)
    assert failure_of(lambda: host.manager.start(name)) is Failure.REFUSED


def test_a_text_that_systemd_does_not_read_cannot_be_started(host: Host) -> None:
    name = host.name()
    host.manager.install(name, b"no unit at all\n")
    host.manager.reload()
    assert shown(host, name).load_state == "bad-setting"
    assert failure_of(lambda: host.manager.start(name)) is Failure.REFUSED


def test_a_drop_in_is_seen_on_disk_before_it_is_in_force(host: Host) -> None:
    name, before = running(host, Script())
    path = host.put_drop_in(name)
    state = shown(host, name)
    assert (state.drop_ins, state.needs_reload) == ((), False)
    assert host.manager.drop_ins(name) == (path,)
    host.manager.reload()
    state = shown(host, name)
    assert (state.drop_ins, state.main_pid) == ((path,), before.main_pid)


def test_what_is_enabled(host: Host) -> None:
    name = installed(host, Script())
    for _ in range(2):
        host.manager.enable(name)
        assert shown(host, name).unit_file_state == "enabled"
    for _ in range(2):
        host.manager.disable(name)
        assert shown(host, name).unit_file_state == "disabled"
    assert shown(host, installed(host, Script(wanted=False))).unit_file_state == "static"


# Processes, journal, verification


@pytest.mark.parametrize("kill_mode", ["process", "control-group"])
def test_processes_that_outlive_the_main_one_are_found(host: Host, kill_mode: str) -> None:
    name, state = running(host, Script(child=True, kill_mode=kill_mode, stop_timeout=300))
    host.wait(name, lambda _: len(host.manager.processes(state.control_group)) >= 2)
    held = host.manager.memory_of(host.manager.processes(state.control_group))
    assert held.processes >= 2
    assert held.anonymous_bytes > 0
    host.manager.stop(name)
    after = host.wait(name, lambda state: state.at_rest)
    left = host.manager.processes(state.control_group)
    if kill_mode == "control-group":
        assert left == ()
        assert after.control_group == ""
        assert host.manager.memory_of([state.main_pid]).processes == 0
        return
    assert left
    assert state.main_pid not in left
    assert after.control_group == state.control_group
    assert host.manager.memory_of(left).anonymous_bytes > 0


def test_a_journal_is_of_one_run(host: Host) -> None:
    name, first = running(host, Script(says="hello there", restart="always"))
    assert "hello there" in journal(host, name, first, "hello there")
    host.kill(first.main_pid)
    second = host.wait(name, lambda state: state.running and state.main_pid != first.main_pid)
    lines = journal(host, name, second, "hello there")
    assert lines.count("hello there") == 1
    assert len(host.manager.journal(name, second.invocation_id, 1)) == 1
    assert host.manager.journal(name, "0" * 32, 5) == ()
    assert failure_of(lambda: host.manager.journal(name, "x", 5)) is Failure.REFUSED


def test_verification_judges_the_text(host: Host) -> None:
    name = host.name()
    assert host.manager.verify(name, Script(ends_with=203).unit()) == ()
    assert host.manager.verify(name, b"no unit at all\n")
