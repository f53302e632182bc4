"""What is kept of earlier renderings changes no byte of a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.hosts import rendered, write_host
from sgfleet.engine import store
from sgfleet.render import bodies
from sgfleet.render.unit import Body
from sgfleet.spec.models.service import Service

if TYPE_CHECKING:
    from pathlib import Path

HOST = """\
host: HOST
services:
  NAME:
    release: "0.5.9"
    python: /opt/sglang/bin/python3
    why: WHY
    flags:
      model-path: /srv/models/x
      mem-fraction-static: FRACTION
      json-model-override-args: {OVERRIDE}
"""
USUAL = {"HOST": "h", "NAME": "one", "WHY": "a try", "FRACTION": "0.8", "OVERRIDE": "a: 1, b: 2"}
OTHER = (
    {},
    {"HOST": "other"},
    {"NAME": "two"},
    {"WHY": "another"},
    {"FRACTION": "0.80"},
    {"FRACTION": "8e-1"},
    {"OVERRIDE": "b: 2, a: 1"},
    {"OVERRIDE": "a: 1.0, b: 2"},
    {"OVERRIDE": "a: true, b: 2"},
    {"OVERRIDE": "a: '1', b: 2"},
    {"OVERRIDE": "a: 1, b: null"},
)


def unit(root: Path, **changes: str) -> str:
    made, values = HOST, USUAL | changes
    for word, value in values.items():
        made = made.replace(word, value)
    write_host(root, made, values["HOST"])
    result = rendered(root, values["HOST"])
    assert not result.findings
    return result.units[values["NAME"]]


@pytest.mark.parametrize("changes", OTHER)
def test_a_unit_is_the_same_whatever_was_rendered_before(tmp_path: Path, changes: dict[str, str]) -> None:
    bodies._known.clear()
    wanted = unit(tmp_path / "fresh", **changes)
    bodies._known.clear()
    for number, before in enumerate(OTHER):
        unit(tmp_path / str(number), **before)
    assert unit(tmp_path / "again", **changes) == wanted


def test_hosts_that_are_alike_share_one_body(tmp_path: Path) -> None:
    bodies._known.clear()
    units = {unit(tmp_path / name, HOST=name) for name in ("a", "b", "c")}
    assert len(units) == 3
    assert len(bodies._known) == 1


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    for number in range(bodies.KEPT + 5):
        unit(tmp_path / str(number), WHY=f"reason {number}")
    assert len(bodies._known) <= bodies.KEPT


def service(value: object) -> Service:
    flags = {"model-path": "/m", "json-model-override-args": {"x": value}}
    return Service.model_validate({"release": "0.5.9", "python": "/p", "flags": flags})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
)


@given(VALUES, VALUES)
def test_values_that_are_told_apart_in_text_have_keys_of_their_own(one: object, other: object) -> None:
    if repr(one) != repr(other):
        assert bodies._key(service(one), {}) != bodies._key(service(other), {})


def test_releases_are_told_apart_by_themselves() -> None:
    release, twin = store.load("0.5.9"), store.load("0.5.9")
    bodies.keep_body(service(1), release, {}, Body("[Service]\n", "0"))
    assert bodies.kept_body(service(1), release, {}) == Body("[Service]\n", "0")
    assert twin is release or bodies.kept_body(service(1), twin, {}) is None
    assert bodies.kept_body(service(1), store.load("0.5.8"), {}) is None
    bodies._known.clear()
