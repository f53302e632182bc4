"""The mirror over ssh, with a real sshd on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sgfleet.agent.mirror import Mirror
from sgfleet.agent.remote import RemoteSettings
from sgfleet.source.git_faults import (
    AuthError,
    HostKeyChangedError,
    HostKeyUnknownError,
    RefMissingError,
    RemoteDownError,
    RepositoryMissingError,
    TimedOutError,
)
from support.git_servers import ServerUnavailableError, SshGit, free_port, make_ssh_key, silent_server
from support.processes import left_behind
from support.systemd_plugin import skip_or_fail

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.git_origin import Origin


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SshGit]:
    key = make_ssh_key(tmp_path / "deploy_key")
    try:
        with SshGit(tmp_path / "sshd", key) as made:
            yield made
    except ServerUnavailableError as error:
        skip_or_fail(str(error))


def mirror_of(server: SshGit, origin: Origin, **changes: Any) -> Mirror:
    settings = {
        "url": server.url(origin.path),
        "identity": str(server.client_key),
        "known_hosts": str(server.known_hosts),
        **changes,
    }
    return Mirror(server.folder.parent / "state" / "mirror.git", RemoteSettings(**settings))


def test_clone_and_later_fetches(origin: Origin, server: SshGit) -> None:
    first = origin.long_history(1000)
    mirror = mirror_of(server, origin)
    assert mirror.remote_head() == first
    mirror.fetch(first)
    second = origin.commit({"fleet.yaml": "a: 2\n"})
    mirror.fetch(second)
    assert mirror.commits_between(first, second) == (second,)


def test_the_key_from_systemd(origin: Origin, server: SshGit, monkeypatch: pytest.MonkeyPatch) -> None:
    head = origin.commit({"fleet.yaml": "a"})
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(server.client_key.parent))
    assert mirror_of(server, origin, identity="credential:deploy_key").remote_head() == head


def test_a_server_that_nobody_knows(origin: Origin, server: SshGit) -> None:
    origin.commit({"fleet.yaml": "a"})
    mirror = mirror_of(server, origin)
    server.known_hosts.write_text("")
    with pytest.raises(HostKeyUnknownError):
        mirror.remote_head()
    assert server.known_hosts.read_text() == ""
    server.known_hosts.unlink()
    with pytest.raises(HostKeyUnknownError):
        mirror.remote_head()


def test_a_server_with_another_key(origin: Origin, server: SshGit) -> None:
    origin.commit({"fleet.yaml": "a"})
    server.write_known_hosts(make_ssh_key(server.folder / "other_key"))
    with pytest.raises(HostKeyChangedError):
        mirror_of(server, origin).remote_head()


def test_a_key_that_is_not_let_in(origin: Origin, server: SshGit) -> None:
    origin.commit({"fleet.yaml": "a"})
    with pytest.raises(AuthError):
        mirror_of(server, origin, identity=str(make_ssh_key(server.folder / "stranger"))).remote_head()


def test_a_key_that_is_not_there_or_open_to_all(origin: Origin, server: SshGit) -> None:
    origin.commit({"fleet.yaml": "a"})
    with pytest.raises(AuthError):
        mirror_of(server, origin, identity="/nonexistent/key").remote_head()
    server.client_key.chmod(0o644)
    with pytest.raises(AuthError):
        mirror_of(server, origin).remote_head()


def test_no_branch_and_no_repository(origin: Origin, server: SshGit) -> None:
    with pytest.raises(RefMissingError):
        mirror_of(server, origin).remote_head()
    with pytest.raises(RepositoryMissingError):
        mirror_of(server, origin, url=server.url(origin.path.with_name("other.git"))).remote_head()


def test_a_server_that_is_down(origin: Origin, server: SshGit) -> None:
    with pytest.raises(RemoteDownError):
        mirror_of(server, origin, url=f"ssh://git@127.0.0.1:{free_port()}/fleet.git").remote_head()


def test_a_server_that_never_answers(origin: Origin, server: SshGit) -> None:
    with silent_server() as port:
        url = f"ssh://git@127.0.0.1:{port}/fleet.git"
        with pytest.raises(TimedOutError):
            mirror_of(server, origin, url=url, timeout_seconds=0.5).remote_head()
        assert left_behind(str(port)) == []
