"""What the HTTP server of a release answers, and where: read from its wheel, kept in `schema/sglang/endpoints.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine import store
from sgfleet.engine import version as versions
from sgfleet.source import data_file
from sgfleet.source.data_file import DataFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FILE: Final = "endpoints.json"
FORMAT: Final = 1
_LARGEST_BYTES: Final = 2**20
_TRUE, _FALSE = frozenset({"true", "1", "yes", "y"}), frozenset({"false", "0", "no", "n"})


@dataclass(frozen=True, slots=True)
class Switch:
    """An environment variable that makes `paths` answer 200 without a look at the model, when it is `value`.

    `default` is the variable's where it is not set.
    """

    variable: str
    value: bool
    default: bool
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """How one health endpoint answers.

    `generates`: it lets the model make a token. `loading`: its status until the warm-up is over, None where the handler
    does not look at that. `timeout_variable` bounds how long it waits for the token, `timeout_seconds` is the default.
    """

    generates: bool
    loading: int | None = None
    timeout_variable: str | None = None
    timeout_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Info:
    """Names of realised figures in the answer of the info endpoint.

    `fields` stand at the top, beside every setting of the server. `states` says where the scheduler's own are: "none",
    "flat" (at the top too), or "list" (`internal_states`, one for each data-parallel rank). `state_fields` and `memory`
    (in `memory_usage`) are theirs.
    """

    fields: tuple[str, ...]
    states: str = "none"
    state_fields: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The HTTP surface of one release, as far as anybody here asks it. `methods`: path -> methods, in upper case."""

    version: str
    methods: Mapping[str, tuple[str, ...]]
    health: Mapping[str, Health]
    info: Info
    switches: tuple[Switch, ...] = field(default=())

    def has(self, path: str) -> bool:
        """Whether the release has the path."""
        return path in self.methods

    @property
    def info_path(self) -> str:
        """Where a server says what it is: settings and realised figures."""
        return "/server_info" if self.has("/server_info") else "/get_server_info"

    @property
    def model_path(self) -> str:
        """Where a server says what its model does."""
        return "/model_info" if self.has("/model_info") else "/get_model_info"

    @property
    def health_path(self) -> str:
        """The health endpoint that lets the model make a token."""
        return "/health" if self.health["/health"].generates else "/health_generate"

    def is_static(self, path: str, environment: Mapping[str, str]) -> bool:
        """Whether a health endpoint says nothing of the model, under these variables of the service."""
        return not self.health[path].generates or any(
            path in switch.paths and _truth(environment.get(switch.variable), default=switch.default) is switch.value
            for switch in self.switches
        )


def _truth(text: str | None, *, default: bool) -> bool:
    """A variable as the releases read it: a word that is none counts as not set."""
    word = (text or "").lower()
    return True if word in _TRUE else False if word in _FALSE else default


class UnknownEndpointsError(LookupError):
    """Nothing is known of the endpoints of this release."""


def load(version: str, root: Path | None = None) -> Endpoints:
    """The endpoints of a release: of the repository at `root`, then of those that sgfleet was installed with.

    Raises:
        UnknownEndpointsError: no file has the release; the message says what adds it, or what is wrong with the file.
    """
    problem = ""
    for folder in store.folders(root):
        try:
            known = _read(folder / FILE)
        except EndpointsFormatError as error:
            problem = f"; {error}"
            continue
        if known is not None and version in known:
            return known[version]
    raise UnknownEndpointsError(
        f"the endpoints of SGLang {version} are not known{problem}; sgfleet schema add {version} adds them"
    )


class EndpointsFormatError(ValueError):
    """The text is no endpoints file that this version of sgfleet can read."""


def damage(folder: Path) -> DataFileError | None:
    """What is wrong with the file in a folder of schemas, if anything is."""
    path = folder / FILE
    try:
        _read(path)
    except EndpointsFormatError as error:
        return DataFileError(str(path), str(error).removeprefix(f"{path}: "))
    return None


def _read(path: Path) -> Mapping[str, Endpoints] | None:
    try:
        stamp = data_file.look(path)
    except DataFileError as error:
        raise EndpointsFormatError(f"{path}: {error}") from None
    return None if stamp is None else _cached(path, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=4)
def _cached(path: Path, _changed_ns: int, _size_bytes: int) -> Mapping[str, Endpoints]:
    try:
        return decode(data_file.read_bytes(path, _LARGEST_BYTES).decode())
    except UnicodeDecodeError as error:
        raise EndpointsFormatError(f"{path}: cannot be read: {error}") from None
    except (DataFileError, EndpointsFormatError) as error:
        raise EndpointsFormatError(f"{path}: {error}") from None


def decode(text: str) -> dict[str, Endpoints]:
    """Release -> endpoints, the oldest first.

    Raises:
        EndpointsFormatError: it is damaged, or of another format.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EndpointsFormatError(f"no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise EndpointsFormatError(f"not of format {FORMAT}")
    try:
        found = {
            version: _endpoints(version, entry) for entry in data["servers"] for version in map(str, entry["releases"])
        }
    except (TypeError, LookupError, ValueError, AttributeError) as error:
        raise EndpointsFormatError(f"damaged: {error}") from None
    return {version: found[version] for version in versions.in_order(found)}


def encode(known: Iterable[Endpoints]) -> str:
    """The text of the file: releases with the same server share an entry. Equal endpoints give equal bytes."""
    by_version = {each.version: each for each in known}
    shared: dict[str, list[str]] = {}
    for version in versions.in_order(by_version):
        shared.setdefault(_text(_entry(by_version[version])), []).append(version)
    lines = [f'{{"releases": {json.dumps(releases)},\n{entry[1:]}' for entry, releases in shared.items()]
    return f'{{"format": {FORMAT},\n"servers": [\n' + ",\n".join(lines) + "\n]}\n"


def write(folder: Path, new: Iterable[Endpoints]) -> bool:
    """Put releases into the file of a folder of schemas (atomically). Returns whether it changed.

    Raises:
        EndpointsFormatError: the file that is there cannot be read.
        OSError: it cannot be written.
    """
    path = folder / FILE
    try:
        before = data_file.read_bytes(path, _LARGEST_BYTES).decode() if data_file.look(path) is not None else None
    except (DataFileError, UnicodeDecodeError) as error:
        raise EndpointsFormatError(f"cannot be read: {error}") from None
    known = decode(before) if before is not None else {}
    known.update((each.version, each) for each in new)
    text = encode(known.values())
    if text == before:
        return False
    fresh = folder / f".{FILE}.new"
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
    return True


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _entry(endpoints: Endpoints) -> dict[str, Any]:
    return {
        "methods": {path: list(endpoints.methods[path]) for path in sorted(endpoints.methods)},
        "health": {path: _present(_fields(endpoints.health[path])) for path in sorted(endpoints.health)},
        "switches": [_fields(each) for each in endpoints.switches],
        "info": _fields(endpoints.info),
    }


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _endpoints(version: str, entry: dict[str, Any]) -> Endpoints:
    info = entry["info"]
    found = Endpoints(
        version,
        {path: tuple(methods) for path, methods in entry["methods"].items()},
        {path: Health(**health) for path, health in entry["health"].items()},
        Info(tuple(info["fields"]), info["states"], tuple(info["state_fields"]), tuple(info["memory"])),
        tuple(
            Switch(each["variable"], each["value"], each["default"], tuple(each["paths"])) for each in entry["switches"]
        ),
    )
    if not versions.is_release(version) or not {"/health", "/health_generate"} <= found.health.keys():
        raise ValueError(f"{version!r} is no release, or lacks its health endpoints")
    return found
