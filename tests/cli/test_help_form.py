"""Helps are as wide as the terminal, told as the standard library tells it."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from sgfleet.cli.help_form import columns


@pytest.mark.parametrize("said", [None, "", "0", "-3", "x", "40", "200"])
def test_the_width_is_that_of_shutil(said, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    if said is not None:
        monkeypatch.setenv("COLUMNS", said)
    assert columns() == shutil.get_terminal_size().columns


def test_without_an_output_there_is_a_width_all_the_same(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "__stdout__", None)
    assert columns() == shutil.get_terminal_size().columns


def test_declaring_arguments_does_not_bring_compression():
    program = "import sys; from sgfleet.cli.main import parser_of; parser_of('check'); print('bz2' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "False\n"
