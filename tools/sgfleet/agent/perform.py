"""Does what the planner decided, one action at a time. The only module that changes the host's services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent.installed import stamped
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT
from sgfleet.agent.seen import Action
from sgfleet.render.identity import unit_hash
from sgfleet.systemd.port import Failure, FileKind, SystemdError

if TYPE_CHECKING:
    from sgfleet.agent.host import Clockwork
    from sgfleet.agent.record import Record
    from sgfleet.agent.store import Store
    from sgfleet.systemd.port import Manager

JOB_SECONDS: Final = 10.0
"""A start is queued; so long its job is waited for before the next look."""


class HandsTiedError(Exception):
    """systemd does not answer: whether the action was done is not known, and no later one may be tried now."""


class Hands:
    """The actions on one host."""

    def __init__(self, manager: Manager, store: Store, clock: Clockwork) -> None:
        self._manager = manager
        self._store = store
        self._clock = clock

    def perform(self, action: Action, name: str, record: Record, wanted: str, commit: str) -> Reason | None:
        """Do it; what the host says against it comes back as a reason.

        Raises:
            HandsTiedError: systemd does not answer.
        """
        unit = f"{name}.service"
        goal = record.attempt.goal if record.attempt is not None else wanted
        try:
            match action:
                case Action.STAGE:
                    self._stage(unit, goal, record.verified, commit)
                case Action.STOP:
                    self._manager.stop(unit)
                case Action.INSTALL | Action.REFRESH:
                    self._install(unit, goal, commit)
                    if action is Action.REFRESH:
                        self._manager.reload()
                case Action.REMOVE:
                    self._aside(unit, None)
                    self._manager.disable(unit)
                    self._manager.remove(unit)
                case Action.RELOAD:
                    self._reload(unit, goal, restart=record.attempt is None or record.attempt.restart)
                case Action.START:
                    self._manager.start(unit)
                    self._wait_for_job(unit)
        except SystemdError as error:
            if error.failure in {Failure.TIMEOUT, Failure.NOT_RUNNING}:
                raise HandsTiedError(str(error)) from error
            return Reason(f"host-{error.failure.name.lower().replace('_', '-')}", str(error))
        except OSError as error:
            return Reason("host-disk", f"the agent's folder: {error}")
        return None

    def _text(self, unit: str) -> str:
        text = self._store.unit(unit)
        if text is None:
            raise OSError(f"unit {unit[:12]} is not kept here any more")
        return text

    def _stage(self, unit: str, goal: str, verified: str, commit: str) -> None:
        """What is installed later, for going back too, is on the disk before anything is stopped."""
        for each in {goal, verified} - {ABSENT}:
            self._manager.stage(unit, stamped(self._text(each), commit))

    def _install(self, unit: str, goal: str, commit: str) -> None:
        content = stamped(self._text(goal), commit)
        self._aside(unit, content)
        self._manager.install(unit, content)

    def _aside(self, unit: str, content: bytes | None) -> None:
        """Keep a copy of what somebody wrote on the host: whatever is not a unit that was kept here."""
        there = self._manager.read(unit)
        if there.kind is not FileKind.REGULAR or there.content == content:
            return
        text = there.content.decode(errors="surrogateescape")
        if self._store.unit(unit_hash(text)) is None:
            self._store.keep_aside(unit, there.content, self._clock.now().wall_seconds)

    def _reload(self, unit: str, goal: str, *, restart: bool) -> None:
        if restart:  # of a running unit it would forget how often that was restarted
            self._manager.reset_failed(unit)
        if goal != ABSENT:
            self._manager.enable(unit)
        self._manager.reload()

    def _wait_for_job(self, unit: str) -> None:
        """Until systemd has begun: right after a start was queued, a unit may still read inactive."""
        until = self._clock.now().boot_seconds + JOB_SECONDS
        while self._manager.show([unit])[unit].job and self._clock.now().boot_seconds < until:
            self._clock.sleep(0.05)
