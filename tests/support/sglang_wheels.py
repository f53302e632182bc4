"""Tiny wheels of SGLang, written here."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SERVER_ARGS = """
import argparse
from sglang.srt.kinds import KINDS

class ServerArgs:
    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path", "--model", type=str, required=True)
        parser.add_argument("--port", type=int, default=30000)
        parser.add_argument("--kind", type=str, choices=KINDS, default="a")

def prepare_server_args(argv):
    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return parser.parse_args(argv)
"""


def build(
    folder: Path, version: str, files: dict[str, str | bytes | None] | None = None, *, name: str = "sglang"
) -> Path:
    """A wheel with the modules above; `files` replaces some of them, or leaves them out (None)."""
    info = f"{name}-{version}.dist-info"
    contents: dict[str, str | bytes | None] = {
        "sglang/srt/server_args.py": SERVER_ARGS,
        "sglang/srt/kinds.py": "KINDS = ['a', 'b', 'c']\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: >=3.10\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
        **(files or {}),
    }
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in contents.items():
            if content is not None:
                archive.writestr(member, content)
    return path
