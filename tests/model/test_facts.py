"""Facts files: the same model gives the same bytes, what is written is read back, and damage gives a message."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import samples
from sgfleet.model import store
from sgfleet.model.describe import describe, describe_config
from sgfleet.model.facts import NAME, Facts, read_facts, write_facts
from sgfleet.model.layer import Attention, Layer, Mlp
from sgfleet.model.parallel import Parallel
from sgfleet.model.problem import ModelError
from sgfleet.model.weights import weight_bytes

if TYPE_CHECKING:
    from pathlib import Path

COMMITTED = store.files()
KIMI = (COMMITTED["moonshotai--Kimi-K2.5"]).read_text()


def test_every_committed_file_is_as_it_would_be_written() -> None:
    assert len(COMMITTED) >= 89
    for stem, path in COMMITTED.items():
        facts = store.read(path)
        assert write_facts(facts) == path.read_text(), path
        assert store.file_name(facts.name) == f"{stem}.json"
        assert NAME.fullmatch(facts.name)


@pytest.mark.parametrize("name", samples.NAMES)
def test_what_is_written_is_read_back(name: str) -> None:
    shape = samples.shape(name)
    facts = Facts("org/name", "config.json of org/name", shape, paths=("/models/a",))
    back = read_facts(write_facts(facts), "f")
    assert back._replace(shape=replace(back.shape, source=shape.source)) == facts
    assert (back.shape.source.kind, back.shape.source.name) == ("facts", "org/name")


def test_exact_weights_are_read_back(tmp_path: Path) -> None:
    facts = describe(samples.write_checkpoint(tmp_path, samples.SMALL_MOE), name="a/b")
    back = read_facts(write_facts(facts), "f")
    assert facts.pieces is not None
    assert back.pieces is not None
    assert set(back.pieces) == set(facts.pieces)
    assert back.paths == (str(tmp_path),)
    for parallel in (Parallel(), Parallel(tp=2, pp=2), Parallel(tp=4, ep=4)):
        again, first = (weight_bytes(one.shape, parallel, one.pieces) for one in (back, facts))
        assert again.stages == first.stages


def test_a_model_with_more_kinds_of_layers_than_letters() -> None:
    shape = replace(
        samples.made(samples.SMALL_LLAMA),
        layers=tuple(Layer(Attention(8, 2, 8, 8), Mlp(64 + index)) for index in range(100)),
    )
    back = read_facts(write_facts(Facts("a/b", "x", shape)), "f")
    assert back.shape.layers == shape.layers


def test_the_same_model_gives_the_same_bytes() -> None:
    text = samples.text("moonshotai--Kimi-K2.5")
    again = json.dumps(dict(reversed(json.loads(text).items())))
    first, second = (write_facts(describe_config(each, name="moonshotai/Kimi-K2.5")) for each in (text, again))
    assert first == second == KIMI


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format is not 1"),
        ({"model": "../x"}, "not a name"),
        ({"model": "a/b/c"}, "not a name"),
        ({"source": 7}, "not a name"),
        ({"paths": "x"}, "paths is not a list of folders"),
        ({"layers": "AZ"}, "not a word of the letters"),
        ({"layers": ""}, "a model has layers"),
        ({"layers": 61}, "not a word of the letters"),
        ({"layer_kinds": []}, "not a mapping of letters"),
        ({"layer_kinds": {"A": {"future": {}}, "B": {}}}, "a layer has no 'future'"),
        ({"layer_kinds": {"A": {"latent": {}}, "B": {}}}, "LatentAttention lacks heads"),
        ({"layer_kinds": {"A": {"dense": {"intermediate_size": "x"}}, "B": {}}}, "not a whole number"),
        ({"hidden_size": None}, "not a whole number"),
        ({"hidden_size": 2**61}, "not a whole number"),
        ({"tied_embeddings": 1}, "not true or false"),
        ({"embedding": "some"}, "embedding is 'some'"),
        ({"future": 1}, "has no 'future'"),
        ({"quantisation": {"method": "x", "parts": []}}, "parts is not a mapping"),
        ({"weights": []}, "weights is not a mapping"),
        ({"weights": {"layers": "A", "layer_kinds": {"A": [1]}}}, "something else than"),
        ({"weights": {"layers": "A", "layer_kinds": {"A": [["half", 1, 0]]}}}, "spread is 'half'"),
        ({"weights": {"layers": "A" * 62, "layer_kinds": {"A": []}}}, "more layers than the model"),
    ],
)
def test_damage_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as raised:
        read_facts(json.dumps({**json.loads(KIMI), **change}), "schema/models/x.json")
    assert message in raised.value.message
    assert raised.value.file == "schema/models/x.json"
    assert "sgfleet model add" in raised.value.help


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "7"])
def test_what_is_no_facts_file_is_said(text: str) -> None:
    with pytest.raises(ModelError):
        read_facts(text, "f")


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2**70), st.floats(), st.text(max_size=4)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_damage_gives_facts_or_a_message(data: st.DataObject) -> None:
    document = json.loads(KIMI)
    section: Any = document
    while isinstance(section, dict) and section and data.draw(st.booleans()):
        inner = [value for value in section.values() if isinstance(value, dict) and value]
        if not inner:
            break
        section = data.draw(st.sampled_from(inner))
    section[data.draw(st.sampled_from([*section, "other"]))] = data.draw(VALUES)
    with contextlib.suppress(ModelError):
        facts = read_facts(json.dumps(document), "f")
        weight_bytes(facts.shape, Parallel(tp=8))
