"""What a person asks of the agent beside the repository. Each is written down, and holds over a restart."""

from __future__ import annotations

import os
import pwd
import time
from typing import TYPE_CHECKING, Any

from sgfleet.agent.store import Freeze, Store
from sgfleet.cli.agent.host import FailedError, held, local_of, readable, seconds_of
from sgfleet.cli.common import OK, UsageError, near
from sgfleet.output.visible import visible
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    import argparse

    from sgfleet.agent.state import HostState, ServiceState

_THEN = "the next pass does it; now: sgfleet agent tick --wait"


def freeze(arguments: argparse.Namespace) -> int:
    """Nothing new begins. It needs no lock: a pass that runs looks before each new attempt."""
    now = time.time()
    for_seconds = None if arguments.for_ is None else seconds_of(arguments.for_, "--for")
    if not arguments.reason.strip():
        raise UsageError("the reason is empty", "others will read it: sgfleet agent freeze 'benchmark until noon'")
    if for_seconds == 0:
        raise UsageError("--for 0s would hold for no time")
    until = None if for_seconds is None else now + for_seconds
    store = Store(local_of(arguments).state)
    with readable(store):
        _not_shortened(store.freeze(), now, until)
        store.set_freeze(Freeze(arguments.reason, now, until))
        _log(store, "freeze", reason=arguments.reason, until_seconds=until)
    print("frozen: what is under way is finished, nothing new begins; sgfleet agent unfreeze ends it")
    return OK


def _not_shortened(held: Freeze | None, now: float, until: float | None) -> None:
    """A freeze that somebody else asked for is not ended sooner by another one."""
    if held is None or (held.until_seconds is not None and held.until_seconds <= now):
        return
    if until is not None and (held.until_seconds is None or until < held.until_seconds):
        left = "until somebody unfreezes it"
        if held.until_seconds is not None:
            left = f"for {(held.until_seconds - now) / 60:.0f} min more"
        raise FailedError(f"frozen already, {left}: {visible(held.reason)}", "sgfleet agent unfreeze ends that one")
    print(f"in the place of: {visible(held.reason)}")


def unfreeze(arguments: argparse.Namespace) -> int:
    """The agent goes on."""
    store = Store(local_of(arguments).state)
    with readable(store):
        if store.freeze() is None:
            print("it was not frozen")
            return OK
        store.set_freeze(None)
        _log(store, "unfreeze")
    print("not frozen any more")
    return OK


def retry(arguments: argparse.Namespace) -> int:
    """What failed is tried once more; a service that is named is started anew in any case."""
    from sgfleet.agent import requests
    from sgfleet.agent.hands import hands_of
    from sgfleet.agent.tick import Agent

    local = local_of(arguments)
    store = Store(local.state)
    with readable(store), held(store):
        state = _remembered(Agent(local, hands_of(local)))
        if arguments.service is not None:
            names = [_known(state, arguments.service)]
        else:
            names = [name for name, each in state.services.items() if _failed(each)]
            if not names:
                raise FailedError("nothing failed here", "sgfleet agent retry SERVICE starts one anew")
        for name in names:
            each = state.services[name]
            state = _with(state, name, each._replace(record=requests.retry(each.record), asked=None))
            _log(store, "retry", service=name)
        store.save(state)
    print(f"{', '.join(names)}: {_THEN}")
    return OK


def _failed(each: ServiceState) -> bool:
    """Whether a service is one that status tells to retry."""
    down = each.shown is not None and each.shown.word in {"broken", "rolled-back"}
    return down or bool(each.record.quarantine) or each.record.broken is not None


def rollback(arguments: argparse.Namespace) -> int:
    """Back to the unit before the present one."""
    from sgfleet.agent import requests
    from sgfleet.agent.hands import hands_of
    from sgfleet.agent.tick import Agent

    local = local_of(arguments)
    store = Store(local.state)
    if not arguments.why.strip():
        raise UsageError("--why is empty", "others will read it in status")
    with readable(store), held(store):
        agent = Agent(local, hands_of(local))
        state = _remembered(agent)
        name = _known(state, arguments.service)
        try:
            seen = agent.look(name)
        except SystemdError as error:
            raise FailedError(str(error)) from None
        each = state.services[name]
        record = requests.rollback(each.record, seen, arguments.why)
        if record is None:
            if each.record.attempt is not None:
                raise FailedError(f"{name} is on its way back already")
            raise FailedError(f"{name} has no unit before the present one here", "git revert, and push")
        store.save(_with(state, name, each._replace(record=record)))
        _log(store, "rollback", service=name, reason=arguments.why)
    print(f"{name}: {_THEN}")
    return OK


def confirm(arguments: argparse.Namespace) -> int:
    """Let in what waits for a person."""
    from sgfleet.agent.hands import hands_of
    from sgfleet.agent.tick import Agent

    local = local_of(arguments)
    store = Store(local.state)
    with readable(store), held(store):
        state = _remembered(Agent(local, hands_of(local)))
        name = _known(state, arguments.service)
        each = state.services[name]
        if each.wanted.refusal is not None:
            raise FailedError(f"{name} waits for no person: {each.wanted.refusal}", each.wanted.refusal.help)
        if each.wanted.unit == each.record.verified and not each.record.again:
            raise FailedError(f"{name} waits for nobody: what main asks for runs")
        open_ = {f"{it} {of.wanted.unit}" for it, of in state.services.items() if of.wanted.unit != of.record.verified}
        mine = f"{name} {each.wanted.unit}"  # a removal has no unit of its own: the name tells which is meant
        store.save(state._replace(confirmed=(*(one for one in state.confirmed if one in open_ - {mine}), mine)))
        _log(store, "confirm", service=name, unit=each.wanted.unit)
    print(f"{name}: {_THEN}")
    return OK


def _remembered(agent: Any) -> HostState:
    try:
        state: HostState = agent.remembered()
    except SystemdError as error:
        raise FailedError(str(error)) from None
    return state


def _known(state: HostState, name: str) -> str:
    if name in state.services:
        return name
    known = ", ".join(sorted(state.services)) or "none"
    raise UsageError(
        f"there is no service {visible(name)} on this host", near(name, state.services) or f"known: {known}"
    )


def _with(state: HostState, name: str, service: ServiceState) -> HostState:
    return state._replace(services={**state.services, name: service})


def _log(store: Store, what: str, **more: Any) -> None:
    """Who asked for what: sudo keeps the person's own name."""
    person = os.environ.get("SUDO_USER")
    if not person:
        try:
            person = pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            person = str(os.getuid())
    store.log({"at_seconds": time.time(), "request": what, "by": person, **more})
