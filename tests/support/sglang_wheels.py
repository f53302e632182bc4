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


HTTP_SERVER = """
import os
from fastapi import FastAPI, Request, Response
from sglang.srt.environ import envs

app = FastAPI()
HEALTH_CHECK_TIMEOUT = int(os.getenv("SGLANG_HEALTH_CHECK_TIMEOUT", 20))

@app.get("/health")
@app.get("/health_generate")
async def health_generate(request: Request) -> Response:
    if manager.server_status == ServerStatus.Starting:
        return Response(status_code=503)
    if not envs.SGLANG_HEALTH_GENERATES.get() and request.url.path == "/health":
        return Response(status_code=200)
    async for _ in manager.generate_request(HEALTH_CHECK_TIMEOUT):
        return Response(status_code=200)

@app.get("/get_model_info")
async def get_model_info():
    return {"is_generation": True}

@app.get("/get_server_info")
async def get_server_info():
    states = await manager.get_internal_state()
    return {**scheduler_info, "internal_states": states, "version": __version__}

@app.api_route("/generate", methods=["POST", "PUT"])
async def generate_request(request: Request):
    return await manager.generate_request(request)
"""

ENVIRON = """
class Envs:
    SGLANG_HEALTH_GENERATES = EnvBool(True)
"""

SCHEDULER = """
def get_internal_state(self):
    state = {}
    state["memory_usage"] = {"weight": 1, "kvcache": 2, "token_capacity": 3}
    return state

def run(pipe, scheduler):
    pipe.send({"status": "ready", "max_total_num_tokens": scheduler.tokens})
"""


def build(
    folder: Path, version: str, files: dict[str, str | bytes | None] | None = None, *, name: str = "sglang"
) -> Path:
    """A wheel with the modules above; `files` replaces some of them, or leaves them out (None)."""
    info = f"{name}-{version}.dist-info"
    contents: dict[str, str | bytes | None] = {
        "sglang/srt/server_args.py": SERVER_ARGS,
        "sglang/srt/entrypoints/http_server.py": HTTP_SERVER,
        "sglang/srt/environ.py": ENVIRON,
        "sglang/srt/managers/scheduler.py": SCHEDULER,
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
