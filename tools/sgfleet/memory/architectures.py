"""Lists of architectures that releases keep in configs/model_config.py, by release."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from sgfleet.memory.era import Era, Rule

ListName = Literal[
    "prefill_graph_off", "multimodal_piecewise", "multimodal_breakable", "multimodal_off", "hybrid_sliding"
]
_FILE: Final = Path(__file__).with_name("architectures.json")
_FIRST: Final = Path(__file__).with_name("first_releases.json")
_SOURCE: Final = "configs/model_config.py"


@lru_cache(maxsize=1)
def _rules() -> dict[str, Rule[frozenset[str]]]:
    table = json.loads(_FILE.read_text(encoding="utf-8"))
    return {
        name: Rule(
            name, *[Era("0.4.0", frozenset[str](), _SOURCE), *(Era(at, frozenset(of), _SOURCE) for at, of in rows)]
        )
        for name, rows in table.items()
    }


def listed(name: ListName, release: str, architecture: str) -> bool:
    """Whether a release has the architecture in one of its lists."""
    return architecture in _rules()[name].at(release)


@lru_cache(maxsize=1)
def _first() -> dict[str, str]:
    table: dict[str, list[str]] = json.loads(_FIRST.read_text(encoding="utf-8"))
    return {architecture: release for release, architectures in table.items() for architecture in architectures}


def first_release(architecture: str) -> str | None:
    """The first release that has an implementation of its own for the architecture; None where none has."""
    return _first().get(architecture)
