"""Git over https and ssh on loopback, with the servers that serve it in earnest: `git http-backend` and `sshd`.

Each is a context manager, ends what it started, and can be told to misbehave while it runs.
"""

from __future__ import annotations

import base64
import contextlib
import http.server
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTED_SECONDS = 10


class ServerUnavailableError(Exception):
    """A program that the server needs is not on this machine; the message says which."""


class HttpsGit:
    """The bare repositories in `folder` at https://localhost:PORT/NAME.git, for who shows `token`.

    May be set at any time: `status` answers every request with it, `location` redirects,
    `stall` does not answer. `requests` has the path of every request, `authorizations` its header.
    """

    def __init__(self, folder: Path, token: str | None = None, certificate_host: str = "localhost") -> None:
        self.folder = folder
        self.token = token
        self.status: int | None = None
        self.location: str | None = None
        self.stall = threading.Event()
        self.requests: list[str] = []
        self.authorizations: list[str | None] = []
        self.certificate, self._key = make_certificate(folder / f".tls-{certificate_host}", certificate_host)
        self._server: http.server.ThreadingHTTPServer | None = None

    @property
    def port(self) -> int:
        assert self._server is not None
        return self._server.server_address[1]

    def url(self, name: str = "fleet.git") -> str:
        return f"https://localhost:{self.port}/{name}"

    def __enter__(self) -> Self:
        outer = self

        class Handler(_Backend):
            owner = outer

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """A client that breaks off is what some tests are about."""

        self._server = Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self._key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self.stall.clear()
        self._server.shutdown()
        self._server.server_close()

    def lets_in(self, authorization: str | None) -> bool:
        if self.token is None:
            return True
        if authorization is None or not authorization.startswith("Basic "):
            return False
        return base64.b64decode(authorization[6:]).decode().partition(":")[2] == self.token


class _Backend(http.server.BaseHTTPRequestHandler):
    """CGI for `git http-backend`."""

    owner: HttpsGit
    protocol_version = "HTTP/1.1"

    def log_message(self, *words: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        owner = self.owner
        owner.requests.append(self.path)
        owner.authorizations.append(self.headers["Authorization"])
        while owner.stall.is_set():
            time.sleep(0.02)
        if owner.location is not None:
            self._refuse(301, ("Location", owner.location + self.path))
        elif owner.status is not None:
            self._refuse(owner.status)
        elif not owner.lets_in(self.headers["Authorization"]):
            self._refuse(401, ("WWW-Authenticate", 'Basic realm="git"'))
        else:
            self._answer()

    def do_POST(self) -> None:
        self.do_GET()

    def _refuse(self, status: int, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for header in headers:
            self.send_header(*header)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] != "chunked":
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def _answer(self) -> None:
        path, _, query = self.path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.owner.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers["Content-Type"] or "",
            "HTTP_CONTENT_ENCODING": self.headers["Content-Encoding"] or "",
            "GIT_PROTOCOL": self.headers["Git-Protocol"] or "",
            "REMOTE_ADDR": "127.0.0.1",
        }
        body = self._body()
        done = subprocess.run(
            ("git", "http-backend"),
            input=body,
            capture_output=True,
            env={**environment, "CONTENT_LENGTH": str(len(body))},
            check=False,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.partition(": ")[::2] for line in head.decode().splitlines()]
        self.send_response(int(dict(headers).get("Status", "200")[:3]))
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class SshGit:
    """An `sshd` that lets in who has the key at `client_key`. `known_hosts` holds its own."""

    def __init__(self, folder: Path, client_key: Path) -> None:
        self.folder = folder
        self.client_key = client_key
        self.known_hosts = folder / "known_hosts"
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, repository: Path) -> str:
        return f"ssh://{_user()}@127.0.0.1:{self.port}{repository}"

    def __enter__(self) -> Self:
        program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        if program is None:
            raise ServerUnavailableError("there is no sshd: install openssh-server")
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd as root insists on it
        host_key = self.folder / "host_key"
        make_ssh_key(host_key)
        (self.folder / "authorized_keys").write_text(self.client_key.with_suffix(".pub").read_text())
        self.port = free_port()
        settings = {
            "Port": self.port,
            "ListenAddress": "127.0.0.1",
            "HostKey": host_key,
            "AuthorizedKeysFile": self.folder / "authorized_keys",
            "PidFile": "none",
            "StrictModes": "no",
            "UsePAM": "no",
            "PasswordAuthentication": "no",
            "PermitRootLogin": "prohibit-password",
            "AcceptEnv": "GIT_PROTOCOL",
        }
        config = self.folder / "sshd_config"
        config.write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
        self.write_known_hosts(host_key)
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen((program, "-D", "-e", "-f", config), stderr=log, stdin=subprocess.DEVNULL)
        wait_for_port(self.port)
        return self

    def write_known_hosts(self, key: Path) -> None:
        """Let clients believe that the server's key is this one."""
        public = key.with_suffix(".pub").read_text().split()[:2]
        self.known_hosts.write_text(f"[127.0.0.1]:{self.port} {' '.join(public)}\n")

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(STARTED_SECONDS)


@contextlib.contextmanager
def silent_server() -> Iterator[int]:
    """A port that takes every connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as server:
        yield server.getsockname()[1]


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait_for_port(port: int) -> None:
    """Until somebody listens there."""
    deadline = time.monotonic() + STARTED_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise TimeoutError(f"nothing listens on port {port}")


def make_certificate(folder: Path, host: str) -> tuple[Path, Path]:
    """A self-signed certificate for `host` and its key; the one in the folder if there is one."""
    if shutil.which("openssl") is None:
        raise ServerUnavailableError("there is no openssl")
    folder.mkdir(parents=True, exist_ok=True)
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    if certificate.exists():
        return certificate, key
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    names = ("-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}")
    command = ("openssl", "req", "-x509", *kind, *names, "-keyout", key, "-out", certificate)
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def make_ssh_key(path: Path) -> Path:
    """A key pair at `path` and `path`.pub."""
    if not path.exists():
        command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path)
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


def _user() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
