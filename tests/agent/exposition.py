"""Reads Prometheus' text format as strictly as the format is: what it does not take, a collector drops whole.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
SAMPLE = re.compile(r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<labels>.*)\})? (?P<value>\S+)")
LABEL = re.compile(r'(?P<name>[a-zA-Z_][a-zA-Z0-9_]*)="(?P<value>(?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
VALUE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?")
ESCAPES = {r"\"": '"', r"\\": "\\", r"\n": "\n"}
KINDS = {"counter", "gauge"}

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(text: str) -> Samples:
    """Every sample of a text; AssertionError says what is wrong with it."""
    assert text.endswith("\n")
    text.encode()
    samples: Samples = {}
    family, kind, helped, done = "", "", "", set()
    for line in text[:-1].split("\n"):
        assert line
        if line.startswith("# HELP "):
            helped = line.split(" ", 3)[2]
            assert NAME.fullmatch(helped)
            continue
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            assert family == helped, f"{family} has no HELP"
            assert kind in KINDS
            assert family not in done, f"{family} stands apart"
            done.add(family)
            continue
        found = SAMPLE.fullmatch(line)
        assert found, line
        assert found["name"] == family, f"{found['name']} stands below {family}"
        assert (kind == "counter") == family.endswith("_total")
        assert VALUE.fullmatch(found["value"]), line
        key = (family, labels(found["labels"] or ""))
        assert key not in samples, f"{line} stands twice"
        samples[key] = float(found["value"])
    return samples


def labels(text: str) -> tuple[tuple[str, str], ...]:
    found, position = [], 0
    while position < len(text):
        match = LABEL.match(text, position)
        assert match, text
        value = re.sub(r"\\.", lambda escape: ESCAPES[escape[0]], match["value"])
        found.append((match["name"], value))
        position = match.end()
    assert len({name for name, _ in found}) == len(found)
    return tuple(found)


def of(samples: Samples, name: str, **wanted: str) -> list[float]:
    """The values of a family whose labels have these values."""
    return [value for (family, has), value in samples.items() if family == name and wanted.items() <= dict(has).items()]
