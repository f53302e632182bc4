"""/server_info of each era, from a file and from a server."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.observe import server_info
from sgfleet.observe.fetch import FetchError
from sgfleet.observe.fetch import server_info as fetch

SETTINGS = {
    "model_path": "/m/x",
    "api_key": "sk-made-up",
    "admin_api_key": "sk-made-up-2",
    "tp_size": 8,
    "context_length": None,
}
BY_ERA = {
    "0.4.0": {**SETTINGS, "max_total_num_tokens": 1000, "version": "0.4.0"},
    "0.4.6": {
        **SETTINGS,
        "max_total_num_tokens": 1000,
        "internal_states": {"last_gen_throughput": 1.0},
        "version": "0.4.6",
    },
    "0.4.9": {
        **SETTINGS,
        "max_total_num_tokens": 1000,
        "internal_states": [
            {
                "memory_usage": {"weight": 64.0, "kvcache": 10.42, "token_capacity": 1000, "cuda_graph": 1.5},
                "api_key": "sk-made-up",
            }
        ],
        "version": "0.4.9",
    },
    "0.5.9": {
        **SETTINGS,
        "max_total_num_tokens": 1000,
        "internal_states": [
            {
                "memory_usage": {"weight": 64.0, "kvcache": 10.42, "token_capacity": 1000, "graph": 1.5},
                "effective_max_running_requests_per_dp": 48,
            },
            {
                "memory_usage": {"weight": 63.0, "kvcache": 10.0, "token_capacity": 900, "graph": 1.25},
                "effective_max_running_requests_per_dp": 40,
            },
        ],
        "version": "0.5.9",
    },
    "0.5.23": {
        **SETTINGS,
        "launch_command": "sglang serve --api-key sk-made-up",
        "internal_states": [
            {
                "memory_usage": {
                    "weight": 64.0,
                    "kvcache": 10.42,
                    "startup_available": 7.5,
                    "token_capacity": 1000,
                    "token_capacity_swa": 800,
                    "graph": {"target_decode": 1.0, "draft_decode": 0.5},
                },
            }
        ],
        "version": "0.5.23",
    },
}  # fmt: skip


@pytest.mark.parametrize("release", BY_ERA)
def test_eras(release):
    data = BY_ERA[release]
    assert server_info.looks_like(data)
    found = server_info.measure(data)
    assert found.ready
    assert found.release == release
    assert found.kv_tokens == (900 if release == "0.5.9" else 1000)
    if release > "0.4.6":
        assert (found.weights_gib, found.kv_pool_gib, found.graphs_gib) == (64.0, 10.42, 1.5)
    assert found.settings == {"model_path": "/m/x", "tp_size": 8}
    assert "sk-made-up" not in json.dumps(found.facts("2026-06-10T00:00:00Z", "x"))


def test_the_newest_says_more():
    found = server_info.measure(BY_ERA["0.5.23"])
    assert (found.swa_tokens, found.free_after_gib_min) == (800, 7.5)
    assert server_info.measure(BY_ERA["0.5.9"]).max_running_requests == 40


def test_a_development_version_is_no_release():
    found = server_info.measure({**SETTINGS, "version": "0.5.10rc0"})
    assert found.release is None
    assert found.notes


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["memory_usage", "graph", "weight", "kvcache", "token_capacity", "x"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["internal_states", "version", "max_total_num_tokens", "tp_size"]), JSON))
def test_any_answer_is_read(data):
    found = server_info.measure(data)
    json.dumps(found.facts("2026-06-10T00:00:00Z", "x"), allow_nan=False)


@pytest.fixture
def serve():
    servers = []

    def _serve(answers, key=None):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                status, body = answers.get(self.path, (404, b"{}"))
                if key and self.headers["Authorization"] != f"Bearer {key}":
                    status, body = 401, b"{}"
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield _serve
    for server in servers:
        server.shutdown()
        server.server_close()


def test_old_and_new_path(serve):
    assert fetch(serve({"/server_info": (200, b'{"tp_size": 1}')}), None) == {"tp_size": 1}
    assert fetch(serve({"/get_server_info": (200, b'{"tp_size": 2}')}), None) == {"tp_size": 2}


def test_a_key(serve):
    url = serve({"/server_info": (200, b'{"tp_size": 1}')}, key="sk-made-up")
    with pytest.raises(FetchError, match="API key") as error:
        fetch(url, "sk-wrong")
    assert "sk-wrong" not in f"{error.value} {error.value.help}"
    assert fetch(url, "sk-made-up") == {"tp_size": 1}


@pytest.mark.parametrize(
    ("status", "body", "said"), [(200, b"<html>", "no JSON"), (503, b"", "503"), (404, b"", "neither")]
)
def test_other_answers(serve, status, body, said):
    with pytest.raises(FetchError, match=said):
        fetch(serve({"/server_info": (status, body), "/get_server_info": (404, b"")}), None)


@pytest.mark.parametrize(
    "url", ["http://example.org/", "https://127.0.0.1:1", "ftp://127.0.0.1", "http://127.0.0.1:port", "file:///etc", ""]
)
def test_only_this_machine(url):
    with pytest.raises(FetchError):
        fetch(url, "sk-made-up")


def test_nobody_there():
    with pytest.raises(FetchError, match="no answer"):
        fetch("http://127.0.0.1:9", None)
