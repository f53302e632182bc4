"""`sgfleet agent tick`, `status` and `log`: what is done, what is so, what was."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from sgfleet import VERSION
from sgfleet.agent.store import Store
from sgfleet.cli.agent.host import FailedError, local_of, readable, seconds_of
from sgfleet.cli.common import OK
from sgfleet.output.json_answer import json_text
from sgfleet.output.visible import visible
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    import argparse

    from sgfleet.agent.hands import Hands
    from sgfleet.agent.local import Local
    from sgfleet.agent.outcome import Outcome
    from sgfleet.agent.state import HostState, Shown
    from sgfleet.agent.tick import Agent

PATIENCE_SECONDS: Final = 30.0
"""So long a pass waits for what it began; the next one goes on. Between passes people's requests get their turn."""
_BETWEEN_SECONDS: Final = 1.0


def tick(arguments: argparse.Namespace) -> int:
    """One pass, or with --wait as many as it takes."""
    from sgfleet.agent.hands import hands_of
    from sgfleet.agent.tick import Agent

    local = local_of(arguments)
    most = 0.0 if arguments.wait is None else math.inf
    if arguments.wait:
        most = seconds_of(arguments.wait, "--wait")
    with readable(Store(local.state)), contextlib.suppress(FileNotFoundError):
        if local.state.stat().st_uid != os.geteuid():
            raise PermissionError(local.state)
    hands = hands_of(local)
    outcome = _until_settled(Agent(local, _telling(local, hands)), most)
    if not _busy(outcome):
        _publish(local, hands, outcome.state)
    if outcome.code or not arguments.quiet:
        for line in outcome.lines or (f"{local.host}: nothing to do",):
            print(visible(line))
    return outcome.code


def _until_settled(agent: Agent, most_seconds: float) -> Outcome:
    """Passes until nothing is under way that goes on by itself, or the time is over."""
    deadline = time.monotonic() + most_seconds
    while True:
        left = deadline - time.monotonic()
        outcome = agent.tick(PATIENCE_SECONDS if most_seconds == 0.0 else max(0.0, min(PATIENCE_SECONDS, left)))
        if _settled(outcome) or time.monotonic() + _BETWEEN_SECONDS >= deadline:
            return outcome
        time.sleep(_BETWEEN_SECONDS)


def _busy(outcome: Outcome) -> bool:
    """Another pass is under way: a host without services is never pending by itself."""
    return outcome.code == 10 and not outcome.state.services


def _settled(outcome: Outcome) -> bool:
    """What waits for a person, a window or the host itself is settled; what waits for another service is not."""
    services = outcome.state.services.values()
    if _busy(outcome) or any(each.record.attempt is not None for each in services):
        return False
    reasons = [each.shown.reason for each in services if each.shown is not None and each.shown.word == "pending"]
    return not any(reason is None or reason.code == "lock" for reason in reasons)


def _telling(local: Local, hands: Hands) -> Hands:
    """The hands, with the metrics renewed at each transition: a pass may wait for long."""
    if local.textfile is None:
        return hands
    from dataclasses import replace

    def changed(service: str, former: Shown | None, shown: Shown, commit: str) -> None:
        hands.changed(service, former, shown, commit)
        _publish(local, hands, hands.store.load())

    return replace(hands, changed=changed)


def _publish(local: Local, hands: Hands, state: HostState | None) -> None:
    if local.textfile is None or state is None:
        return
    from sgfleet.agent.publish import publish

    trouble = publish(local, state, hands.store, hands.manager, VERSION, hands.clock.now().wall_seconds)
    if trouble is not None:
        print(f"warning: {visible(trouble)}", file=sys.stderr)


def status(arguments: argparse.Namespace) -> int:
    """What is so, from what is left: no lock is taken, nothing is changed."""
    from sgfleet.agent.status import as_json, lines
    from sgfleet.agent.survey import survey
    from sgfleet.systemd.manager import SystemdManager

    local = local_of(arguments)
    store = Store(local.state)
    manager = SystemdManager.user() if local.scope == "user" else SystemdManager.system()
    try:
        with readable(store):
            told = survey(local, store.load(), store, manager, time.time())
    except SystemdError as error:
        raise FailedError(str(error)) from None
    if arguments.format == "json":
        print(json_text(as_json(told), indent=2))
    else:
        for line in lines(told):
            print(visible(line))
    return told.code


def log(arguments: argparse.Namespace) -> int:
    """The last lines of the log."""
    store = Store(local_of(arguments).state)
    with readable(store):
        entries = [entry for entry in store.logged(arguments.lines) if isinstance(entry, dict)]
    if arguments.format == "json":
        print(json_text({"format": 1, "entries": entries}, indent=2))
        return OK
    for entry in entries:
        print(visible(_line(entry)))
    return OK


def _line(entry: dict[str, Any]) -> str:
    """A transition as a sentence, anything else with its keys."""
    from datetime import UTC, datetime

    rest = dict(entry)
    try:
        when = datetime.fromtimestamp(float(rest.pop("at_seconds", 0.0)), UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, TypeError, OverflowError, OSError):
        when = "an unknown time"
    if "state" in rest:
        reason = f": {rest['reason']}" if rest.get("reason") else ""
        commit = f" ({str(rest['commit'])[:12]})" if rest.get("commit") else ""
        if not rest.get("service"):
            return f"{when}  main  {rest['state']}{commit}{reason}"
        return f"{when}  {rest.get('service')}  {rest.get('former') or 'new'} -> {rest['state']}{commit}{reason}"
    said = "  ".join(f"{key}: {value}" for key, value in rest.items() if value is not None)
    return f"{when}  {said}"
