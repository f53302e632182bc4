"""Runs inside the oracle's own environment: JSON lines, each a text, answered by what orjson makes of the text."""

from __future__ import annotations

import json
import sys

import orjson

sys.setrecursionlimit(10_000)  # for the repr of what is nested deeply


def answer(text):
    """The value as Python text, or null."""
    try:
        return repr(orjson.loads(text))
    except ValueError:
        return None


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
