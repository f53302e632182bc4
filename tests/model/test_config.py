"""A config.json gives a shape, or a message that names what is wrong with it: nothing else."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import samples
from sgfleet.findings import Place, Severity
from sgfleet.model.config import LARGEST, Section, read_config
from sgfleet.model.problem import ModelError
from sgfleet.model.read import read_shape
from sgfleet.model.shape import Source

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(), st.text(max_size=8))
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def shape_of(text: str) -> object:
    return read_shape(read_config(text), Source("config", "x"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("[1]", "is not a JSON object but [1]"),
        ("{}", "has no architectures"),
        ('{"architectures": []}', "has no architectures"),
        ('{"architectures": 7}', "architectures is not a list of strings"),
        ("[" * 100_000, "is not JSON: nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "is not JSON"),
    ],
)
def test_what_is_no_configuration_is_said(text: str, message: str) -> None:
    with pytest.raises(ModelError) as raised:
        shape_of(text)
    assert message in raised.value.message
    assert raised.value.help


@pytest.mark.parametrize("field", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"])
def test_a_missing_field_is_named_with_the_command_that_writes_facts(field: str) -> None:
    config = {name: value for name, value in samples.SMALL_LLAMA.items() if name != field}
    with pytest.raises(ModelError, match=f"has no {field}") as raised:
        samples.made(config)
    assert "sgfleet model add" in raised.value.help


@pytest.mark.parametrize("value", ["64", -1, 1.5, True, 2**50, [], {}])
def test_a_field_of_the_wrong_kind_is_named_with_its_value(value: object) -> None:
    with pytest.raises(ModelError, match=r"hidden_size is .*, not a whole number of at least 0"):
        samples.made({**samples.SMALL_LLAMA, "hidden_size": value})


def test_a_field_in_a_nested_section_is_named_with_the_section() -> None:
    config = samples.values("Qwen--Qwen3-VL-8B-Instruct")
    del config["text_config"]["num_attention_heads"]
    with pytest.raises(ModelError, match=r"has no num_attention_heads .*, in text_config"):
        samples.made(config)


def test_a_list_that_is_too_short_says_both_numbers() -> None:
    config = samples.values("openai--gpt-oss-20b")
    config["layer_types"] = config["layer_types"][:5]
    with pytest.raises(ModelError, match="has 5 entries in layer_types for 24 layers"):
        samples.made(config)


def test_a_problem_becomes_a_finding_at_the_place_that_named_the_model() -> None:
    with pytest.raises(ModelError) as raised:
        shape_of('{"architectures": ["X"]}')
    place = Place("hosts/a/host.yaml", 4, 7)
    finding = raised.value.finding(place, host="a", service="s")
    assert (finding.severity, finding.place, finding.host, finding.service) == (Severity.ERROR, place, "a", "s")
    assert finding.message.startswith("config.json: has no num_hidden_layers")
    assert finding.help


@given(st.dictionaries(st.sampled_from([*samples.SMALL_MOE, "layer_types", "rope_scaling", "sliding_window"]), JSON))
@settings(max_examples=150, deadline=None)
def test_any_values_give_a_shape_or_a_message(changed: dict[str, object]) -> None:
    with contextlib.suppress(ModelError):
        assert samples.made({**samples.SMALL_MOE, **changed}).layers


@pytest.mark.parametrize("name", samples.NAMES)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_any_damage_to_a_real_configuration_gives_a_shape_or_a_message(name: str, data: st.DataObject) -> None:
    config = samples.values(name)
    section = data.draw(st.sampled_from([config, *(value for value in config.values() if isinstance(value, dict))]))
    if section:
        field = data.draw(st.sampled_from(sorted(section)))
        section[field] = data.draw(JSON)
    with contextlib.suppress(ModelError):
        assert samples.made(config).layers


@pytest.mark.parametrize("name", samples.NAMES)
def test_any_number_as_large_as_numbers_may_be_gives_a_shape_or_a_message(name: str) -> None:
    """What has an entry for each of a number of things is built only for as many as a model can have."""
    config = samples.values(name)
    config.pop("quantization_config", None)  # long, and without counts
    for section in [config, *(value for value in config.values() if isinstance(value, dict))]:
        for field, value in list(section.items()):
            if isinstance(value, int) and not isinstance(value, bool):
                section[field] = LARGEST
                with contextlib.suppress(ModelError):
                    assert samples.made(config).layers
                section[field] = value


def test_the_first_name_that_is_there_counts() -> None:
    section = Section({"n_embd": 7, "hidden_size": None})
    assert section.integer("hidden_size", "n_embd") == 7


def test_the_text_of_every_problem_is_ascii() -> None:
    config = json.dumps({**samples.SMALL_LLAMA, "hidden_size": "\ud800é"})
    with pytest.raises(ModelError) as raised:
        shape_of(config)
    assert str(raised.value).isascii()
