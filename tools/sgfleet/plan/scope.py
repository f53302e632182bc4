"""Which hosts can differ between two trees, from the paths that differ: everything else need not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.spec.fleet_spec import PATH as FLEET

if TYPE_CHECKING:
    from collections.abc import Iterable

WATCHED: Final = ("hosts", "units", "schema", FLEET, "fleet.yml")
"""What a tree is read from; nothing outside of it can change a host."""

_OF_HOSTS: Final = ("hosts", "units")
_FORMATS: Final = "schema/"
_DATA: Final = ("schema/sglang/", "schema/models/")


class Scope(NamedTuple):
    """`hosts` are those with files of their own that differ; `causes` are files that may move every host.

    `formats`: schemas for editors differ. `library`: flag schemas or models do.
    """

    files: int
    hosts: frozenset[str]
    causes: tuple[str, ...]
    formats: bool
    library: bool

    @property
    def everything(self) -> bool:
        """Whether every host has to be looked at."""
        return bool(self.causes)


def scope_of(paths: Iterable[str]) -> Scope:
    """What the paths that differ can move."""
    hosts, causes, formats, library, files = set[str](), [], False, False, 0
    for path in sorted(set(paths)):
        files += 1
        parts = path.split("/")
        if parts[0] in _OF_HOSTS and len(parts) > 1:
            hosts.add(parts[1])
        elif path in {FLEET, "fleet.yml", *_OF_HOSTS}:
            causes.append(path)
        elif f"{path}/".startswith(_DATA) or f"{path}/" == _FORMATS:  # a folder itself: a link, a submodule
            causes.append(path)
            library = True
        elif path.startswith(_FORMATS):
            formats = True
    return Scope(files, frozenset(hosts), tuple(causes), formats, library)
