"""HOST, HOST/SERVICE and files, as they stand on a command line -> which hosts and services are meant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.cli.common import FindingsError, UsageError, near
from sgfleet.fleet.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sgfleet.findings import Finding
    from sgfleet.fleet.workspace import Workspace


def selected(workspace: Workspace, targets: Iterable[str]) -> Selection:
    """What is meant in a repository. Without any host `hosts` is empty, and there is nothing to look at.

    Raises:
        UsageError: no such host.
        FindingsError: which hosts there are cannot be told.
    """
    repository = workspace.repository
    if not repository.host_names and (wrong := grave(repository.findings)):
        raise FindingsError(wrong)
    return select(targets, repository.host_names, workspace.root)


def refuse_unlisted(workspace: Workspace) -> None:
    """Where which hosts there are cannot be told, a name is neither known nor unknown.

    Raises:
        FindingsError: so it is.
    """
    if not workspace.repository.listed:
        raise FindingsError(grave(workspace.repository.findings))


def grave(findings: Iterable[Finding]) -> list[Finding]:
    """The errors among findings. That there is no host is none here: it is nothing to check, exit code 3."""
    from sgfleet.findings import Severity
    from sgfleet.spec.repository import NO_HOSTS

    return [each for each in findings if each.severity is Severity.ERROR and each.code != NO_HOSTS]


def select(targets: Iterable[str], hosts: Collection[str], root: Path) -> Selection:
    """The hosts that are meant, all of them when nothing is named.

    A file or folder below hosts/ or units/ means its host; fleet.yaml and what is below schema/ mean every host. So
    the names that a Git hook passes can be passed on.

    Raises:
        UsageError: no such host; the message names those that come near.
    """
    selection = Selection()
    named = False
    for target in targets:
        named = True
        if not target.strip():  # an unset variable of a script must not mean everything
            raise UsageError("the name of a host is empty", "name a host, or give no name at all for all of them")
        host, _, service = target.partition("/")
        if host in hosts:
            selection.add(host, service or None)
        elif (inside := _inside(target, root)) is None:
            _unknown(target if host in {"", ".", ".."} else host, hosts)
        elif inside[:1] in {("fleet.yaml",), ("schema",)} or inside in {(), ("hosts",), ("units",)}:
            selection.everything = True
        elif inside[0] in {"hosts", "units"}:
            if inside[1] not in hosts:
                _unknown(inside[1], hosts)
            selection.add(inside[1])
        else:
            selection.ignored.append(target)
    if selection.everything or not named:
        selection.everything = True
        selection.hosts = dict.fromkeys(hosts)
    return selection


def check_services(selection: Selection, host: str, services: Collection[str]) -> None:
    """Hold the services that were named against those that the host has.

    Raises:
        UsageError: no such service.
    """
    for service in sorted(selection.hosts.get(host) or ()):
        if service not in services:
            hint = near(service, services) or f"{host} has {', '.join(sorted(services)) or 'no service'}"
            raise UsageError(f"{host} has no service {service!r}", hint)


def _unknown(host: str, hosts: Collection[str]) -> None:
    hint = near(host, hosts)
    if hint is None and hosts:
        shown = sorted(hosts)[:5]
        hint = f"there are {', '.join(shown)}{' and more' if len(hosts) > len(shown) else ''}"
    raise UsageError(f"there is no host {host!r}", hint)


def _inside(target: str, root: Path) -> tuple[str, ...] | None:
    """The parts of a path below the root, for a file or folder that is there; None for anything else."""
    path = Path(target)
    for candidate in (path, root / path):
        if candidate.exists():
            resolved = candidate.resolve()
            if resolved.is_relative_to(root):
                return resolved.relative_to(root).parts
    return None
