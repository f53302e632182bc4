"""A client for yaml-language-server over stdio, as small as the questions that the tests ask."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = {
    "yaml": {
        "validate": True,
        "completion": True,
        "hover": True,
        "format": {"enable": False},
        "schemaStore": {"enable": False, "url": ""},
        "schemas": {},
        "kubernetesCRDStore": {"enable": False},
    }
}
"""What an editor tells the server: nothing is fetched, and the schema is the one that the file itself names."""


class ServerError(Exception):
    """The server ended, refused a request or did not answer in time."""


class LanguageServer:
    """One running server. Lines and characters count from 0, as in the protocol."""

    def __init__(self, folder: Path, root: Path, timeout_seconds: float = 120) -> None:
        """Start the server that npm has put into `folder`; `root` is the workspace."""
        program = folder / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
        self._root, self._timeout = root, timeout_seconds
        self._process = subprocess.Popen(
            ["node", str(program), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._diagnostics: dict[str, queue.Queue[list[dict[str, Any]]]] = {}
        self._last = 0
        threading.Thread(target=self._listen, daemon=True).start()
        folders = [{"uri": root.as_uri(), "name": root.name}]
        self._request(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "workspaceFolders": folders,
                "capabilities": {
                    "textDocument": {
                        "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]}},
                        "hover": {"contentFormat": ["markdown"]},
                        "publishDiagnostics": {},
                    },
                    "workspace": {"configuration": True, "workspaceFolders": True},
                },
            },
        )
        self._notify("initialized", {})
        self._notify("workspace/didChangeConfiguration", {"settings": SETTINGS})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._request("shutdown", None)
            self._notify("exit", None)
            self._process.wait(10)
        finally:
            self._process.kill()
            self._process.wait()

    def diagnostics(self, path: Path, text: str) -> list[dict[str, Any]]:
        """Open `path` with this text and return what the server marks in it."""
        uri = path.as_uri()
        self._diagnostics[uri] = queue.Queue()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})
        try:
            return self._diagnostics[uri].get(timeout=self._timeout)
        except queue.Empty:
            raise ServerError(f"no diagnostics for {path.name}") from None

    def completion(self, path: Path, line: int, character: int) -> list[dict[str, Any]]:
        """What the server offers at a place of an open file."""
        answer = self._request("textDocument/completion", self._at(path, line, character))
        items: list[dict[str, Any]] = answer["items"] if isinstance(answer, dict) else answer
        return items

    def hover(self, path: Path, line: int, character: int) -> str:
        """What the server shows for a place of an open file."""
        answer = self._request("textDocument/hover", self._at(path, line, character))
        return "" if answer is None else str(answer["contents"]["value"])

    def close(self, path: Path) -> None:
        """Close an open file."""
        self._notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    @staticmethod
    def _at(path: Path, line: int, character: int) -> dict[str, Any]:
        return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}

    def _request(self, method: str, parameters: Any) -> Any:
        self._last += 1
        answers = self._answers[self._last] = queue.Queue()
        self._send({"id": self._last, "method": method, "params": parameters})
        try:
            answer = answers.get(timeout=self._timeout)
        except queue.Empty:
            raise ServerError(f"no answer to {method}") from None
        if "error" in answer:
            raise ServerError(f"{method}: {answer['error']}")
        return answer.get("result")

    def _notify(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _listen(self) -> None:
        while (message := self._receive()) is not None:
            if "method" not in message:
                self._answers[message["id"]].put(message)
            elif message["method"] == "textDocument/publishDiagnostics":
                found = message["params"]
                self._diagnostics.setdefault(found["uri"], queue.Queue()).put(found["diagnostics"])
            elif "id" in message:
                self._send({"id": message["id"], "result": self._reply(message)})

    def _reply(self, message: dict[str, Any]) -> Any:
        """Answers to what the server asks its editor."""
        if message["method"] == "workspace/configuration":
            return [SETTINGS.get(item.get("section"), {}) for item in message["params"]["items"]]
        if message["method"] == "workspace/workspaceFolders":
            return [{"uri": self._root.as_uri(), "name": self._root.name}]
        return None

    def _receive(self) -> dict[str, Any] | None:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            return None
        message: dict[str, Any] = json.loads(stream.read(length))
        return message
