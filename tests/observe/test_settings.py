"""The engine's settings: only those of the list, and no value is taken for one that stands in a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sgfleet.observe.settings import NAMES, chosen, from_text


def test_both_forms():
    values = {"model_path": "/m/x", "tp_size": 8, "mem_fraction_static": 0.8, "hicache_size": 0, "quantization": None,
              "enable_hierarchical_cache": True, "api_key": "sk-made-up", "lora_paths": ["tp_size=3"],
              "custom": {"tp_size": 4}, "json_model_override_args": "{}"}  # fmt: skip
    wanted = {
        "model_path": "/m/x",
        "tp_size": 8,
        "mem_fraction_static": 0.8,
        "enable_hierarchical_cache": True,
        "hicache_size": 0,
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in values.items())
    assert from_text(f"server_args=ServerArgs({arguments})") == wanted
    assert from_text(f"server_args={values!r}") == wanted
    assert chosen(values) == wanted


@given(st.text())
def test_no_secret_gets_in(secret):
    """Whatever a key looks like, no setting comes from it."""
    for text in (
        f"server_args=ServerArgs(api_key={secret!r}, tp_size=8)",
        f"server_args={{'api_key': {secret!r}, 'tp_size': 8}}",
    ):
        assert from_text(text) == {"tp_size": 8}


@given(st.text())
def test_any_text_is_read(text):
    assert from_text(f"server_args={text}").keys() <= set(NAMES)
    assert from_text(text).keys() <= set(NAMES)


def test_paths_with_credentials_are_left_out():
    assert chosen({"model_path": "s3://user:secret@bucket/x", "dtype": "a b"}) == {}
    assert chosen({"model_path": "moonshotai/Kimi-K2.5"}) == {"model_path": "moonshotai/Kimi-K2.5"}
