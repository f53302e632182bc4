"""One pass: main is looked at, then each service is brought as far as it goes without waiting for long."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet import VERSION
from sgfleet.agent import installed
from sgfleet.agent.brief import decode
from sgfleet.agent.budgets import clock_of
from sgfleet.agent.follow import follow
from sgfleet.agent.looking import look
from sgfleet.agent.metrics import result_of
from sgfleet.agent.perform import Hands as Doing
from sgfleet.agent.perform import HandsTiedError
from sgfleet.agent.permit import permit
from sgfleet.agent.planner import Input, decide
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT, Phase
from sgfleet.agent.seen import UNREAD, Action, Gate, Live, Permit, Status, Wanted, Word
from sgfleet.agent.state import HostState, Load, Sampled, ServiceState, Shown
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgfleet.agent.decision import Decision
    from sgfleet.agent.host import Clockwork
    from sgfleet.agent.local import Local
    from sgfleet.agent.looking import View
    from sgfleet.agent.mirror import Mirror
    from sgfleet.agent.record import Record
    from sgfleet.agent.seen import Seen
    from sgfleet.agent.store import Store
    from sgfleet.facts.machine import Machine
    from sgfleet.systemd.port import Manager

CODES: Final = {
    Word.STEADY: 0,
    Word.PENDING: 10,
    Word.FROZEN: 10,
    Word.STAGING: 10,
    Word.STOPPING: 10,
    Word.CLEARING: 10,
    Word.STARTING: 10,
    Word.GATING: 10,
    Word.BAKING: 10,
    Word.BLOCKED: 20,
    Word.ROLLED_BACK: 30,
    Word.BROKEN: 40,
}
"""Exit codes; of several services the highest counts."""
POLL_SECONDS: Final = 30.0
"""While a pass waits, main is asked again so often: a newer commit does not wait behind a load."""
MOST_SAMPLES: Final = 40
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 30.0, 600.0
"""A host that says no is asked again after so long, then twice as long."""
MOST_STEPS: Final = 500


@dataclass(frozen=True, slots=True)
class Hands:
    """Everything outside: see each port. `changed(service, former, shown, commit)` is told each transition; an
    empty service is the host as a whole."""

    manager: Manager
    mirror: Mirror
    store: Store
    clock: Clockwork
    machine: Machine
    tool: str
    changed: Callable[[str, Shown | None, Shown, str], None]


class Outcome(NamedTuple):
    """`code`: see CODES. `lines`: one for each thing that a person should know. `state`: what is remembered now."""

    code: int
    lines: tuple[str, ...]
    state: HostState


class Agent:
    """The agent of one host. One at a time: the store's lock says so."""

    def __init__(self, local: Local, hands: Hands) -> None:
        self.local = local
        self.hands = hands
        self._state = HostState()
        self._saved: HostState | None = None
        self._polled = 0.0
        self._until = 0.0

    def tick(self, patience_seconds: float) -> Outcome:
        """One pass. It waits at most so long in all for what it began; the next pass goes on."""
        try:
            with self.hands.store.lock() as held:
                if not held:
                    return Outcome(10, ("another pass is under way",), self._state)
                return self._pass(patience_seconds)
        except OSError as error:
            return Outcome(40, (f"broken: the agent's folder cannot be used: {error}",), self._state)
        except (SystemdError, HandsTiedError) as error:
            return Outcome(20, (f"blocked: {error}",), self._state)

    def look(self, name: str) -> Seen:
        """What is seen of one service, for requests that people make."""
        return self._look(name).seen

    def remembered(self) -> HostState:
        """The state on disk, or what the installed units tell."""
        self._saved = self.hands.store.load()
        self._state = self._saved or HostState()
        self._adopt()
        return self._state

    def _pass(self, patience_seconds: float) -> Outcome:
        self.remembered()
        started = self.hands.clock.now().boot_seconds
        self._until = started + patience_seconds
        if self._saved is not None and any(each.record.attempt for each in self._state.services.values()):
            self.hands.store.save(self._state)  # nothing is done to a service where it could not be written down
        self._follow()
        for name in self._order():
            self._serve(name)
        self._save()
        return self._outcome()

    def _adopt(self) -> None:
        """Units of ours that nothing is remembered of."""
        services = dict(self._state.services)
        for unit in self.hands.manager.installed():
            name = unit.removesuffix(".service")
            if name not in services:
                there = installed.read(self.hands.manager.read(unit), self.local.host, name)
                if there.unit != ABSENT:
                    self.hands.store.keep_unit(there.text, self.hands.store.plan(there.unit) or {})
                    is_read = self._state.read and self._state.trouble is None
                    services[name] = ServiceState(wanted=Wanted() if is_read else _UNSAID)
        self._state = self._state._replace(services=services)

    def _follow(self) -> None:
        hands = self.hands
        now = hands.clock.now()
        self._polled = now.boot_seconds
        before = self._state
        self._state = follow(before, self.local, hands.mirror, hands.store, hands.manager, hands.tool, now)
        self._save()
        for shown, commit in _of_the_host(before, self._state, now.wall_seconds):
            hands.changed("", None, shown, commit)

    def _save(self) -> None:
        if self._state != self._saved:
            self.hands.store.save(self._state)
            self._saved = self._state

    def _order(self) -> list[str]:
        """What is under way first, then removals, then what needs less memory than before."""
        services = self._state.services
        return sorted(services, key=lambda name: (*_urgency(services[name], self._pool_bytes(services[name])), name))

    def _pool_bytes(self, state: ServiceState) -> int:
        """How much more a service pins with what is wanted than with what is verified."""
        if state.record.verified == state.wanted.unit or state.wanted.unit == ABSENT:
            return 0
        briefs = (decode(self.hands.store.plan(unit)) for unit in (state.wanted.unit, state.record.verified) if unit)
        pools = [brief.promise.host_pool_bytes or 0 if brief else 0 for brief in briefs]
        return pools[0] - sum(pools[1:])

    def _look(self, name: str) -> View:
        hands = self.hands
        return look(name, self._state.services[name], self.local, hands.manager, hands.store, hands.clock.now())

    def _permit(self, name: str) -> Permit:
        now = self.hands.clock.now()
        busy = next((each for each, it in self._state.services.items() if each != name and it.record.attempt), None)
        unit = f"{name} {self._state.services[name].wanted.unit}"
        freeze = self.hands.store.freeze()
        return permit(self.local, freeze, now.wall_seconds, now.minute, unit, self._state.confirmed, busy)

    def _serve(self, name: str) -> None:
        """Decide, write down, do, look again, until there is nothing to do or to wait for."""
        done: Action | None = None
        error: Reason | None = None
        gate, pause = Gate(), 0.0
        admission: dict[str, Reason | bool] = {}
        steps = 0
        while steps < MOST_STEPS:
            state = self._state.services[name]
            view = self._look(name)
            asked = admission.get(state.wanted.unit, self._remembered_refusal(state))
            seen = view.seen._replace(done=done, error=error, gate=gate, admission=asked)
            decision = decide(Input(state.wanted, seen, self._permit(name)), state.record)
            decision = self._explained(name, state, view, decision)
            self._remember(name, state, decision.record, decision.status, view)
            if decision.forget:
                self._forget(name)
                return
            action, error, gate = decision.action, None, Gate()
            if action is None:
                return
            if action is Action.WAIT:
                if not self._wait(name, pause):
                    return
            elif action is Action.ADMIT:
                admission[state.wanted.unit] = self._admit(name, view)
            elif action is Action.PROBE:
                gate, pause = self._probe(name, view)
            else:
                error = self._perform(action, name)
            done = action
            steps += action not in {Action.WAIT, Action.PROBE}
        raise HandsTiedError(f"{name}: {MOST_STEPS} steps in one pass and no end")

    def _explained(self, name: str, state: ServiceState, view: View, decision: Decision) -> Decision:
        """What failed now is remembered with what its journal says of it: later it may be gone."""
        record = decision.record
        new = [each for each in record.quarantine if each not in state.record.quarantine]
        said = self._dying(name, view) if new else None
        if said is None or said in new[0][1].text:
            return decision
        unit, reason = new[0]
        whole = reason._replace(text=f"{reason.text}: {said}")
        record = record._replace(quarantine=(*record.without(unit), (unit, whole)))
        if record.attempt is not None:
            record = record._replace(attempt=record.attempt._replace(why=whole))
        if record.broken == reason:
            record = record._replace(broken=whole)
        status = decision.status
        if status.reason == reason:
            status = status._replace(reason=whole)
        return decision._replace(record=record, status=status)

    def _perform(self, action: Action, name: str) -> Reason | None:
        state = self._state.services[name]
        doing = Doing(self.hands.manager, self.hands.store, self.hands.clock)
        return doing.perform(action, name, state.record, state.wanted.unit, self._state.head)

    def _remember(self, name: str, state: ServiceState, record: Record, status: Status, view: View) -> None:
        """Write the record before its action; tell people where the state is another."""
        now = self.hands.clock.now()
        is_over = state.record.attempt is not None and record.attempt is None
        if state.record != record and (result := result_of(state.record, record)) is not None:
            counts = self._state.counts
            self._state = self._state._replace(counts={**counts, result: counts.get(result, 0) + 1})
        state = state._replace(record=record)
        clock = clock_of(state, now)
        if clock != state.clock:
            state = state._replace(clock=clock, samples=state.samples if clock else ())
        if state.record.attempt is not None:
            state = state._replace(samples=self._sampled(state, view))
        if is_over or state.untidy:
            state = state._replace(untidy=not self._tidied(name))
        former = state.shown
        shown = Shown(status.word.value, status.reason, now.wall_seconds)
        attempt = record.attempt
        if former is not None and attempt and former.word == shown.word and shown.reason in {None, attempt.why}:
            shown = former  # between two looks nothing is known that would be news
        if former is not None and (former.word, _code(former.reason)) == (shown.word, _code(shown.reason)):
            shown = shown._replace(since_seconds=former.since_seconds)
        if former is None or former.word != shown.word or former.reason != shown.reason:
            state = state._replace(shown=shown)
        self._state = self._state._replace(services={**self._state.services, name: state})
        self._save()
        if former is None or (former.word, _code(former.reason)) != (shown.word, _code(shown.reason)):
            self.hands.changed(name, former, shown, self._state.head)

    def _tidied(self, name: str) -> bool:
        """Whether what was staged is gone. It does no harm; where the disk keeps it, a later pass tries again."""
        try:
            self.hands.manager.discard(f"{name}.service")
        except SystemdError:
            return False
        return True

    def _forget(self, name: str) -> None:
        services = {each: it for each, it in self._state.services.items() if each != name}
        self._state = self._state._replace(services=services)
        self._save()

    def _sampled(self, state: ServiceState, view: View) -> tuple[Sampled, ...]:
        from sgfleet.agent.progress import Meter

        if not view.unit.main_pid:
            return state.samples
        sample = Meter(view.unit.control_group, view.unit.main_pid).sample()
        at = self.hands.clock.now().boot_seconds
        new = Sampled(at, sample.cpu_seconds, sample.memory_bytes, sample.read_bytes, sample.journal_lines)
        kept = state.samples
        if len(kept) >= MOST_SAMPLES:  # every second one: a long load is remembered in wider steps
            kept = kept[::2]
        return (*kept, new)

    def _wait(self, name: str, pause_seconds: float) -> bool:
        """A moment; False where the pass has waited long enough. Main is asked again while it waits."""
        now = self.hands.clock.now().boot_seconds
        attempt = self._state.services[name].record.attempt
        if attempt is None:
            return True
        step = 0.25
        if attempt.phase in {Phase.GATING, Phase.BAKING}:
            step = max(0.25, min(pause_seconds, 5.0))
        if now + step > self._until:
            return False
        self.hands.clock.sleep(step)
        if self.hands.clock.now().boot_seconds - self._polled >= POLL_SECONDS:
            self._follow()
        return True

    def _remembered_refusal(self, state: ServiceState) -> Reason | None:
        """A host that said no is not asked in every pass."""
        if state.asked is None or state.shown is None or state.shown.reason is None:
            return None
        unit, at, pause = state.asked
        now = self.hands.clock.now().wall_seconds
        return state.shown.reason if unit == state.wanted.unit and at <= now < at + pause else None

    def _admit(self, name: str, view: View) -> Reason | bool:
        from sgfleet.agent.admission.admit import admit
        from sgfleet.agent.admission.situation import Situation
        from sgfleet.fleet.workspace import Workspace
        from sgfleet.source.git_objects import GitObjects
        from sgfleet.source.git_tree import GitTree

        state, hands = self._state.services[name], self.hands
        unit = state.wanted.unit
        text = hands.store.unit(unit)
        if text is None:
            return Reason("not-kept", f"unit {unit[:12]} is not in the agent's folder", "sgfleet agent retry")
        objects = GitObjects(hands.mirror.git)
        try:
            tree = GitTree(objects, self._state.head)
            workspace = Workspace(hands.store.folder, tree, tree)
            situation = Situation(
                local=self.local,
                name=name,
                text=text,
                unit=unit,
                brief=decode(hands.store.plan(unit)),
                workspace=workspace,
                spec=workspace.repository.host(self.local.host),
                manager=hands.manager,
                store=hands.store,
                machine=hands.machine,
                present=view.unit,
            )
            refusal = admit(situation)
        finally:
            objects.close()
        now = hands.clock.now().wall_seconds
        pause = FIRST_PAUSE_SECONDS * self.local.time_scale
        if state.asked is not None and state.asked[0] == unit:
            pause = min(LONGEST_PAUSE_SECONDS, state.asked[2] * 2)
        asked = None if refusal is None else (unit, now, pause)
        self._state = self._state._replace(services={**self._state.services, name: state._replace(asked=asked)})
        return True if refusal is None else refusal

    def _probe(self, name: str, view: View) -> tuple[Gate, float]:
        from sgfleet.agent.probe import probe
        from sgfleet.agent.server import PROBING

        state = self._state.services[name]
        attempt = state.record.attempt
        if view.seen.live is not Live.RUNNING or attempt is None:
            return Gate(), 0.0
        last = state.load.kv_tokens if state.load is not None and state.load.unit == attempt.goal else None
        brief = decode(self.hands.store.plan(attempt.goal))  # the look may be from before the attempt
        found = probe(
            brief, lambda: self._dying(name, view), self.local.tolerance, last, PROBING.scaled(self.local.time_scale)
        )
        if found.gate.passed and attempt.phase is Phase.GATING and not attempt.adopt and state.clock is not None:
            seconds = self.hands.clock.now().boot_seconds - state.clock.at_seconds
            load = Load(attempt.goal, seconds if attempt.restart else 0.0, found.kv_tokens)
            if not attempt.restart and state.load is not None:
                load = load._replace(seconds=state.load.seconds)
            services = {**self._state.services, name: state._replace(load=load)}
            self._state = self._state._replace(services=services)
        return found.gate, found.pause_seconds

    def _dying(self, name: str, view: View) -> str | None:
        """The first line of this run's journal that says it is at its end, in our words."""
        from sgfleet.observe.failures import failure_in

        try:
            lines = self.hands.manager.journal(f"{name}.service", view.unit.invocation_id, 400)
        except SystemdError:
            return None  # a journal that cannot be read says nothing against the service
        return next((found.what for line in lines if (found := failure_in(line)) is not None), None)

    def _outcome(self) -> Outcome:
        state = self._state
        lines, codes = [], [0]
        for reason, code in (
            (state.refused[1] if state.refused else None, 20),
            (state.trouble, 20),
            (state.offline[1] if state.offline else None, 20),
        ):
            if reason is not None:
                lines.append(f"{self.local.host}: {reason}" + (f"; {reason.help}" if reason.help else ""))
                codes.append(code)
        for name, each in sorted(state.services.items()):
            if each.shown is not None:
                codes.append(CODES[Word(each.shown.word)])
                reason = each.shown.reason
                lines.append(f"{name}: {each.shown.word}" + (f": {reason}" if reason else ""))
        return Outcome(max(codes), tuple(lines), state)


def _urgency(state: ServiceState, pool_bytes: int) -> tuple[int, int]:
    """The order in which services are served: what is under way, removals, then the smaller pools."""
    if state.record.attempt is not None:
        return 0, 0
    return (1, 0) if state.wanted.unit == ABSENT else (2, pool_bytes)


def _of_the_host(before: HostState, after: HostState, now_seconds: float) -> Iterator[tuple[Shown, str]]:
    """What became of main itself: a commit that is refused is told although nothing changes on the host."""
    for word, was, now, commit in (
        ("refused", before.refused and before.refused[1], after.refused and after.refused[1], _refused(after)),
        ("unusable", before.trouble, after.trouble, after.head),
        ("offline", before.offline and before.offline[1], after.offline and after.offline[1], after.head),
    ):
        if now is not None and (was is None or was.code != now.code or _refused(before) != _refused(after)):
            yield Shown(word, now, now_seconds), commit
        elif now is None and was is not None:
            yield Shown("taken" if word == "refused" else f"{word} no more", None, now_seconds), after.head


def _refused(state: HostState) -> str:
    return state.refused[0] if state.refused is not None else ""


def _code(reason: Reason | None) -> str | None:
    return None if reason is None else reason.code


def hands_of(local: Local) -> Hands:
    """The real ones, for a host that agent.toml describes."""
    from sgfleet.agent.host import RealClock
    from sgfleet.agent.mirror import Mirror
    from sgfleet.agent.store import Store
    from sgfleet.facts.machine import LiveMachine
    from sgfleet.render.identity import UNIT_FORMAT
    from sgfleet.systemd.manager import SystemdManager

    store = Store(local.state)
    settings = hashlib.sha256(repr(local).encode()).hexdigest()[:16]
    return Hands(
        manager=SystemdManager.user() if local.scope == "user" else SystemdManager.system(),
        mirror=Mirror(store.mirror, local.remote),
        store=store,
        clock=RealClock(),
        machine=LiveMachine(),
        tool=f"sgfleet {VERSION} format {UNIT_FORMAT} settings {settings}",
        changed=lambda service, former, shown, commit: _tell(store, local, service, former, shown, commit),
    )


def _tell(store: Store, local: Local, service: str, former: Shown | None, shown: Shown, commit: str) -> None:
    """Log a transition, and call the host's hook."""
    entry = {
        "at_seconds": shown.since_seconds,
        "service": service,
        "former": former.word if former else None,
        "state": shown.word,
        "code": _code(shown.reason),
        "reason": str(shown.reason) if shown.reason else None,
        "commit": commit,
    }
    store.log(entry)
    if local.hook:
        from sgfleet.agent.hook import call

        failed = call(local.hook, entry)
        if failed is not None:
            store.log({"at_seconds": shown.since_seconds, "service": service, "hook": failed})


_UNSAID: Final = Wanted(refusal=UNREAD)
