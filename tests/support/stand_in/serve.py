"""The HTTP server of a release, as far as anybody asks it."""

from __future__ import annotations

import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sgfleet.engine.endpoints import Endpoints
    from support.stand_in.behaviour import Control
    from support.stand_in.load import Load

OPEN = ("/health", "/health_generate", "/metrics")
"""Paths that want no API key."""


class Front:
    """What it answers. The port is closed until `bind`."""

    def __init__(
        self, version: str, endpoints: Endpoints, settings: dict[str, Any], control: Control, load: Load
    ) -> None:
        self.version = version
        self.endpoints = endpoints
        self.settings = settings
        self.control = control
        self.load = load
        self.busy = threading.Lock()
        self._ready_at = 0.0

    def bind(self) -> None:
        """Listen where the flags say, and answer from now on."""
        host, port = str(self.settings.get("host") or "127.0.0.1"), int(self.settings["port"])
        kind = type("Server", (_Server,), {"address_family": socket.AF_INET6 if ":" in host else socket.AF_INET})
        server = kind((host, port), type("Handler", (_Handler,), {"front": self}))
        if self.settings.get("ssl_certfile"):
            import ssl  # 10 ms that a plain start need not take

            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.settings["ssl_certfile"], self.settings.get("ssl_keyfile"))
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def become_ready(self) -> None:
        """The warm-up is over."""
        self._ready_at = time.monotonic()

    def ready_for(self) -> float:
        """Seconds since then; -1 before."""
        return time.monotonic() - self._ready_at if self._ready_at else -1.0

    @property
    def is_well(self) -> bool:
        """Ready, and not out of breath."""
        late = self.control.now.late_seconds if self.control.now.fault == "busy" else 0.0
        return self.ready_for() >= late

    @property
    def generates(self) -> bool:
        """Whether the scheduler does anything."""
        return self.is_well and self.control.now.fault not in {"early-200", "dead-scheduler"}

    def info(self) -> dict[str, Any]:
        """Settings, and realised figures by the names of the release."""
        tokens, names = self.load.tokens(), self.endpoints.info
        memory = {"weight": 30.0, "kvcache": 10.0, "token_capacity": tokens, "graph": 1.0, "cuda_graph": 1.0}
        state: dict[str, Any] = {"last_gen_throughput": 0.0, "effective_max_running_requests_per_dp": 2048}
        state["memory_usage"] = {name: memory[name] for name in names.memory if name in memory}
        state = {name: state[name] for name in names.state_fields}
        told = {"max_total_num_tokens": tokens, "max_req_input_len": 32762}
        told = {name: value for name, value in told.items() if name in names.fields}
        version = self.control.now.version or self.version
        spread = {"flat": state, "list": {"internal_states": [state]}}.get(names.states, {})
        return {**self.settings, **told, **spread, "version": version}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is nobody's error."""


class _Handler(BaseHTTPRequestHandler):
    front: Front

    def log_message(self, *_: Any) -> None:
        """The access log of the real one is off where nobody asks for it."""

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        front, path = self.front, self.path.partition("?")[0]
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        if self._misbehaves():
            return
        methods = front.endpoints.methods.get(path)
        key = front.settings.get("api_key")
        if methods is None:
            self._send(404, {"detail": "Not Found"})
        elif method not in methods:
            self._send(405, {"detail": "Method Not Allowed"})
        elif key and path not in OPEN and self.headers.get("Authorization") != f"Bearer {key}":
            self._send(401, {"error": "Unauthorized"})
        else:
            self._dispatch(path, body)

    def _misbehaves(self) -> bool:
        match self.front.control.now.fault:
            case "hang":
                self._wait_for_ever()
            case "drip":
                self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
                while True:
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.05)
            case "garbage":
                self._send(200, None)
            case "redirect":
                self.send_response(307)
                self.send_header("Location", "http://192.0.2.1/")
                self.end_headers()
            case _:
                return False
        return True

    def _dispatch(self, path: str, body: bytes) -> None:
        front = self.front
        match path:
            case "/health" | "/health_generate":
                self._health(path)
            case "/ready":
                self._send(200 if front.is_well else 503, None)
            case "/server_info" | "/get_server_info":
                self._with_scheduler(front.info)
            case "/model_info" | "/get_model_info":
                self._send(200, {"model_path": front.settings["model_path"], "is_generation": not self._embeds})
            case "/generate" if not self._embeds:
                self._with_scheduler(lambda: self._generation(body))
            case "/encode" if self._embeds:
                self._with_scheduler(lambda: {"embedding": [0.1, 0.2], "meta_info": {"prompt_tokens": 5}})
            case "/v1/models":
                self._send(200, {"data": [{"id": front.settings["model_path"]}]})
            case _:
                self._send(400, {"error": {"message": "this model does something else"}})

    @property
    def _embeds(self) -> bool:
        return bool(self.front.settings.get("is_embedding"))

    def _health(self, path: str) -> None:
        front, now = self.front, self.front.control.now
        if now.fault in {"early-200", "dead-scheduler"} or not front.endpoints.health[path].generates:
            self._send(200, None)
        elif not front.is_well:
            self._send(front.endpoints.health[path].loading or 503, None)
        else:
            time.sleep(now.health_seconds)
            self._send(200, None)

    def _generation(self, body: bytes) -> dict[str, Any]:
        asked = json.loads(body)
        count = asked["sampling_params"]["max_new_tokens"]
        assert asked.get("text") or asked.get("input_ids")
        return {"text": " Paris." if asked.get("text") else "", "meta_info": {"completion_tokens": count}}

    def _with_scheduler(self, answer: Any) -> None:
        front = self.front
        if front.control.now.fault == "dead-scheduler":
            self._wait_for_ever()
        elif not front.generates:
            self._send(503, {"error": {"message": "not yet"}})
        else:
            self._send(200, answer())

    def _wait_for_ever(self) -> None:
        while self.front.control.now.fault in {"hang", "dead-scheduler"}:
            time.sleep(0.05)

    def _send(self, status: int, data: Any) -> None:
        garbage = self.front.control.now.fault == "garbage"
        body = b"<html>" if garbage else b"" if data is None else json.dumps(data, default=str).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
