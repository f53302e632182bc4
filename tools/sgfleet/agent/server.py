"""A running server, asked over HTTP: whether it is healthy, one real generation, what it says of itself.

Nothing of the environment counts (no proxies), no redirect is followed, no answer is read beyond a bound, and each call
ends within its time, whatever the server sends. A call never raises: its answer says what happened.

Probing costs the server something: `/health` generates a token and takes about a second, and probes that gave up early
have crashed servers. So times are generous, and `Probing` alone says how often anybody asks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol
from urllib.parse import urlsplit

from sgfleet.agent.address import Address
from sgfleet.agent.http import Request, exchange

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.agent.http import Reply
    from sgfleet.engine.endpoints import Endpoints

Kind = Literal["ok", "refused", "timed-out", "not-ready", "wrong"]
"""refused: nobody listens. not-ready: 503. wrong: any other answer than the one that was asked for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, after how many seconds. `data` is the JSON of a good answer that has one."""

    kind: Kind
    seconds: float
    text: str
    status: int | None = None
    data: Any = None

    @property
    def ok(self) -> bool:
        """Whether it is the answer that was asked for."""
        return self.kind == "ok"


class Server(Protocol):
    """What the gate asks of a server. One call at a time."""

    def health(self) -> Answer:
        """Whether it says that it is healthy."""

    def generate(self) -> Answer:
        """One short real generation; of a model without one, an embedding."""

    def info(self) -> Answer:
        """What it says of itself: `data` is for `sgfleet.observe.server_info.measure`. It may hold secrets."""


@dataclass(frozen=True, slots=True)
class Probing:
    """How long a call may take and how long to wait before the next, seconds.

    `health` is above the server's own limit (SGLANG_HEALTH_CHECK_TIMEOUT, 20 s), so that it answers first. `generate`
    leaves room for kernels that compile on first use.
    """

    connect: float = 5
    health: float = 60
    generate: float = 300
    info: float = 60
    after_refused: float = 2
    after_not_ready: float = 5
    after_timed_out: float = 60
    healthy: float = 15

    def scaled(self, factor: float) -> Probing:
        """For engines whose loads take seconds: shorter, and never too short for a slow machine."""
        return Probing(
            self.connect,
            max(3.0, self.health * factor),
            max(3.0, self.generate * factor),
            max(3.0, self.info * factor),
            max(0.2, self.after_refused * factor),
            max(0.2, self.after_not_ready * factor),
            max(0.5, self.after_timed_out * factor),
            max(0.2, self.healthy * factor),
        )

    def pause(self, answer: Answer) -> float:
        """Before the next call: a closed port costs nobody anything, a call that timed out may still be worked on."""
        match answer.kind:
            case "refused":
                return self.after_refused
            case "timed-out":
                return self.after_timed_out
            case "ok":
                return self.healthy
            case _:
                return self.after_not_ready


PROBING: Final = Probing()
_OK, _UNAVAILABLE, _KEY_STATUS = 200, 503, (401, 403)
_PROMPT: Final = "The capital of France is"
_TOKEN_IDS: Final = (10, 11, 12, 13)
"""Every vocabulary has them."""
_TOKENS: Final = 4


class HttpServer:
    """The server at an address, by the endpoints of its release. `key` is asked for at each call and not kept."""

    def __init__(
        self,
        address: Address,
        endpoints: Endpoints,
        key: Callable[[], str | None] = lambda: None,
        probing: Probing = PROBING,
    ) -> None:
        self._address = address
        self._endpoints = endpoints
        self._key = key
        self._probing = probing

    def health(self) -> Answer:
        """`/health`: in releases where that is static, `/health_generate`."""
        return _plain(self._ask("GET", self._endpoints.health_path, self._probing.health))

    def generate(self) -> Answer:
        """A few tokens after a short prompt; what the server says of its model decides which endpoint that is."""
        model = _json(self._ask("GET", self._endpoints.model_path, self._probing.info))
        if not model.ok:
            return model
        if not isinstance(model.data, dict) or not isinstance(model.data.get("is_generation"), bool):
            return Answer("wrong", model.seconds, f"{self._endpoints.model_path} does not say what the model does", _OK)
        if not model.data["is_generation"]:
            return _checked(self._post("/encode", self._prompt), _has_embedding, "an embedding")
        if str(model.data.get("disaggregation_mode") or "null") != "null":
            return _plain(self._ask("GET", "/health_generate", self._probing.health))
        sampling = {"max_new_tokens": _TOKENS, "temperature": 0}
        return _checked(self._post("/generate", {**self._prompt, "sampling_params": sampling}), _has_tokens, "a token")

    def info(self) -> Answer:
        """`/server_info`, or what it was called before."""
        return _json(self._ask("GET", self._endpoints.info_path, self._probing.info))

    @property
    def _prompt(self) -> dict[str, Any]:
        return {"input_ids": list(_TOKEN_IDS)} if self._address.token_ids_only else {"text": _PROMPT}

    def _post(self, path: str, body: dict[str, Any]) -> Reply:
        return self._ask("POST", path, self._probing.generate, json.dumps(body).encode())

    def _ask(self, method: str, path: str, seconds: float, body: bytes | None = None) -> Reply:
        return exchange(self._address, Request(method, path, body, self._key()), self._probing.connect, seconds)


def _plain(reply: Reply) -> Answer:
    """By its status alone."""
    if reply.failure is not None:
        return Answer(reply.failure, reply.seconds, reply.text)
    if reply.status == _OK:
        return Answer("ok", reply.seconds, f"{reply.path}: 200", _OK)
    kind: Kind = "not-ready" if reply.status == _UNAVAILABLE else "wrong"
    wants = ": the server wants its API key" if reply.status in _KEY_STATUS else ""
    return Answer(kind, reply.seconds, f"{reply.path}: {reply.status}{wants}", reply.status)


def _json(reply: Reply) -> Answer:
    answer = _plain(reply)
    if not answer.ok:
        return answer
    try:
        data = json.loads(reply.body)
    except (ValueError, RecursionError):
        return Answer("wrong", reply.seconds, f"{reply.path} answers with something that is no JSON", _OK)
    return Answer("ok", reply.seconds, answer.text, _OK, data)


def _checked(reply: Reply, holds: Callable[[Any], bool], what: str) -> Answer:
    answer = _json(reply)
    if answer.ok and not holds(answer.data):
        return Answer("wrong", answer.seconds, f"{reply.path} answers 200 without {what}", _OK)
    return answer


def _has_tokens(data: Any) -> bool:
    """At least one. Its text may be empty: a first token can be part of a character."""
    if not isinstance(data, dict):
        return False
    meta = data.get("meta_info")
    counted = meta.get("completion_tokens") if isinstance(meta, dict) else None
    if isinstance(counted, int):
        return counted > 0
    return bool(data.get("text") or data.get("output_ids") or data.get("token_ids"))


def _has_embedding(data: Any) -> bool:
    """Numbers: an embedding, or a reward."""
    found = data[0] if isinstance(data, list) and data else data
    values = found.get("embedding") if isinstance(found, dict) else None
    return isinstance(values, list) and bool(values)


def ask_url(url: str, probing: Probing = PROBING) -> Answer:
    """A URL on this machine that a spec names: 200 is well, whatever else it says."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    address = Address(parts.hostname or "127.0.0.1", parts.port or 80)
    return _plain(exchange(address, Request("GET", path or "/"), probing.connect, probing.health))
