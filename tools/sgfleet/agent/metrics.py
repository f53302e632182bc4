"""What Prometheus is told, in its text format, for node_exporter's textfile collector. Pure but for `write`.

Nothing in the text is a clock: as long as nothing changes the file is the same, and is not written again. How old it is
says node_textfile_mtime_seconds only of the last change; that the agent runs at all is the timer's to say.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.agent.record import ABSENT, Phase
from sgfleet.agent.seen import Word
from sgfleet.agent.status import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sgfleet.agent.record import Record
    from sgfleet.agent.state import Load
    from sgfleet.agent.status import Overview, Row

RESULTS: Final = ("applied", "failed", "rolled-back", "broken", "abandoned")
"""How an attempt ends: its unit is verified; it failed, and what was verified comes back; that is back; it failed and
there is no way back; it was given up for a newer one, or before anything was touched."""
MODE: Final = 0o644
_STATES: Final = (*(word.value for word in Word), UNKNOWN)


class Figures(NamedTuple):
    """Of the verified unit of a service. None is not known, and gives no line. `load`: its last verified start."""

    load: Load | None = None
    budget_seconds: float | None = None
    planned_tokens: int | None = None
    host_pool_bytes: int | None = None


def result_of(before: Record, after: Record) -> str | None:
    """Which of RESULTS a step from one record to the next is; None where no attempt ended."""
    was, now = before.attempt, after.attempt
    if was is None or (now is not None and (now.goal, now.back) == (was.goal, was.back)):
        return None
    if now is not None:
        return "failed" if now.back and not was.back else "abandoned"
    if after.broken is not None and after.broken != before.broken:
        return "broken"
    if was.phase is Phase.STAGING or after.verified != was.goal:
        return "abandoned"
    if was.adopt:
        return None  # it ran already
    return "rolled-back" if was.back else "applied"


def text(told: Overview, version: str, figures: Mapping[str, Figures], counts: Mapping[str, int]) -> str:
    """The whole file. `figures`: by service. `counts`: attempts by their result, since the state was begun."""
    families = _Families()
    families.gauge("sgfleet_build_info", "The sgfleet that runs here.", {"version": version, "host": told.host}, 1)
    if told.commit:
        families.gauge("sgfleet_desired_info", "The commit of main that is taken.", {"commit": told.commit}, 1)
    if told.moved_seconds:
        families.gauge("sgfleet_desired_change_timestamp_seconds", "When it was taken.", {}, told.moved_seconds)
    for what, on in (
        ("frozen", told.frozen is not None),
        ("refused", told.refused is not None),
        ("trouble", told.trouble is not None),
        ("offline", told.offline is not None),
    ):
        families.gauge(f"sgfleet_{what}", _WHOLE[what], {}, int(on))
    if told.offline is not None:
        families.gauge("sgfleet_offline_since_timestamp_seconds", "Since when.", {}, told.offline[0])
    for row in told.rows:
        _row(families, row, figures.get(row.service, Figures()))
    for result in RESULTS:
        name, said = "sgfleet_apply_total", "Attempts to change a service, by how they ended."
        families.add("counter", name, said, {"result": result}, counts.get(result, 0))
    return families.text()


_WHOLE: Final = {
    "frozen": "1: a person said stop.",
    "refused": "1: the newest commit of main is not taken.",
    "trouble": "1: main says nothing usable of this host.",
    "offline": "1: the repository cannot be reached.",
}


def _row(families: _Families, row: Row, figures: Figures) -> None:
    service = {"service": row.service}
    for state in _STATES:
        said = "1 for the state that the service is in."
        families.gauge("sgfleet_service_state", said, {**service, "state": state}, int(state == row.state))
    if row.since_seconds is not None:
        name = "sgfleet_service_change_timestamp_seconds"
        families.gauge(name, "Since when it is in this state, for this reason.", service, row.since_seconds)
    if row.installed != ABSENT:
        labels = {**service, "commit": row.commit, "hash": row.installed}
        families.gauge("sgfleet_applied_info", "The unit that is installed.", labels, 1)
    drift = int(row.drift is not None)
    families.gauge("sgfleet_service_drift", "1: the host has something else than what was put there.", service, drift)
    quarantined = len(row.quarantined)
    families.gauge("sgfleet_service_quarantined", "Units that failed and are not tried again.", service, quarantined)
    for name, said, value in (
        ("sgfleet_service_load_seconds", "What the last verified start took.", figures.load and figures.load.seconds),
        ("sgfleet_service_load_budget_seconds", "What the next start is expected to take.", figures.budget_seconds),
        ("sgfleet_service_kv_tokens_planned", "KV tokens of a rank that are promised.", figures.planned_tokens),
        (
            "sgfleet_service_kv_tokens_realised",
            "KV tokens that the last verified start had.",
            figures.load and figures.load.kv_tokens,
        ),
        ("sgfleet_service_host_pool_bytes", "What all ranks pin in host RAM.", figures.host_pool_bytes),
    ):
        if value is not None:
            families.gauge(name, said, service, value)


class _Families:
    """Samples of a family have to stand together: https://prometheus.io/docs/instrumenting/exposition_formats/."""

    def __init__(self) -> None:
        self._heads: dict[str, str] = {}
        self._samples: dict[str, list[str]] = {}

    def gauge(self, name: str, said: str, labels: Mapping[str, str], value: float) -> None:
        self.add("gauge", name, said, labels, value)

    def add(self, kind: str, name: str, said: str, labels: Mapping[str, str], value: float) -> None:
        self._heads[name] = f"# HELP {name} {said}\n# TYPE {name} {kind}\n"
        pairs = ",".join(f'{key}="{_escaped(each)}"' for key, each in labels.items())
        self._samples.setdefault(name, []).append(f"{name}{{{pairs}}} {value!r}\n" if pairs else f"{name} {value!r}\n")

    def text(self) -> str:
        return "".join(head + "".join(self._samples[name]) for name, head in self._heads.items())


def _escaped(value: str) -> str:
    """A label's value; whatever is no UTF-8 would make the collector drop the whole file."""
    plain = value.encode(errors="replace").decode()
    return plain.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def figures_of(brief: Mapping[str, Any] | None, load: Load | None, unit: str, time_scale: float) -> Figures:
    """`brief` as it is kept beside the unit: its JSON. What is not in it as expected is not known."""
    from sgfleet.agent.budget import PATIENCE, start_budget

    promise = brief.get("promise") if brief else None
    promise = promise if isinstance(promise, dict) else {}
    tokens = promise.get("kv_tokens")
    declared = brief.get("budget_seconds") if brief else None
    last = load.seconds if load else None
    budget = start_budget(promise.get("weight_bytes"), last, declared, PATIENCE.scaled(time_scale))
    return Figures(
        load if load is not None and load.unit == unit else None,
        budget.seconds,
        tokens.get("count") if isinstance(tokens, dict) else None,
        promise.get("host_pool_bytes"),
    )


def write(path: Path, content: str) -> None:
    """Replace the file, where it is not the same already; node_exporter reads it as another user.

    Raises:
        OSError: it could not be written.
    """
    from sgfleet.agent import durable

    new = content.encode()
    with contextlib.suppress(OSError):
        if path.read_bytes() == new:
            return
    durable.write(path, new, MODE)
