"""All probes of a machine, in one order. The agent takes its live facts from here as well."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sgfleet.facts import checkpoints, environments, gpus, limits, memory, software
from sgfleet.facts.gpu import as_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sgfleet.facts.machine import Machine


@dataclass(slots=True)
class Probe:
    """What was read: `parts` as facts.yaml has them, `how` each was read, what stayed `unknown` and why.

    `unknown` has the name of a part, or of a key in it (`memory.available-bytes`), -> a reason. `problems` are GPUs
    that are there and cannot be used, `notes` whatever else a person should know.
    """

    parts: dict[str, Any] = field(default_factory=dict)
    how: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def looked_at(self) -> set[str]:
        """The parts that were probed, with or without success."""
        return {*self.how, *(name.partition(".")[0] for name in self.unknown)}


def probe(
    machine: Machine,
    *,
    pythons: Sequence[str] = (),
    models: Sequence[str] = (),
    root: Path | None = None,
    with_ids: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Probe:
    """Read the machine; a probe that fails is told in `unknown`.

    `pythons` are interpreters and `models` folders to look at; `root` is the repository, for the names of models.
    """
    found = Probe()
    progress("GPUs")
    reading = gpus.read(machine)
    found.notes += reading.notes
    if reading.gpus is not None:
        in_order = sorted(reading.gpus, key=lambda gpu: gpu.index)
        found.problems += [f"GPU {gpu.index}: {gpu.problem}" for gpu in in_order if gpu.problem]
        _take(found, "gpus", reading.how, ([as_facts(gpu, with_ids=with_ids) for gpu in in_order], reading.unknown))
    else:
        found.unknown |= reading.unknown
    progress("memory")
    _take(found, "memory", memory.HOW, memory.read(machine))
    _take(found, "numa", memory.NODES, memory.read_numa(machine))
    _take(found, "limits", limits.HOW, limits.read(machine))
    _take(found, "software", software.HOW, software.read(machine, reading.driver, reading.cuda))
    if pythons:
        progress("Python environments")
        _take(found, "environments", environments.HOW, environments.read(machine, pythons))
    if models:
        progress("model folders")
        _take(found, "checkpoints", checkpoints.HOW, checkpoints.read(models, root))
    return found


def _take(found: Probe, part: str, how: str, read: tuple[Any, dict[str, str]]) -> None:
    value, unknown = read
    found.unknown |= unknown
    if value is not None and part not in unknown:
        found.parts[part] = value
        found.how[part] = how
