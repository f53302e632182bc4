"""Headers of safetensors files: what is well formed is read, and nothing else brings more than a message."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import samples
from sgfleet.model.headers import BITS, LENGTH_BYTES, Tensor, header_length, read_header
from sgfleet.model.problem import ModelError


def parse(content: bytes) -> tuple[Tensor, ...]:
    length = header_length(content[:LENGTH_BYTES], len(content), "f")
    return read_header(content[LENGTH_BYTES : LENGTH_BYTES + length], len(content) - LENGTH_BYTES - length, "f")


def one(**entry: Any) -> bytes:
    whole = {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]} | entry
    return json.dumps({"a": whole}).encode()


def test_a_file_gives_its_tensors() -> None:
    content = samples.safetensors({"a": ("BF16", [2, 3]), "b": ("F8_E4M3", [5]), "scalar": ("F32", [])})
    assert parse(content) == (
        Tensor("a", "BF16", (2, 3), 12),
        Tensor("b", "F8_E4M3", (5,), 5),
        Tensor("scalar", "F32", (), 4),
    )


def test_metadata_is_no_tensor() -> None:
    assert read_header(b'{"__metadata__": {"format": "pt"}}', 0, "f") == ()


@pytest.mark.parametrize("start", [b"", b"\x01\x02", bytes(8), b"\xff" * 8, (2**40).to_bytes(8, "little")])
def test_a_length_that_cannot_be_is_said(start: bytes) -> None:
    with pytest.raises(ModelError, match=r"too short|says that its header has"):
        header_length(start, 100, "f")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": 1}', "no usable dtype"),
        (b'{"a": {}}', "no usable dtype"),
        (one(dtype=7), "no usable dtype"),
        (one(shape=[-1]), "no usable dtype"),
        (one(shape=[True, 6]), "no usable dtype"),
        (one(shape=[1.0]), "no usable dtype"),
        (one(shape=[1] * 17), "no usable dtype"),
        (one(data_offsets=[0]), "no usable dtype"),
        (one(data_offsets=[0, 2**70]), "no usable dtype"),
        (one(data_offsets=[12, 0]), "places 'a' at 12 to 0"),
        (one(data_offsets=[90, 102]), "places 'a' at 90 to 102; there are 100 bytes"),
        (one(shape=[2, 4]), "gives 'a' 12 bytes; its shape and type need 16"),
        (one(shape=[2**62, 2**62], data_offsets=[0, 12]), "gives 'a' 12 bytes"),
    ],
)
def test_a_header_that_cannot_be_is_said(header: bytes, message: str) -> None:
    with pytest.raises(ModelError) as raised:
        read_header(header, 100, "f")
    assert message in raised.value.message
    assert str(raised.value).isascii()


def test_tensors_that_overlap_into_more_than_the_file_are_said() -> None:
    entry = {"dtype": "U8", "shape": [60], "data_offsets": [0, 60]}
    with pytest.raises(ModelError, match="lists tensors of 120 bytes; behind the header are 100"):
        read_header(json.dumps({"a": entry, "b": entry}).encode(), 100, "f")


def test_a_type_that_is_new_counts_by_its_place() -> None:
    assert read_header(one(dtype="F3", data_offsets=[0, 3]), 100, "f") == (Tensor("a", "F3", (2, 3), 3),)


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes_give_tensors_or_a_message(content: bytes) -> None:
    with contextlib.suppress(ModelError):
        assert isinstance(parse(content), tuple)


@given(st.binary(max_size=120), st.integers(0, 2**64 - 1))
@settings(deadline=None)
def test_any_length_before_any_bytes_gives_tensors_or_a_message(content: bytes, length: int) -> None:
    with contextlib.suppress(ModelError):
        assert isinstance(parse(length.to_bytes(8, "little") + content), tuple)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2**65), st.floats(), st.sampled_from([*BITS, "X", ""])),
    lambda inner: st.lists(inner, max_size=4),
)


@given(
    st.dictionaries(st.text(max_size=6), st.dictionaries(st.sampled_from(["dtype", "shape", "data_offsets"]), VALUES)),
    st.integers(0, 2**40),
)
@settings(deadline=None)
def test_any_header_gives_tensors_that_fit_or_a_message(listed: dict[str, Any], data_bytes: int) -> None:
    with contextlib.suppress(ModelError):
        tensors = read_header(json.dumps(listed).encode(), data_bytes, "f")
        assert sum(tensor.bytes for tensor in tensors) <= data_bytes


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_damaged_file_gives_tensors_or_a_message(data: st.DataObject) -> None:
    content = bytearray(samples.safetensors({"a": ("BF16", [2, 3]), "layers.0.b": ("F8_E4M3", [5])}))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    with contextlib.suppress(ModelError):
        assert isinstance(parse(bytes(content[:cut])), tuple)
