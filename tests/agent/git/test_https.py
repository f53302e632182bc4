"""The mirror over https, with `git http-backend` behind TLS on loopback."""

from __future__ import annotations

import base64
import threading
from typing import TYPE_CHECKING, Any

import pytest

from sgfleet.agent.mirror import Mirror
from sgfleet.agent.remote import RemoteSettings
from sgfleet.source.git_faults import (
    AuthError,
    CertificateError,
    GitError,
    RedirectedError,
    RemoteDownError,
    RepositoryMissingError,
    TimedOutError,
)
from support.git_servers import HttpsGit, ServerUnavailableError, free_port, silent_server
from support.processes import command_lines, left_behind
from support.systemd_plugin import skip_or_fail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.git_origin import Origin

TOKEN = "s3cret-t0ken"
BASIC = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()


@pytest.fixture
def server(origin: Origin) -> Iterator[HttpsGit]:
    try:
        made = HttpsGit(origin.path.parent, TOKEN)
    except ServerUnavailableError as error:
        skip_or_fail(str(error))
    with made:
        yield made


@pytest.fixture
def token(tmp_path: Path) -> Path:
    return write_token(tmp_path / "token", TOKEN)


def write_token(path: Path, token: str) -> Path:
    path.touch(mode=0o600)
    path.write_text(f"{token}\n")
    return path


def mirror_of(server: HttpsGit, token: Path | None, name: str = "fleet.git", **changes: Any) -> Mirror:
    settings = {"ca_file": str(server.certificate), "timeout_seconds": 20.0, "url": server.url(name), **changes}
    remote = RemoteSettings(token=str(token) if token else None, **settings)
    return Mirror(server.folder.parent / "state" / "mirror.git", remote)


def test_clone_and_later_fetches(origin: Origin, server: HttpsGit, token: Path) -> None:
    first = origin.long_history(1000)
    mirror = mirror_of(server, token)
    assert mirror.remote_head() == first
    mirror.fetch(first)
    second = origin.commit({"fleet.yaml": "a: 2\n"})
    mirror.fetch(second)
    assert mirror.commits_between(first, second) == (second,)
    assert None not in server.authorizations  # no request in vain


def test_a_quiet_look_is_two_requests(origin: Origin, server: HttpsGit, token: Path) -> None:
    """What ls-remote costs in version 2 of the protocol: what the server can, and the one branch."""
    origin.commit({"fleet.yaml": "a"})
    mirror_of(server, token).remote_head()
    assert len(server.requests) == 2


def test_the_token_is_seen_nowhere(origin: Origin, server: HttpsGit, token: Path, tmp_path: Path) -> None:
    head = origin.commit({"fleet.yaml": "a"})
    mirror = mirror_of(server, token)
    mirror.fetch(head)
    server.stall.set()
    looking = threading.Thread(target=mirror.remote_head)
    looking.start()
    while len(server.requests) < 3 and looking.is_alive():
        pass
    lines = command_lines()
    server.stall.clear()
    looking.join()
    assert any("ls-remote" in line for line in lines)
    assert not any(TOKEN in line or BASIC in line for line in lines)
    for path in mirror.folder.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes()
            assert BASIC.encode() not in path.read_bytes()


def test_the_token_is_for_one_server(origin: Origin, server: HttpsGit, token: Path) -> None:
    """A redirect is refused; the other server hears nothing of the credential."""
    origin.commit({"fleet.yaml": "a"})
    with HttpsGit(server.folder, None) as other:
        server.location = f"https://localhost:{other.port}"
        with pytest.raises(RedirectedError):
            mirror_of(server, token).remote_head()
        assert other.requests == []


@pytest.mark.parametrize("shown", ["wrong", None])
def test_auth_fails(origin: Origin, server: HttpsGit, tmp_path: Path, shown: str | None) -> None:
    origin.commit({"fleet.yaml": "a"})
    path = write_token(tmp_path / "token", shown) if shown else None
    with pytest.raises(AuthError) as caught:
        mirror_of(server, path).remote_head()
    assert "wrong" not in str(caught.value)


def test_a_renewed_token_counts_at_once(origin: Origin, server: HttpsGit, token: Path) -> None:
    head = origin.commit({"fleet.yaml": "a"})
    mirror = mirror_of(server, token)
    server.token = "renewed"
    with pytest.raises(AuthError):
        mirror.remote_head()
    write_token(token, "renewed")
    assert mirror.remote_head() == head


def test_an_authority_that_the_host_does_not_know(origin: Origin, server: HttpsGit, token: Path) -> None:
    origin.commit({"fleet.yaml": "a"})
    with pytest.raises(CertificateError):
        mirror_of(server, token, ca_file=None).remote_head()


def test_a_certificate_for_another_host(origin: Origin, token: Path) -> None:
    origin.commit({"fleet.yaml": "a"})
    with HttpsGit(origin.path.parent, TOKEN, certificate_host="elsewhere.example") as server:
        with pytest.raises(CertificateError):
            mirror_of(server, token).remote_head()
        assert server.requests == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (403, AuthError),
        (404, RepositoryMissingError),
        (429, RemoteDownError),
        (500, RemoteDownError),
        (503, RemoteDownError),
    ],
)
def test_what_the_server_answers(
    origin: Origin, server: HttpsGit, token: Path, status: int, kind: type[GitError]
) -> None:
    head = origin.commit({"fleet.yaml": "a"})
    mirror = mirror_of(server, token)
    server.status = status
    with pytest.raises(kind):
        mirror.remote_head()
    with pytest.raises(kind):
        mirror.fetch(head)
    server.status = None
    mirror.fetch(head)


def test_another_repository(origin: Origin, server: HttpsGit, token: Path) -> None:
    with pytest.raises(RepositoryMissingError):
        mirror_of(server, token, "other.git").remote_head()


def test_a_server_that_is_down(origin: Origin, server: HttpsGit, token: Path) -> None:
    with pytest.raises(RemoteDownError):
        mirror_of(server, token, url=f"https://localhost:{free_port()}/fleet.git").remote_head()
    with pytest.raises(RemoteDownError):
        mirror_of(server, token, url="https://no-such-host.invalid/fleet.git").remote_head()


def test_a_fault_of_the_network_leaves_the_mirror_alone(origin: Origin, server: HttpsGit, token: Path) -> None:
    old = origin.commit({"fleet.yaml": "a"})
    mirror = mirror_of(server, token)
    mirror.fetch(old)
    new = origin.commit({"fleet.yaml": "b"})
    for status in (403, 404, 500):
        server.status = status
        with pytest.raises(GitError):
            mirror.fetch(new)
        assert mirror.holds(old)


@pytest.mark.parametrize("verb", ["ls-remote", "fetch"])
def test_a_server_that_never_answers(server: HttpsGit, token: Path, verb: str) -> None:
    with silent_server() as port:
        url = f"https://localhost:{port}/fleet.git"
        mirror = mirror_of(server, token, url=url, timeout_seconds=0.4, fetch_timeout_seconds=0.4)
        with pytest.raises(TimedOutError, match=verb):
            mirror.remote_head() if verb == "ls-remote" else mirror.fetch("1" * 40)
        assert left_behind(f"localhost:{port}") == []


def test_a_server_that_stops_in_the_middle(origin: Origin, server: HttpsGit, token: Path) -> None:
    head = origin.commit({"fleet.yaml": "a"})
    mirror = mirror_of(server, token, fetch_timeout_seconds=1.0)
    server.stall.set()
    with pytest.raises(TimedOutError):
        mirror.fetch(head)
    assert left_behind(f"localhost:{server.port}") == []
    server.stall.clear()
    Mirror(mirror.folder, mirror_of(server, token).remote).fetch(head)
