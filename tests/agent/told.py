"""Hosts to tell of: one service in each state, and what may hold for a host as a whole."""

from __future__ import annotations

from sgfleet.agent.installed import Installed
from sgfleet.agent.reason import Reason
from sgfleet.agent.record import ABSENT, Attempt, Phase, Record
from sgfleet.agent.seen import Wanted, Word
from sgfleet.agent.state import HostState, Load, ServiceState, Shown
from sgfleet.agent.status import There
from sgfleet.agent.store import Freeze

NOW = 1_790_000_000.0
HEAD, OLD, NEW = "c0" * 20, "a" * 64, "b" * 64
NASTY = 'he said "no"\\\n# TYPE x gauge\x1b[2J'


def service(word: Word, reason: Reason | None = None, record: Record | None = None) -> ServiceState:
    record = record or Record(verified=OLD)
    shown = Shown(word.value, reason, NOW - 60)
    return ServiceState(record, Wanted(OLD), shown=shown, load=Load(OLD, 412.5, 123_456))


def services() -> dict[str, ServiceState]:
    """`s-WORD` for every word that there is."""
    found = {f"s-{word.value}": service(word, Reason("why", f"{word.value} because")) for word in Word}
    found["s-steady"] = service(Word.STEADY)
    attempt = Record(OLD, attempt=Attempt(NEW, Phase.GATING))
    found["s-gating"] = service(Word.GATING, Reason("health-503", "not ready yet"), attempt)
    failed = Record(OLD, previous=NEW, quarantine=((NEW, Reason("promise", "half the KV tokens")),))
    found["s-rolled-back"] = service(Word.ROLLED_BACK, Reason("promise", NASTY), failed)
    return found


def there(commit: str = HEAD, unit: str = OLD) -> There:
    return There(Installed(unit, "", commit), "active (running)")


STATE = HostState(
    head=HEAD,
    services=services(),
    refused=("d0" * 20, Reason("unsigned", "not signed", "sign it")),
    offline=(NOW - 600, Reason("offline-timeout", "no answer")),
    moved_seconds=NOW - 3600,
    counts={"applied": 3, "failed": 1},
)
FREEZE = Freeze("benchmark", NOW - 5, NOW + 3600)
ALL = {name: there() for name in STATE.services} | {"s-lost": there(unit=ABSENT)}
