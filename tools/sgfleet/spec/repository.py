"""A repository as a whole: fleet.yaml, the hosts by name, and each host's files, one host at a time.

Everything that can be wrong with the layout is a finding; nothing that is below hosts/ is passed over in silence, but
notes (`*.md`) and hidden files; a hidden folder is said.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sgfleet.findings import Finding, Place, Severity
from sgfleet.source import problems as source
from sgfleet.source.problems import SourceError
from sgfleet.source.tree import Kind, read_document
from sgfleet.spec.fleet_spec import PATH as FLEET
from sgfleet.spec.fleet_spec import FleetSpec, read_fleet
from sgfleet.spec.host_spec import HostSpec, name_gpus, read_facts, read_host
from sgfleet.spec.names import HOST_NAME_PATTERN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sgfleet.source.tree import Entry, Tree

HOSTS: Final = "hosts"
HOST_FILE: Final = "host.yaml"
FACTS_FILE: Final = "facts.yaml"

_HOST_NAME: Final = re.compile(HOST_NAME_PATTERN)

NO_HOSTS, NO_HOST_FILE, HOST_NAME, STRAY, SAME_BUT_CASE = "SPC010", "SPC011", "SPC012", "SPC014", "SPC015"

_UNLISTED: Final = frozenset({source.UNREADABLE, source.SYMLINK, source.NO_REGULAR_FILE, source.TOO_LARGE})
"""What stands at hosts/ itself where it cannot be listed."""


def no_names(_release: str) -> Mapping[str, str]:
    """For when no release's flags are known: every name stands for itself."""
    return {}


class Repository:
    """Reads a tree. `names_of` gives, for a release, the names of its flags that have several: any name -> the one by
    which all of them are compared.
    """

    def __init__(self, tree: Tree, names_of: Callable[[str], Mapping[str, str]] = no_names) -> None:
        self.tree = tree
        self._names_of = names_of
        self._names: dict[str, Mapping[str, str]] = {}

    @cached_property
    def fleet(self) -> FleetSpec:
        """fleet.yaml, or what holds without one."""
        try:
            entries = {entry.name for entry in self.tree.entries("")}
            if FLEET in entries:
                return read_fleet(read_document(self.tree, FLEET))
        except SourceError as error:
            return FleetSpec(findings=list(error.findings), sound=False)
        if "fleet.yml" in entries:
            return FleetSpec(findings=[_stray("fleet.yml", f"rename it to {FLEET}")])
        return FleetSpec()

    @cached_property
    def _layout(self) -> tuple[tuple[str, ...], list[Finding]]:
        try:
            entries = self.tree.entries(HOSTS)
        except SourceError as error:
            return (), list(error.findings)
        folders = {entry.name for entry in entries if entry.kind is Kind.FOLDER}
        names, findings = [], []
        for entry in entries:
            if entry.kind is Kind.FOLDER and not entry.name.startswith("."):
                if finding := _name_finding(entry.name, folders):
                    findings.append(finding)
                else:
                    names.append(entry.name)
            elif finding := _entry_finding(HOSTS, entry, f"a host is a folder with a {HOST_FILE} in it"):
                findings.append(finding)
        if not folders:
            there = "holds no folder of a host" if entries else "is missing or empty"
            help_ = f"write {HOSTS}/<host>/{HOST_FILE}"
            findings.append(Finding(NO_HOSTS, Severity.ERROR, f"{HOSTS}/ {there}", Place(HOSTS), help=help_))
        return tuple(names), findings

    @property
    def host_names(self) -> tuple[str, ...]:
        """The hosts, by name: the folders of hosts/ that are named like one."""
        return self._layout[0]

    @property
    def listed(self) -> bool:
        """Whether which hosts there are is known. Where hosts/ cannot be listed, that it has no host means nothing."""
        return not any(each.code in _UNLISTED and each.place.path == HOSTS for each in self._layout[1])

    @property
    def findings(self) -> list[Finding]:
        """What is wrong with fleet.yaml and with hosts/ as a whole."""
        return [*self.fleet.findings, *self._layout[1]]

    def hosts(self, names: Iterable[str] | None = None) -> Iterator[HostSpec]:
        """The hosts that are named, all of them without names, one at a time: none is kept."""
        for name in self.host_names if names is None else names:
            yield self.host(name)

    def host(self, name: str) -> HostSpec:
        """Read one host."""
        spec = HostSpec(name)
        folder = f"{HOSTS}/{name}"
        try:
            entries = self.tree.entries(folder)
        except SourceError as error:
            spec.findings += _of_host(error, name)
            return spec
        there = {entry.name for entry in entries}
        for entry in entries:
            if entry.name not in {HOST_FILE, FACTS_FILE} and (finding := self._stray(spec, entry, there)):
                spec.findings.append(finding)
        if HOST_FILE in there:
            try:
                read_host(spec, read_document(self.tree, f"{folder}/{HOST_FILE}"), self.fleet, self._names_for)
            except SourceError as error:
                spec.findings += _of_host(error, name)
        else:
            message = f"{folder}/ has no {HOST_FILE}"
            help_ = "rename host.yml" if "host.yml" in there else f"write {folder}/{HOST_FILE}, or remove the folder"
            place = Place(f"{folder}/{HOST_FILE}")
            spec.findings.append(Finding(NO_HOST_FILE, Severity.ERROR, message, place, name, help=help_))
        if FACTS_FILE in there:
            spec.has_facts_file = True
            try:
                read_facts(spec, read_document(self.tree, f"{folder}/{FACTS_FILE}"))
                name_gpus(spec)
            except SourceError as error:
                spec.findings += _of_host(error, name)
        return spec

    def _names_for(self, release: str) -> Mapping[str, str]:
        if release not in self._names:
            self._names[release] = self._names_of(release)
        return self._names[release]

    def _stray(self, spec: HostSpec, entry: Entry, there: set[str]) -> Finding | None:
        if entry.name == "host.yml" and HOST_FILE not in there:
            return None  # the finding about the missing host.yaml says it
        known = {"host.yml": HOST_FILE, "facts.yml": FACTS_FILE}
        wanted = known.get(entry.name)
        help_ = f"rename it to {wanted}" if wanted else f"a host has {HOST_FILE} and {FACTS_FILE}; notes end in .md"
        return _entry_finding(f"{HOSTS}/{spec.name}", entry, help_, spec.name)


def _of_host(error: SourceError, host: str) -> list[Finding]:
    return [finding._replace(host=host) for finding in error.findings]


def _name_finding(name: str, folders: set[str]) -> Finding | None:
    """What is wrong with the name of a host's folder."""

    if _HOST_NAME.fullmatch(name):
        return None
    place = Place(f"{HOSTS}/{name}")
    if name.lower() != name and name.lower() in folders:
        message = f"{HOSTS}/{name} and {HOSTS}/{name.lower()} differ only by case"
        help_ = "remove one: many file systems take them for the same folder"
        return Finding(SAME_BUT_CASE, Severity.ERROR, message, place, help=help_)
    message = f"{name!r} is not a host name of lower-case letters, digits and dashes"
    wanted = "-".join(
        filter(None, "".join(each if each.isascii() and each.isalnum() else "-" for each in name.lower()).split("-"))
    )
    help_ = f"rename the folder to {HOSTS}/{wanted[:63]}" if wanted else "such as kimi-01"
    return Finding(HOST_NAME, Severity.ERROR, message, place, help=help_)


def _entry_finding(folder: str, entry: Entry, help_: str, host: str | None = None) -> Finding | None:
    """What an entry that nobody reads is doing there."""
    path = f"{folder}/{entry.name}"
    if entry.kind is Kind.SYMLINK:
        message = "a symbolic link, or a way through one"
        return Finding(source.SYMLINK, Severity.ERROR, message, Place(path), host, help="put the file itself here")
    if entry.kind is Kind.FOLDER and entry.name.startswith("."):
        message = f"{path}/ is a hidden folder, and nothing in it is read"
        help_ = "rename it if it was to be a host" if folder == HOSTS else "move it away"
        return Finding(STRAY, Severity.NOTE, message, Place(path), host, help=help_)
    if entry.name.startswith(".") or (entry.name.endswith(".md") and entry.kind is Kind.FILE):
        return None
    return _stray(path, help_, host)


def _stray(path: str, help_: str, host: str | None = None) -> Finding:
    return Finding(STRAY, Severity.WARNING, f"{path} is not read by anything", Place(path), host, help=help_)
