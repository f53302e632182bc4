"""Main moves: one question to the remote; what is new is verified before anything is remembered of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from sgfleet.agent import installed
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT
from sgfleet.agent.seen import Wanted
from sgfleet.agent.state import HostState, ServiceState
from sgfleet.source.git_faults import GitError

if TYPE_CHECKING:
    from sgfleet.agent.desired import Desired
    from sgfleet.agent.host import Now
    from sgfleet.agent.local import Local
    from sgfleet.agent.mirror import Mirror
    from sgfleet.agent.store import Store
    from sgfleet.systemd.port import Manager

MOST_VERSIONS: Final = 10
"""Of a unit whose brief was lost are looked through."""


def follow(
    state: HostState, local: Local, mirror: Mirror, store: Store, manager: Manager, tool: str, now: Now
) -> HostState:
    """What is remembered after a look at main. `tool` names this sgfleet and the host's file: another one reads again.

    Raises:
        OSError: the agent's folder cannot be written.
    """
    try:
        head = mirror.remote_head()
    except GitError as error:
        since = state.offline[0] if state.offline else now.wall_seconds
        return state._replace(offline=(since, Reason(f"offline-{error.kind}", str(error), error.help or None)))
    state = state._replace(offline=None)
    reading = f"{head} {tool}"
    if head == state.head and state.read == reading:
        return state._replace(refused=None)
    from sgfleet.agent.trust import Refused, verify

    since_commit = state.head or _newest(local, mirror, manager)
    try:
        mirror.fetch(head)
        if head != state.head:
            answer = verify(mirror, since_commit or None, head, local.signers)
            if isinstance(answer, Refused):
                return state._replace(refused=(head, answer.reason))
        desired = _read(mirror, head, local, store)
        if not state.head:
            _recall(local, mirror, manager, store)
    except GitError as error:
        return state._replace(refused=(head, Reason(f"git-{error.kind}", str(error), error.help or None)))
    return take(state, desired, store, head, reading, local, now)


def take(
    state: HostState, desired: Desired, store: Store, head: str, reading: str, local: Local, now: Now
) -> HostState:
    """Remember what a verified commit asks for. Where it says nothing usable, what was wanted before still is."""
    if head != state.head:
        state = state._replace(moved_seconds=now.wall_seconds)
    state = state._replace(head=head, read=reading, refused=None, trouble=desired.trouble)
    if desired.trouble is not None:
        return state
    stays = {name for name, each in state.services.items() if each.record.verified != ABSENT or each.record.attempt}
    if not desired.wanted and stays and not local.limits.remove_all:
        text = f"main has no service for {local.host} any more, and {len(stays)} run here"
        help_ = "remove-all = true under [limits] lets the repository empty this host"
        return state._replace(trouble=Reason("empty", text, help_))
    for unit in desired.units.values():
        store.keep_unit(unit.text, unit.brief)
    services = dict(state.services)
    for name in {*services, *desired.wanted}:
        wanted = desired.wanted.get(name, Wanted())
        services[name] = services.get(name, ServiceState())._replace(wanted=wanted, asked=None)
    return state._replace(services=services)


def _read(mirror: Mirror, head: str, local: Local, store: Store) -> Desired:
    from sgfleet.agent.desired import read
    from sgfleet.source.git_objects import GitObjects
    from sgfleet.source.git_tree import GitTree

    objects = GitObjects(mirror.git)
    try:
        return read(GitTree(objects, head), store.folder, local)
    finally:
        objects.close()


def _recall(local: Local, mirror: Mirror, manager: Manager, store: Store) -> None:
    """What to ask the installed units for, where that was lost: from the commit that each says it is of, or from one
    before. Who went back carries the commit that he went back from.
    """
    for unit in manager.installed():
        there = installed.read(manager.read(unit), local.host, unit.removesuffix(".service"))
        if there.unit == ABSENT or not there.commit or store.plan(there.unit):
            continue
        with contextlib.suppress(GitError):  # the remote may have thrown it away
            for commit in mirror.versions(there.commit, f"units/{local.host}/{unit}", MOST_VERSIONS):
                kept = _read(mirror, commit, local, store).units.get(there.unit)
                if kept is not None:
                    store.keep_unit(kept.text, kept.brief)
                    break


def _newest(local: Local, mirror: Mirror, manager: Manager) -> str:
    """The commit that the installed units say they are of: it protects from a way back when the state was lost."""
    commits = set()
    for unit in manager.installed():
        name = unit.removesuffix(".service")
        there = installed.read(manager.read(unit), local.host, name)
        if there.unit != ABSENT and there.commit:
            commits.add(there.commit)
    dated = []
    for commit in sorted(commits):
        try:
            mirror.fetch(commit)
            dated.append((mirror.describe(commit).committed_seconds, commit))
        except GitError:  # the remote has thrown it away: then main cannot descend from it, and verify says so
            return commit
    return max(dated)[1] if dated else ""
