"""A wheel is read without being unpacked or run, and a bad one is an error that says what is wrong."""

from __future__ import annotations

import contextlib
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extract import extract_samples as samples
from sgfleet.engine import wheel_release
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.wheel import Wheel
from support import sglang_wheels

if TYPE_CHECKING:
    from pathlib import Path


def test_metadata_modules_and_packages(tmp_path: Path) -> None:
    path = sglang_wheels.build(tmp_path, "0.9.1", {"sglang/srt/extra.py": "X = 1\n"})
    wheel = Wheel(path)
    assert (wheel.version, wheel.requires_python) == ("0.9.1", ">=3.10")
    assert wheel.has("sglang.srt.extra")
    assert wheel.text("sglang.srt.extra") == "X = 1\n"
    assert wheel.has("sglang.srt")  # a namespace package
    assert wheel.is_package("sglang.srt")
    assert not wheel.is_package("sglang.srt.extra")
    assert not wheel.has("sglang.nothing")
    wheel.close()


def test_nothing_of_the_wheel_runs(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    evil = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n__import__('os').system('touch {mark}')\n"
    path = sglang_wheels.build(tmp_path, "0.9.1", {"sglang/srt/server_args.py": evil + sglang_wheels.SERVER_ARGS})
    assert [flag.name for flag in wheel_release.read(path)[0].flags] == ["model-path", "port", "kind"]
    assert not mark.exists()


def test_a_file_that_is_no_wheel(tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match="no such file"):
        Wheel(tmp_path / "sglang-0.9.1-py3-none-any.whl")
    text = tmp_path / "text.whl"
    text.write_text("no archive")
    with pytest.raises(ExtractionError, match="not a wheel"):
        Wheel(text)
    with pytest.raises(ExtractionError, match="not a wheel"):
        Wheel(tmp_path)


def test_a_wheel_of_another_distribution(tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match="a wheel of 'vllm', not of 'sglang'"):
        Wheel(sglang_wheels.build(tmp_path, "0.9.1", name="vllm"))


def test_a_release_candidate_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match="no final or post release"):
        wheel_release.read(sglang_wheels.build(tmp_path, "0.9.1rc1"))


def test_a_wheel_without_the_module(tmp_path: Path) -> None:
    path = sglang_wheels.build(tmp_path, "0.9.1", {"sglang/srt/server_args.py": None})
    with pytest.raises(ExtractionError, match=r"no module sglang\.srt\.server_args"):
        wheel_release.read(path)


def test_a_module_that_is_too_large(tmp_path: Path) -> None:
    path = sglang_wheels.build(tmp_path, "0.9.1", {"sglang/srt/server_args.py": "#" * (2**24 + 1)})
    with pytest.raises(ExtractionError, match="16777217 bytes"):
        wheel_release.read(path)


def test_a_module_that_is_not_utf_8(tmp_path: Path) -> None:
    path = sglang_wheels.build(tmp_path, "0.9.1", {"sglang/srt/server_args.py": b"# caf\xe9\n"})
    with pytest.raises(ExtractionError, match="not UTF-8"):
        wheel_release.read(path)


@given(data=st.data())
def test_a_damaged_wheel_is_an_error_or_still_whole(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    path = sglang_wheels.build(folder, "0.9.1")
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    flipped = bytearray(whole[:cut] if data.draw(st.booleans()) else whole)
    if flipped:
        flipped[data.draw(st.integers(0, len(flipped) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(flipped)
    with contextlib.suppress(ExtractionError):
        assert wheel_release.read(path)[0].flags


def test_nesting_beyond_reason_is_an_error() -> None:
    with pytest.raises(ExtractionError):
        samples.calls(f"parser.add_argument('--a', default={'(' * 150}1{')' * 150} + {'+'.join('1' * 3000)})")


def test_a_zip_without_metadata(tmp_path: Path) -> None:
    path = tmp_path / "sglang-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sglang/__init__.py", "")
    with pytest.raises(ExtractionError, match="0 METADATA files"):
        Wheel(path)
