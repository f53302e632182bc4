"""Which release has which option: from the committed schemas, kept in one small index beside them.

`schema/sglang/index.json` is derived data: `index_of` computes it, `sgfleet schema add` writes it, a test holds it
against the schemas. It spares reading 92 files to say that an option came with 0.5.10.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine import store
from sgfleet.source import data_file
from sgfleet.source.data_file import DataFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sgfleet.engine.release import Release

FILE: Final = "index.json"
_LARGEST_BYTES: Final = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Span:
    """An unbroken run of releases that have an option."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Past:
    """When an option was there, the oldest span first, and what the last release that deprecated it names instead."""

    spans: tuple[Span, ...]
    instead: str | None = None


def index_of(releases: Iterable[Release]) -> str:
    """The text of the index for these releases, the oldest first. Equal releases give equal bytes."""
    ordered = list(releases)
    spans: dict[str, list[list[str]]] = {}
    instead: dict[str, str] = {}
    before: str | None = None
    for release in ordered:
        for flag in release.flags:
            for option in flag.options:
                runs = spans.setdefault(option, [])
                if runs and runs[-1][1] == before:
                    runs[-1][1] = release.version
                else:
                    runs.append([release.version, release.version])
                if flag.deprecation is not None and flag.deprecation.instead is not None:
                    instead[option] = flag.deprecation.instead
        before = release.version
    lines = [
        f"{json.dumps(option)}: {json.dumps(_entry(spans[option], instead.get(option)))}" for option in sorted(spans)
    ]
    head = f'"releases": {json.dumps([release.version for release in ordered])},\n"options": {{\n'
    return "{\n" + head + ",\n".join(lines) + "\n}\n}\n"


def _entry(runs: list[list[str]], instead: str | None) -> dict[str, Any]:
    return {"in": runs} if instead is None else {"in": runs, "instead": instead}


def write(folder: Path) -> None:
    """Write the index of the schemas in a folder beside them (atomically)."""
    root = folder.parents[1]
    text = index_of(store.load(version, root) for version in store.available(root))
    fresh = folder / f"{FILE}.new"
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(folder / FILE)


@lru_cache(maxsize=4)
def history(root: Path | None = None) -> Mapping[str, Past]:
    """Option string -> its past; empty where there is no index."""
    for folder in store.folders(root):
        try:
            return _read(folder / FILE)
        except DataFileError:
            continue
    return {}


def damage(folder: Path) -> DataFileError | None:
    """What is wrong with the index in a folder of schemas, if anything is."""
    path = folder / FILE
    try:
        if data_file.look(path) is not None:
            _read(path)
    except DataFileError as error:
        return error
    return None


def _read(path: Path) -> dict[str, Past]:
    try:
        data = json.loads(data_file.read_bytes(path, _LARGEST_BYTES))
        return {
            option: Past(tuple(Span(first, last) for first, last in entry["in"]), entry.get("instead"))
            for option, entry in data["options"].items()
        }
    except json.JSONDecodeError as error:
        raise DataFileError(str(path), f"no JSON: {error}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise DataFileError(str(path), f"not what sgfleet writes: {type(error).__name__}") from None
