"""The real server, started from the unit that sgfleet renders: what it says of memory is what sgfleet computes."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from real_sglang.environments import HERE, RELEASES
from real_sglang.server import command_of, free_port, running
from sgfleet.cli.main import main
from sgfleet.engine import store
from sgfleet.memory.cell import cell_of
from sgfleet.memory.flags import settings_of
from sgfleet.memory.hardware import Hardware
from sgfleet.memory.host_pools import Mirrored, host_pools
from sgfleet.memory.pools import pools_of_tokens
from sgfleet.memory.resolve import resolve
from sgfleet.model.describe import describe_file

pytestmark = pytest.mark.sglang

KV_TOKENS = 32_768
RATIO = 2.7
EXIT_SECONDS = 120


def flags_of(release, model, port):
    flags = {
        "model-path": str(model),
        "served-model-name": "tiny \"quoted\" $name",
        "device": "cpu",
        "load-format": "dummy",
        "host": "127.0.0.1",
        "port": port,
        "attention-backend": "torch_native",
        "sampling-backend": "pytorch",
        "grammar-backend": "none",
        "disable-cuda-graph": True,
        "max-total-tokens": KV_TOKENS,
        "max-running-requests": 16,
        "enable-hierarchical-cache": True,
        "hicache-ratio": RATIO,
        "hicache-io-backend": "direct",
        "hicache-mem-layout": "layer_first",
    }  # fmt: skip
    return flags | ({"hicache-write-policy": "write_back"} if release == "0.5.23" else {})


def rendered(root, environment, flags):
    """A repository with this one service, and the unit that `sgfleet render` writes."""
    service = {
        "release": environment.release,
        "python": str(environment.python),
        "flags": flags,
        "environment": environment.engine_variables,
    }
    folder = root / "hosts" / "here"
    folder.mkdir(parents=True)
    (folder / "host.yaml").write_text(json.dumps({"host": "here", "services": {"tiny": service}}))
    assert main(["render", "--root", str(root)]) == 0
    return (root / "units" / "here" / "tiny.service").read_text()


def tiny_model(environment, folder):
    argv = [environment.python, HERE / "tiny_model.py", folder]
    subprocess.run(argv, env=environment.variables, check=True, timeout=120, capture_output=True)
    return folder


def computed(release, flags, model, variables):
    settings = settings_of(store.load(release), flags, variables)
    shape = describe_file(model / "config.json").shape
    resolved = resolve(settings, shape, Hardware())
    cell = cell_of(shape.layers, settings, resolved)
    pools = pools_of_tokens(KV_TOKENS, shape.layers, cell, settings, resolved)
    [kv] = host_pools(Mirrored(pools, cell, settings, resolved.page_size), settings.hicache)
    return pools, kv


def observed(capsys, root, *source):
    capsys.readouterr()
    code = main(["observe", "here/tiny", *source, "--root", str(root), "--format", "json"])
    told = capsys.readouterr()
    assert code == 0, told.err
    return json.loads(told.out)


@pytest.mark.parametrize("release", RELEASES)
def test_what_the_server_says_is_what_is_computed(release, environment_of, tmp_path, capsys):
    environment, port = environment_of(release), free_port()
    model = tiny_model(environment, tmp_path / "model")
    root = tmp_path / "repository"
    flags = flags_of(release, model, port)
    argv, variables = command_of(rendered(root, environment, flags))
    assert main(["argv", release, "--", *argv[3:]]) == 0
    log = tmp_path / "start.log"
    with running(argv, environment.variables | variables, port, log) as server:
        server.wait_until_ready()
        status, body = server.get("/generate", {"text": "one service", "sampling_params": {"max_new_tokens": 4}})
        assert status == 200, body
        assert json.loads(body)["meta_info"]["completion_tokens"] == 4
        status, body = server.get("/v1/models")
        assert json.loads(body)["data"][0]["id"] == flags["served-model-name"]
        asked = observed(capsys, root, "--url", f"http://127.0.0.1:{port}")
    read = observed(capsys, root, "--log", str(log))
    pools, kv = computed(release, flags, model, environment.engine_variables)

    pinned = [int(size) for size in re.findall(r"mlock of (\d+) bytes: ok", log.read_text(errors="replace"))]
    assert sum(pinned) == kv.resident_bytes
    assert asked["release"] == release
    assert asked["ready"]
    assert asked["figures"]["kv-tokens"]["found"] == KV_TOKENS
    figures = {name: row["found"] for name, row in read["figures"].items()}
    assert figures["kv-tokens"] == pools.tokens == KV_TOKENS
    assert figures["kv-pool-gib"] == pytest.approx(pools.kv_bytes / 2**30, abs=0.011)  # K and V, rounded apart
    assert figures["host-pool-gb"] == pytest.approx(kv.bytes / 1e9, abs=0.0051)
    if release == "0.5.23":
        assert figures["host-pool-tokens"] == kv.tokens
    for told in (asked, read):
        assert told["settings"]["hicache_ratio"] == RATIO


BAD = {
    "0.5.9": [["--hicache-ratios", "4"], ["--hicache-ratio", "four"], ["--hicache-io-backend", "kernels"]],
    "0.5.23": [["--disable-hicache-numa-detect"], ["--hicache-ratio", "four"]],
}


@pytest.mark.parametrize(("release", "bad"), [(release, bad) for release, lines in BAD.items() for bad in lines])
def test_a_bad_flag_ends_the_real_server_with_2(release, bad, environment_of, tmp_path, capsys):
    environment = environment_of(release)
    words = ["--model-path", str(tmp_path), *bad]
    run = subprocess.run(
        [environment.python, "-m", "sglang.launch_server", *words], env=environment.variables, cwd=tmp_path,
        capture_output=True, text=True, timeout=EXIT_SECONDS, check=False,
    )  # fmt: skip
    assert run.returncode == 2, run.stderr[-2000:]
    assert bad[0] in run.stderr
    assert main(["argv", release, "--", *words]) == 1
    assert bad[0].removeprefix("--") in "".join(capsys.readouterr())
