"""One pass: main is looked at, then each service is brought as far as it goes without waiting for long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.agent import installed
from sgfleet.agent.ask import ask, remembered
from sgfleet.agent.brief import decode
from sgfleet.agent.budgets import clock_of
from sgfleet.agent.dying import dying, explained, newly_failed
from sgfleet.agent.follow import follow
from sgfleet.agent.looking import look
from sgfleet.agent.metrics import result_of
from sgfleet.agent.outcome import BLOCKED, BROKEN, PENDING, Outcome, of_the_host, outcome_of
from sgfleet.agent.perform import Hands as Doing
from sgfleet.agent.perform import HandsTiedError
from sgfleet.agent.permit import permit
from sgfleet.agent.planner import Input, decide
from sgfleet.agent.record import ABSENT, Phase
from sgfleet.agent.seen import UNREAD, Action, Gate, Live, Wanted
from sgfleet.agent.state import HostState, Load, Sampled, ServiceState, Shown
from sgfleet.systemd.port import SystemdError

if TYPE_CHECKING:
    from sgfleet.agent.hands import Hands
    from sgfleet.agent.local import Local
    from sgfleet.agent.looking import View
    from sgfleet.agent.reason import Reason
    from sgfleet.agent.record import Record
    from sgfleet.agent.seen import Permit, Seen, Status

POLL_SECONDS: Final = 30.0
"""While a pass waits, main is asked again so often: a newer commit does not wait behind a load."""
MOST_SAMPLES: Final = 40
MOST_STEPS: Final = 500


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
                    return Outcome(PENDING, ("another pass is under way",), self._state)
                return self._pass(patience_seconds)
        except OSError as error:
            return Outcome(BROKEN, (f"broken: the agent's folder cannot be used: {error}",), self._state)
        except (SystemdError, HandsTiedError) as error:
            return Outcome(BLOCKED, (f"blocked: {error}",), self._state)

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
        return outcome_of(self._state, self.local.host)

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
        for shown, commit in of_the_host(before, self._state, now.wall_seconds):
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
            no = remembered(state, self.hands.clock.now().wall_seconds)
            asked = admission.get(state.wanted.unit, no)
            seen = view.seen._replace(done=done, error=error, gate=gate, admission=asked)
            decision = decide(Input(state.wanted, seen, self._permit(name)), state.record)
            if newly_failed(state.record, decision.record):
                decision = explained(decision, state.record, self._dying(name, view))
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
        if former is not None and (former.word, former.code) == (shown.word, shown.code):
            shown = shown._replace(since_seconds=former.since_seconds)
        if former is None or former.word != shown.word or former.reason != shown.reason:
            state = state._replace(shown=shown)
        self._state = self._state._replace(services={**self._state.services, name: state})
        self._save()
        if former is None or (former.word, former.code) != (shown.word, shown.code):
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

    def _admit(self, name: str, view: View) -> Reason | bool:
        state = self._state.services[name]
        refusal, state = ask(name, state, self._state.head, self.local, self.hands, view.unit)
        self._state = self._state._replace(services={**self._state.services, name: state})
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
        return dying(self.hands.manager, f"{name}.service", view.unit.invocation_id)


def _urgency(state: ServiceState, pool_bytes: int) -> tuple[int, int]:
    """The order in which services are served: what is under way, removals, then the smaller pools."""
    if state.record.attempt is not None:
        return 0, 0
    return (1, 0) if state.wanted.unit == ABSENT else (2, pool_bytes)


_UNSAID: Final = Wanted(refusal=UNREAD)
