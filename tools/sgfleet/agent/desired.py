"""A commit -> what this host shall run: rendered here from the spec, and held against what was committed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sgfleet.agent.brief import brief_of
from sgfleet.agent.limits import exceeded
from sgfleet.agent.reason import Reason
from sgfleet.agent.seen import Wanted
from sgfleet.findings import Severity
from sgfleet.fleet.damage import CODE as MODEL_DAMAGE
from sgfleet.fleet.memories import Memories
from sgfleet.fleet.units import host_units
from sgfleet.fleet.workspace import Workspace
from sgfleet.memory.of_host import Unknown
from sgfleet.render.identity import PREFIX, UNIT_FORMAT, unit_hash
from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sgfleet.agent.local import Local
    from sgfleet.findings import Finding
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.source.git_tree import GitTree
    from sgfleet.spec.host_spec import HostSpec


@dataclass(frozen=True, slots=True)
class DesiredUnit:
    """A unit that may be applied. `brief` is JSON: see `brief`."""

    text: str
    brief: dict[str, Any]


@dataclass(slots=True)
class Desired:
    """`wanted`: service -> what is wanted, the refused ones too. `units`: unit hash -> the unit.

    `trouble`: why nothing can be said of this host; then what runs is left alone.
    """

    wanted: dict[str, Wanted] = field(default_factory=dict)
    units: dict[str, DesiredUnit] = field(default_factory=dict)
    trouble: Reason | None = None


def read(tree: GitTree, state: Path, local: Local) -> Desired:
    """What a commit asks of the host. Nothing on the host is looked at.

    `state` is a folder that exists, for whoever needs a path; no file of the repository is below it.
    """
    workspace = Workspace(state, tree, tree)
    if not workspace.repository.listed:
        return Desired(trouble=_first(workspace.repository.findings, "hosts/ cannot be read"))
    if local.host not in workspace.repository.host_names:
        text = f"main has no folder hosts/{local.host}"
        return Desired(trouble=Reason("host-missing", text, "bring it back, or take the agent off this host"))
    spec = workspace.repository.host(local.host)
    errors = [each for each in spec.findings if each.severity is Severity.ERROR]
    if spec.document is None or any(each.service is None for each in errors):
        return Desired(trouble=_first([each for each in errors if each.service is None], "the host's spec is unusable"))
    desired = Desired()
    units = host_units(workspace, spec)
    memories = Memories(workspace).of(spec)
    for name in sorted(units.rendered.known):
        errors = [*spec.findings, *units.rendered.findings]
        found = _unit(spec, name, units.committed.get(name), units.rendered.units.get(name), errors, local)
        if isinstance(found, Reason):
            desired.wanted[name] = Wanted(refusal=found)
            continue
        service = spec.services[name].service
        release = workspace.release(service.release)
        assert release is not None  # noqa: S101 - it could not have been rendered
        if (damaged := _model_damage(workspace, memories(), name)) is not None:
            desired.wanted[name] = Wanted(refusal=damaged)
            continue
        unit = unit_hash(found)
        desired.wanted[name] = Wanted(unit)
        desired.units[unit] = DesiredUnit(found, brief_of(name, service, release, memories(), spec.facts).encoded())
    return desired


def _unit(
    spec: HostSpec, name: str, committed: str | None, rendered: str | None, findings: list[Finding], local: Local
) -> str | Reason:
    """The text that may be applied, or why there is none."""
    path = f"units/{spec.name}/{name}.service"
    if rendered is None:
        mine = [each for each in findings if each.service == name and each.severity is Severity.ERROR]
        return _first(mine, f"{name} cannot be rendered")
    if committed is None:
        return Reason("not-committed", f"{path} is not in the repository", "sgfleet render, and commit it")
    if committed != rendered:
        return _differs(path, committed)
    service = spec.services[name].service
    port = service.flags.get("port")
    return exceeded(name, service, port if isinstance(port, int) else None, local.limits, local.scope) or rendered


def _model_damage(workspace: Workspace, memory: HostMemory, name: str) -> Reason | None:
    """Why nothing about the memory of a service can be checked, where that is for damaged facts of models: a model that
    nobody has added is no such case.
    """
    unknown = memory.budget(name)
    if not isinstance(unknown, Unknown) or unknown.what != "model":
        return None
    workspace.look_at_models()
    damaged = [each for each in workspace.damaged if each.code == MODEL_DAMAGE]
    return _first(damaged, "") if damaged else None


def _differs(path: str, committed: str) -> Reason:
    """A committed unit that is not what the spec renders to: by another tool, or by hand."""
    try:
        form = int(parse_unit(committed).value("Unit", f"{PREFIX}Format") or "")
    except (UnitSyntaxError, ValueError):
        form = UNIT_FORMAT
    if form > UNIT_FORMAT:
        text = f"{path} was rendered by a newer sgfleet (unit format {form}; this agent's is {UNIT_FORMAT})"
        return Reason("newer-generator", text, "upgrade sgfleet on this host")
    if form < UNIT_FORMAT:
        text = f"{path} was rendered by an older sgfleet (unit format {form}; this agent's is {UNIT_FORMAT})"
        return Reason("older-generator", text, "sgfleet render, and commit what it writes")
    help_ = "sgfleet render, and commit what it writes; if that changes nothing, this host has another sgfleet"
    return Reason("unit-differs", f"{path} is not what the spec renders to", help_)


def _first(findings: Iterable[Finding], otherwise: str) -> Reason:
    """The first error as a reason."""
    for each in findings:
        return Reason("spec", f"{each.place.path}:{each.place.line or 1}: {each.message} [{each.code}]", each.help)
    return Reason("spec", otherwise)
