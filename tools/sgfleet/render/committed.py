"""What stands under units/: the committed units of each host, and what does not belong there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Finding, Place, Severity
from sgfleet.render.identity import PREFIX
from sgfleet.render.unit_reader import UnitSyntaxError, parse_unit
from sgfleet.source.problems import SourceError
from sgfleet.source.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sgfleet.source.tree import Entry, Tree

UNITS: Final = "units"
SUFFIX: Final = ".service"
WITHOUT_SPEC: Final = "RND004"
STRAY: Final = "RND006"


def committed_units(tree: Tree, host: str, findings: list[Finding]) -> dict[str, str] | None:
    """Service -> text of its unit. What cannot be read, and what is no unit, goes to `findings`.

    None where the folder itself is a link or cannot be listed: nothing may be written there either.

    A unit that is not UTF-8 keeps its bytes as surrogates: it differs from every rendered one, and that is told.
    """
    units = {}
    folder = f"{UNITS}/{host}"
    try:
        entries = tree.entries(folder)
    except SourceError as error:
        findings += error.findings
        return None
    for entry in entries:
        path = f"{folder}/{entry.name}"
        if entry.kind is Kind.FILE and entry.name.endswith(SUFFIX):
            try:
                units[entry.name.removesuffix(SUFFIX)] = tree.read(path).decode(errors="surrogateescape")
            except SourceError as error:
                findings += error.findings
        elif not _passed_over(entry):
            findings.append(_stray(path, entry, host))
    return units


def stray_folders(tree: Tree, hosts: Collection[str]) -> Iterator[Finding]:
    """What stands in units/ itself and belongs to no host; what to do about a folder depends on what it holds."""
    for entry in tree.entries(UNITS):
        path = f"{UNITS}/{entry.name}"
        if entry.kind is not Kind.FOLDER:
            if not _passed_over(entry):
                yield _stray(path, entry, None)
        elif entry.name not in hosts:
            message = f"there is no host {entry.name}: its units have no spec"
            yield Finding(WITHOUT_SPEC, Severity.ERROR, message, Place(path), entry.name, based_on=("hosts/",))


def orphaned(text: str, host: str) -> bool:
    """Whether a unit is one that we rendered for that host: only those are ours to remove."""
    try:
        return parse_unit(text).value("Unit", f"{PREFIX}Host") == host
    except UnitSyntaxError:
        return False


def _passed_over(entry: Entry) -> bool:
    """Notes and hidden files, as under hosts/."""
    return entry.kind is Kind.FILE and (entry.name.startswith(".") or entry.name.endswith(".md"))


def _stray(path: str, entry: Entry, host: str | None) -> Finding:
    what = "something that is neither file nor folder, and" if entry.kind is Kind.OTHER else f"a {entry.kind} that"
    message = f"{what} is no rendered unit"
    help_ = f"move it away: only <host>/<service>{SUFFIX} lies under {UNITS}/"
    return Finding(STRAY, Severity.ERROR, message, Place(path), host, help=help_)
