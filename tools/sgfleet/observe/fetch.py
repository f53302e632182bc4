"""The two things that are asked for live: a server's /server_info, and the journal of a unit."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT_SECONDS: Final = 30
"""The answer waits for the scheduler, which may be within a long prefill."""
MOST_BYTES: Final = 32 * 2**20
_PATHS: Final = ("/server_info", "/get_server_info")
_LOOPBACK: Final = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")
_OK, _NOT_FOUND, _FORBIDDEN = 200, 404, (401, 403)


class FetchError(Exception):
    """It could not be had; `help` is what to do."""

    def __init__(self, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help_


def server_info(url: str, key: str | None) -> Any:
    """What the server at `url` answers, as plain data. `key` goes only to the server itself, on this machine.

    Raises:
        FetchError: no server, another answer than JSON, or a URL that is not of this machine.
    """
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host, port = parts.hostname or "", parts.port or 30000
    except ValueError:
        raise FetchError("that is no URL", "such as http://127.0.0.1:30000") from None
    if parts.scheme not in ("", "http") or not _LOOPBACK.fullmatch(host):
        raise FetchError("only a server on this machine is asked", "run it on the host: --url http://127.0.0.1:30000")
    for path in _PATHS:
        status, body = _get(host, port, path, key)
        if status == _OK:
            try:
                return json.loads(body)
            except (ValueError, RecursionError):
                raise FetchError(f"{path} answers with something that is no JSON") from None
        if status in _FORBIDDEN:
            raise FetchError(f"the server wants its API key ({status})", "give --api-key-variable NAME")
        if status != _NOT_FOUND:
            raise FetchError(f"{path} answers with {status}", "is the server up?")
    raise FetchError("the server has neither /server_info nor /get_server_info", "is it SGLang?")


def _get(host: str, port: int, path: str, key: str | None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        response = connection.getresponse()
        return response.status, response.read(MOST_BYTES)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = (getattr(error, "strerror", None) or type(error).__name__).lower()
        raise FetchError(f"no answer from {host}:{port}: {reason}", "is the server up, and on this port?") from None
    finally:
        connection.close()


def journal(unit: str) -> Iterator[bytes]:
    """The lines of a unit's journal since the last boot, as they come.

    Raises:
        FetchError: there is no journal, or journalctl complains.
    """
    command = ("journalctl", "--no-pager", "--quiet", "--boot", "--output=short-iso", "--all", f"--unit={unit}")
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )  # its output may be large: it is read as it comes
    except OSError as error:
        raise FetchError(f"journalctl cannot be started: {(error.strerror or '').lower()}") from error
    assert process.stdout is not None  # noqa: S101 - asked for above
    assert process.stderr is not None  # noqa: S101
    with process:
        while line := process.stdout.readline(2**20):
            yield line
        said = process.stderr.read(2**12).decode(errors="replace").strip().splitlines()
    if process.returncode:
        raise FetchError(f"journalctl: {said[-1][:200] if said else process.returncode}", "are you in systemd-journal?")
