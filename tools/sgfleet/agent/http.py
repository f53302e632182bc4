"""One HTTP exchange with a server on this machine, which ends in time and within bounds."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from sgfleet.agent.address import Address

MOST_BYTES: Final = 32 * 2**20
"""No answer is read beyond: the info of a large group has some hundred KiB."""
_CHUNK_BYTES: Final = 2**16


@dataclass(frozen=True, slots=True)
class Request:
    """`key` goes into the Authorization header and nowhere else."""

    method: str
    path: str
    body: bytes | None = None
    key: str | None = None

    def __repr__(self) -> str:
        """Without the key."""
        return f"Request({self.method} {self.path})"


@dataclass(frozen=True, slots=True)
class Reply:
    """Status and body, or why there are none."""

    path: str
    seconds: float
    status: int | None = None
    body: bytes = b""
    failure: Literal["refused", "timed-out", "wrong"] | None = None
    text: str = ""


def exchange(address: Address, request: Request, connect_seconds: float, seconds: float) -> Reply:
    """Send a request and read its answer, whatever its status. Proxies of the environment do not count."""
    began = time.monotonic()
    late = threading.Event()

    def reply(failure: Literal["refused", "timed-out", "wrong"], why: str) -> Reply:
        text = f"{request.path} at {address.url}: {why}"
        return Reply(request.path, time.monotonic() - began, failure=failure, text=text)

    if not _is_of_this_machine(address.host):
        return reply("wrong", "that address is not one of this machine")
    connection = _connection(address, connect_seconds)
    try:
        connection.connect()
    except TimeoutError:
        connection.close()
        return reply("timed-out", f"no connection within {connect_seconds:g} s")
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        kind: Literal["refused", "wrong"] = "refused" if isinstance(error, ConnectionError) else "wrong"
        return reply(kind, _words(error))
    taken = connection.sock
    taken.settimeout(seconds)

    def end() -> None:
        late.set()
        with contextlib.suppress(OSError):
            taken.shutdown(socket.SHUT_RDWR)

    # A timeout of a socket is for each read: a server that sends a byte a second would never meet it.
    watch = threading.Timer(seconds, end)
    watch.daemon = True
    watch.start()
    try:
        headers = {"Host": _host_header(address), "Connection": "close", "Accept": "application/json"}
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        if request.key is not None:
            headers["Authorization"] = f"Bearer {request.key}"
        connection.request(request.method, request.path, body=request.body, headers=headers)
        response = connection.getresponse()
        body = _body(response)
        if late.is_set():
            return reply("timed-out", f"no whole answer within {seconds:g} s")
        if body is None:
            return reply("wrong", f"an answer of more than {MOST_BYTES} bytes")
        return Reply(request.path, time.monotonic() - began, response.status, body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            return reply("timed-out", f"no whole answer within {seconds:g} s")
        return reply("wrong", _words(error))
    finally:
        watch.cancel()
        connection.close()


def _connection(address: Address, seconds: float) -> http.client.HTTPConnection:
    if not address.tls:
        return http.client.HTTPConnection(address.host, address.port, timeout=seconds)
    import ssl

    # The certificate is made out to the name that clients use; to this machine itself nobody else can answer.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(address.host, address.port, timeout=seconds, context=context)


def _is_of_this_machine(host: str) -> bool:
    """Only an address of this machine can be bound: an API key never leaves it."""
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return bool(found) and all(_binds(family, place) for family, _, _, _, place in found)


def _binds(family: int, place: object) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.bind(place)  # type: ignore[arg-type] # an address as getaddrinfo gives it for this family
    except OSError:
        return False
    return True


def _host_header(address: Address) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"


def _body(response: http.client.HTTPResponse) -> bytes | None:
    parts, size = [], 0
    while part := response.read(_CHUNK_BYTES):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            return None
    if response.length:  # reading in parts does not raise by itself
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(parts)


def _words(error: Exception) -> str:
    """What happened, without what the server sent."""
    return (getattr(error, "strerror", None) or type(error).__name__).lower()
