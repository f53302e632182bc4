"""A release survives its file; a damaged file is an error with its line."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.engine import schema_file
from sgfleet.engine.flag import Deprecation, Flag
from sgfleet.engine.release import Origin, Release
from sgfleet.engine.yaml_value import value_schema

names = st.from_regex(r"[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,6}){0,2}", fullmatch=True)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
deprecations = st.none() | st.builds(
    Deprecation, st.sampled_from(["help", "warns", "ignored", "alias", "rejects"]), st.none() | st.text(min_size=1)
)


@st.composite
def flags(draw: st.DrawFn, name: str) -> Flag:
    aliases = [f"--{name}-{suffix}" for suffix in draw(st.lists(st.sampled_from("xyz"), unique=True, max_size=2))]
    kind = draw(st.sampled_from(["store", "store_true", "BooleanOptionalAction", "LoRAPathAction", "opaque"]))
    fields: dict[str, Any] = {
        "default": draw(scalars | st.lists(scalars, max_size=2)),
        "deprecation": draw(deprecations),
    }
    fields["metavar"] = draw(st.none() | st.text())
    fields["dest"] = draw(st.sampled_from([name.replace("-", "_"), "elsewhere"]))
    options = (f"--{name}", *aliases)
    if kind == "store_true":
        return Flag(options, action="store_true", nargs=0, const=True, **fields)
    if kind == "BooleanOptionalAction":
        return Flag((options[0], f"--no-{name}"), action=kind, nargs=0, **fields)
    if kind == "LoRAPathAction":
        return Flag(
            options, action=kind, nargs="*", type="str", semantics=draw(st.sampled_from(["list", "mapping"])), **fields
        )
    choices = draw(st.none() | st.lists(st.text() | st.integers(), min_size=1, unique=True).map(tuple))
    known = ["str", "int", "float", "bool", "json.loads", "json_list_type", "nullable_str", "human_readable_int", None]
    fields |= {
        "nargs": draw(st.sampled_from([None, "?", "*", "+", 2])),
        "const": draw(scalars),
        "type": draw(st.sampled_from(known)),
        "choices": choices,
        "required": draw(st.booleans()),
    }
    if kind == "opaque":
        return Flag(options, opaque=True, why_opaque=draw(st.text(min_size=1)), **(fields | {"type": "what"}))
    return Flag(options, **fields)


@st.composite
def releases(draw: st.DrawFn) -> Release:
    chosen = draw(st.lists(names, unique=True, max_size=5))
    return Release(
        "1.2.3.post4",
        tuple(draw(flags(name)) for name in chosen),
        requires_python=draw(st.none() | st.text()),
        config_parser=draw(st.none() | st.text()),
        environment={"VARIABLE": {"flag": ("a", "b")}} if draw(st.booleans()) else {},
        renamed={"a": "b"} if draw(st.booleans()) else {},
        origin=Origin("file.whl", "0" * 64, ("m",)) if draw(st.booleans()) else None,
    )


@given(releases())
def test_a_release_survives_its_file(release: Release) -> None:
    text = schema_file.encode(release)
    again = schema_file.decode(text, release.version)
    assert again == release
    assert repr(again) == repr(release)  # 1, 1.0 and True are three things
    assert schema_file.encode(again) == text


@given(releases())
def test_no_property_is_lost(release: Release) -> None:
    properties = json.loads(schema_file.encode(release))["properties"]
    assert list(properties) == [name for flag in release.flags for name in flag.names]


WHOLE = schema_file.encode(
    Release(
        "1.2.3",
        (Flag(("--a",), "a", type="int", default=1), Flag(("--b", "--c"), "b", deprecation=Deprecation("warns"))),
    )
)


@given(st.integers(0, len(WHOLE) - 3))
def test_a_truncated_file_names_its_last_line(length: int) -> None:
    with pytest.raises(schema_file.SchemaFormatError) as caught:
        schema_file.decode(WHOLE[:length], "1.2.3")
    assert caught.value.line <= WHOLE[:length].count("\n") + 1
    assert caught.value.line > 0


@given(st.integers(0, len(WHOLE) - 1), st.characters())
def test_a_changed_character_is_an_error_or_another_release(position: int, character: str) -> None:
    changed = WHOLE[:position] + character + WHOLE[position + 1 :]
    with contextlib.suppress(schema_file.SchemaFormatError):
        assert all(isinstance(flag, Flag) for flag in schema_file.decode(changed, "1.2.3").flags)


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ('"format": 1', '"format": 2', "format 2; this version of sgfleet reads format 1"),
        ('"release": "1.2.3"', '"release": "1.2.4"', "the schema of '1.2.4', not of '1.2.3'"),
        ('"x-sgfleet"', '"x-other"', "x-sgfleet or properties is missing"),
        ('"effect": "warns"', '"effect": "sings"', "'b' has a field of the wrong kind"),
        ('["--b", "--c"]', '["--z", "--c"]', "'b' has a field of the wrong kind"),
        ('["--b", "--c"]', "[1]", "damaged"),
        ('{"default": 1, "type": "int"}', "5", "damaged"),
        ('"type": "int"}', '"type": ["int"]}', "'a' has a field of the wrong kind"),
    ],
)
def test_a_file_that_was_tampered_with(change: str, to: str, message: str) -> None:
    assert change in WHOLE
    with pytest.raises(schema_file.SchemaFormatError, match=message.replace("(", r"\(")):
        schema_file.decode(WHOLE.replace(change, to), "1.2.3")


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{}", "[" * 100_000, '{"properties": {}}', '"\ud800"', "1" * 10_000]
)
def test_what_is_no_schema_at_all(text: str) -> None:
    with pytest.raises(schema_file.SchemaFormatError):
        schema_file.decode(text, "1.2.3")


def test_what_yaml_may_hold() -> None:
    def of(**fields: Any) -> dict[str, Any]:
        return value_schema(Flag(("--a",), "a", **fields))

    assert of(type="int") == {"type": ["integer", "null"]}
    assert of(type="str", choices=("x", "y")) == {"enum": ["x", "y", None]}
    assert of(action="store_true", nargs=0) == {"type": ["boolean", "null"]}
    assert of(type="int", nargs="+") == {"items": {"type": "integer"}, "minItems": 1, "type": ["array", "null"]}
    assert of(type="float", nargs=2)["maxItems"] == 2
    assert of(type="float", nargs="?", const=0.5) == {"anyOf": [{"type": ["number", "null"]}, {"const": True}]}
    assert of(opaque=True) == {}
    assert of(type="str", takes_json=True)["type"] == ["object", "string", "null"]
