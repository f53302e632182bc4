"""Endpoints from sources: what is read, and what is refused rather than guessed."""

from __future__ import annotations

import pytest

from sgfleet.cli.main import main
from sgfleet.engine import endpoints, store
from sgfleet.engine.endpoints import Health, Switch
from sgfleet.engine.extract.endpoints import endpoints_of
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.extract.wheel import Texts
from support import sglang_wheels

SERVER = "sglang.srt.entrypoints.http_server"
MODULES = {
    SERVER: sglang_wheels.HTTP_SERVER,
    "sglang.srt.environ": sglang_wheels.ENVIRON,
    "sglang.srt.managers.scheduler": sglang_wheels.SCHEDULER,
}
SWITCH = '    if not envs.SGLANG_HEALTH_GENERATES.get() and request.url.path == "/health":\n'


def read(old="", new="", module=SERVER, **more):
    assert old in MODULES[module]
    return endpoints_of("0.9.1", Texts({**MODULES, module: MODULES[module].replace(old, new), **more}))


def test_what_is_read():
    found = read()
    assert found.methods == {
        "/health": ("GET",), "/health_generate": ("GET",), "/get_model_info": ("GET",), "/get_server_info": ("GET",),
        "/generate": ("POST", "PUT"),
    }  # fmt: skip
    assert found.health["/health"] == Health(True, 503, "SGLANG_HEALTH_CHECK_TIMEOUT", 20)
    assert found.switches == (Switch("SGLANG_HEALTH_GENERATES", False, True, ("/health",)),)
    assert found.info.fields == ("internal_states", "max_total_num_tokens", "version")
    assert (found.info.states, found.info.state_fields) == ("list", ("memory_usage",))
    assert found.info.memory == ("kvcache", "token_capacity", "weight")


def test_a_static_health():
    found = read(
        '@app.get("/health")\n', '@app.get("/health")\ndef health():\n    return Response(status_code=200)\n\n'
    )
    assert found.health["/health"] == Health(generates=False)
    assert found.health_path == "/health_generate"


def test_an_object_that_is_always_true_switches_nothing():
    assert read("GENERATES.get()", "GENERATES").switches == ()


def test_a_switch_without_a_path_is_of_both():
    assert read(SWITCH, "    if envs.SGLANG_HEALTH_GENERATES.get():\n").switches[0].paths == (
        "/health",
        "/health_generate",
    )


@pytest.mark.parametrize(
    ("old", "new", "module", "said"),
    [
        (SWITCH, "    if quick:\n", SERVER, "a reason that is not understood"),
        (SWITCH, "    if envs.SGLANG_HEALTH_GENERATES.get() and quick:\n", SERVER, "condition that is not understood"),
        ('methods=["POST", "PUT"]', "methods=METHODS", SERVER, "no plain list"),
        ('"/generate"', '"/other"', SERVER, "no handler of /generate"),
        ('"version": __version__', '"name": 1', SERVER, "does not give the version"),
        ('int(os.getenv("SGLANG_HEALTH_CHECK_TIMEOUT", 20))', "seconds()", SERVER, "an unknown way"),
        ("EnvBool(True)", "EnvBool(f())", "sglang.srt.environ", "no plain switch"),
        ("SGLANG_HEALTH_GENERATES", "OTHER", "sglang.srt.environ", "not declared"),
        ('"max_total_num_tokens"', '"tokens"', "sglang.srt.managers.scheduler", "when it is ready"),
        ("import os", "import (", SERVER, "no Python"),
    ],
)
def test_what_is_not_understood_is_refused(old, new, module, said):
    with pytest.raises(ExtractionError, match=said):
        read(old, new, module)


def test_without_a_server():
    with pytest.raises(ExtractionError, match="no HTTP server"):
        endpoints_of("0.9.1", Texts({}))


def test_schema_add_writes_them(tmp_path, capsys):
    (tmp_path / "hosts").mkdir()
    wheel = sglang_wheels.build(tmp_path, "0.9.1")
    assert main(["schema", "add", "--wheel", str(wheel), "--root", str(tmp_path)]) == 0
    assert endpoints.load("0.9.1", tmp_path).has("/generate")
    assert "the endpoints of 0.9.1" in capsys.readouterr().err


def test_schema_add_keeps_the_flags_where_the_server_is_not_understood(tmp_path, capsys):
    (tmp_path / "hosts").mkdir()
    files = {"sglang/srt/entrypoints/http_server.py": sglang_wheels.HTTP_SERVER.replace(SWITCH, "    if quick:\n")}
    wheel = sglang_wheels.build(tmp_path, "0.9.1", files)
    assert main(["schema", "add", "--wheel", str(wheel), "--root", str(tmp_path)]) == 1
    assert "error: 0.9.1: sglang.srt.entrypoints.http_server:" in capsys.readouterr().err
    assert store.load("0.9.1", tmp_path).flags
    with pytest.raises(endpoints.UnknownEndpointsError):
        endpoints.load("0.9.1", tmp_path)
