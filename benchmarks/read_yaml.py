"""Reading YAML: ours beside PyYAML's loaders on the same texts in the same run, in one process.

    python benchmarks/read_yaml.py [DOCUMENTS]

Each text is a shipped host's under another name. The ratios are what travels; the best of three rounds counts.
"""

from __future__ import annotations

import gc
import sys
import time
from typing import TYPE_CHECKING, Any

import yaml
from fleet import ROOT

from sgfleet.source.edit import replace
from sgfleet.source.read import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 3


def texts(documents: int) -> list[bytes]:
    sources = [path.read_bytes() for path in sorted(ROOT.glob("hosts/*/host.yaml"))]
    return [sources[number % len(sources)].replace(b"host: ", b"host: h%d-" % number, 1) for number in range(documents)]


def places(raw: bytes) -> None:
    """Read, and ask for the place of every value."""
    document = read_text(raw, "host.yaml")
    pending: list[tuple[Any, tuple[str | int, ...]]] = [(document.data, ())]
    while pending:
        value, route = pending.pop()
        document.place(route)
        if isinstance(value, dict):
            pending += [(each, (*route, key)) for key, each in value.items()]
        elif isinstance(value, list):
            pending += [(each, (*route, number)) for number, each in enumerate(value)]


def edit(raw: bytes) -> None:
    """Read, change one value, and read again."""
    document = read_text(raw, "host.yaml")
    service = next(iter(document.data["services"]))
    replace(document, ("services", service, "flags", "port"), 31000)


def compose(raw: bytes) -> None:
    """Nodes with marks, and no data."""
    loader = yaml.CBaseLoader(raw)
    loader.get_single_node()
    loader.dispose()


WAYS: dict[str, Callable[[bytes], Any]] = {
    "sgfleet: data": lambda raw: read_text(raw, "host.yaml"),
    "sgfleet: data and the place of every value": places,
    "sgfleet: one edit, verified": edit,
    "PyYAML: CBaseLoader, nodes only": compose,
    "PyYAML: CSafeLoader, data without places": lambda raw: yaml.load(raw, Loader=yaml.CSafeLoader),
}


def main(documents: int) -> None:
    gc.set_threshold(100_000)  # as the command does
    corpus = texts(documents)
    lines = sum(raw.count(b"\n") for raw in corpus) / documents
    print(f"{documents:,} documents of {lines:.0f} lines on average")
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(ROUNDS):
        for name, way in WAYS.items():
            start = time.perf_counter()
            for raw in corpus:
                way(raw)
            best[name] = min(best[name], time.perf_counter() - start)
    ours = best["sgfleet: data"]
    for name, seconds in best.items():
        print(f"{name:<46}{seconds:>8.2f} s{seconds / documents * 1e6:>8.0f} us each{seconds / ours:>8.2f} x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
