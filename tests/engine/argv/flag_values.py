"""YAML values for flags, right and wrong, as hypothesis strategies."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from sgfleet.engine.argv.types import type_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    [
        "",
        " ",
        "-x",
        "--",
        "-",
        "--tp-size",
        "a=b",
        "-1",
        "-1.5",
        "None",
        "{}",
        "8k",
        "true",
        "-a b",
        "=",
        "--x=y",
        "nan",
    ]
)
INTEGER = st.integers(-(10**6), 10**6) | st.integers()
NUMBER = INTEGER | st.floats(allow_nan=False)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
YAML = JSON | st.floats()
"""Anything that a flag's place in a YAML file may hold."""


def right(flag):
    """Values that a person would write for the flag."""
    if flag.nargs == 0:
        return st.booleans() | st.none()
    if flag.nargs in ("+", "*"):
        return st.lists(_item(flag), min_size=1 if flag.nargs == "+" else 0, max_size=4)
    return _item(flag) | (st.just(True) if flag.nargs == "?" else st.nothing())


def _item(flag):
    if flag.choices is not None:
        return st.sampled_from(flag.choices)
    if flag.action == "LoRAPathAction" and flag.semantics == "list":
        return TEXT | st.fixed_dictionaries({"lora_name": TEXT, "lora_path": TEXT}, optional={"pinned": st.booleans()})
    if flag.type == "parse_cuda_graph_config_arg":
        return st.fixed_dictionaries({}, optional={"decode": _PHASE, "prefill": _PHASE})
    if flag.type == "json_list_type":
        return st.lists(JSON, max_size=3) | st.lists(JSON, max_size=3).map(json.dumps)
    if flag.takes_json:
        return TEXT | st.dictionaries(TEXT, JSON, max_size=3)
    return _BY_SHAPE[type_of(flag).shape]


_PHASE = st.fixed_dictionaries({}, optional={"backend": st.just("full"), "max_bs": INTEGER, "bs": st.lists(INTEGER)})
_BY_SHAPE = {
    "text": TEXT,
    "nullable-text": TEXT,
    "integer": INTEGER,
    "number": NUMBER,
    "truth": st.booleans(),
    "readable-integer": INTEGER | st.sampled_from(["8k", "1Ki", "25.6k", "3T", "0Mi"]),
    "json": st.dictionaries(TEXT, JSON, max_size=3) | st.lists(JSON, max_size=3) | JSON.map(json.dumps),
}
