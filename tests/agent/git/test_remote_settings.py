"""What may stand in the host's settings for its remote: nothing that Git, ssh or a shell takes for something else."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgfleet.agent.remote import RemoteSettings, RemoteSettingsError, scheme_of, transport
from sgfleet.source.git_faults import CredentialError

if TYPE_CHECKING:
    from pathlib import Path

SSH = {"identity": "/etc/sgfleet/deploy_key", "known_hosts": "/etc/sgfleet/known_hosts"}


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        ("https://git.example.org/team/fleet.git", "https"),
        ("https://git.example.org:8443/fleet", "https"),
        ("ssh://git@git.example.org:2222/team/fleet.git", "ssh"),
        ("ssh://[2001:db8::1]/fleet.git", "ssh"),
        ("git@git.example.org:team/fleet.git", "ssh"),
        ("git.example.org:fleet.git", "ssh"),
        ("file:///srv/git/fleet.git", "file"),
        ("/srv/git/fleet.git", "file"),
    ],
)
def test_ways_that_are_used(url: str, scheme: str) -> None:
    assert scheme_of(url) == scheme


@pytest.mark.parametrize(
    "url",
    [
        "",
        "--upload-pack=touch /tmp/x",
        "-oProxyCommand=touch",
        "ext::sh -c 'touch /tmp/x'",
        "fd::3",
        "::https://git.example.org/fleet.git",
        "http://git.example.org/fleet.git",
        "git://git.example.org/fleet.git",
        "ftp://git.example.org/fleet.git",
        "https://user:secret@git.example.org/fleet.git",
        "https://token@git.example.org/fleet.git",
        "https://git.example.org/fleet.git?private_token=secret",
        "https:///fleet.git",
        "https://git.example.org:port/fleet.git",
        "https://git.example.org/fleet.git\nfoo",
        "https://git.example.org/a b",
        "https://-host/fleet.git",
        "ssh://git:secret@git.example.org/fleet.git",
        "ssh://-oProxyCommand=touch/fleet.git",
        "ssh://-oProxyCommand=touch@git.example.org/fleet.git",
        "ssh://git@git.example.org/-fleet.git",
        "ssh://a;b@git.example.org/fleet.git",
        "-git@git.example.org:fleet.git",
        "git@-oProxyCommand=x:fleet.git",
        "git@git.example.org:-fleet.git",
        "git:secret@git.example.org:fleet.git",
        "file://elsewhere/srv/git/fleet.git",
        "file:relative",
        "../fleet.git",
        "fleet.git",
        "/srv/git/\x1b[31mfleet.git",
        "https://git.example.org/" + "a" * 3000,
    ],
)
def test_ways_that_are_refused(url: str) -> None:
    with pytest.raises(RemoteSettingsError) as caught:
        RemoteSettings(url, **SSH)
    assert caught.value.key == "url"
    assert "secret" not in str(caught.value)


@given(st.text(max_size=40), st.sampled_from(["", "https://", "ssh://", "file://", "git@", "-", "ext::"]))
def test_any_text_is_used_or_refused_in_words(text: str, start: str) -> None:
    try:
        answer = scheme_of(start + text)
    except RemoteSettingsError as error:
        answer = str(error)
    assert answer.isprintable()
    if answer in {"https", "ssh", "file"}:
        assert not (start + text).startswith("-")
        assert "::" not in start


@pytest.mark.parametrize("branch", ["main", "release/2026-11", "a.b", "ünïcode", "x-", "+a"])
def test_branches_that_are_used(branch: str) -> None:
    assert RemoteSettings("/srv/fleet.git", branch).branch == branch


@pytest.mark.parametrize(
    "branch",
    ["", "-x", "--upload-pack=x", "a b", "a..b", "a:b", "a\n", "a^", "a~1", "a*", "/a", "a/", "a//b", ".a", "a.lock",
     "a/.b", "a.", "@", "a@{1}", "a\\b", "a[b", "a" * 300, "\x7f"],
)  # fmt: skip
def test_branches_that_are_refused(branch: str) -> None:
    with pytest.raises(RemoteSettingsError) as caught:
        RemoteSettings("/srv/fleet.git", branch)
    assert caught.value.key == "branch"


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("known-hosts", {"url": "git@example.org:fleet.git", "identity": "/k"}),
        ("identity", {"url": "git@example.org:fleet.git", "known_hosts": "/k"}),
        ("identity", {"url": "git@example.org:fleet.git", "known_hosts": "/k", "identity": "/k -oProxyCommand=x"}),
        ("known-hosts", {"url": "git@example.org:fleet.git", "known_hosts": "/k;x", "identity": "/k"}),
        ("known-hosts", {"url": "git@example.org:fleet.git", "known_hosts": "/%d/k", "identity": "/k"}),
        ("token", {"url": "/srv/fleet.git", "token": "/etc/token"}),
        ("token", {"url": "https://example.org/fleet.git", "token": "ghp_secret"}),
        ("token", {"url": "https://example.org/fleet.git", "token": "credential:../x"}),
        ("ca-file", {"url": "https://example.org/fleet.git", "ca_file": "relative.pem"}),
        ("user", {"url": "https://example.org/fleet.git", "user": "a:b"}),
        ("proxy", {"url": "https://example.org/fleet.git", "proxy": "-x"}),
        ("timeout", {"url": "https://example.org/fleet.git", "timeout_seconds": 0}),
    ],
)
def test_settings_that_cannot_work_are_named(key: str, settings: dict[str, Any]) -> None:
    with pytest.raises(RemoteSettingsError) as caught:
        RemoteSettings(**settings)
    assert caught.value.key == key
    assert "ghp_secret" not in str(caught.value)


def test_the_token_goes_only_into_the_environment(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text("s3cret\n")
    way = transport(RemoteSettings("https://example.org/fleet.git", token=str(token)))
    assert way.variables["GIT_CONFIG_KEY_0"] == "http.https://example.org/.extraHeader"
    assert way.variables["GIT_CONFIG_VALUE_0"] == "Authorization: Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0"
    assert "extraHeader" not in str(way.settings)


def test_a_token_from_systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = RemoteSettings("https://example.org/fleet.git", token="credential:git-token")
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    with pytest.raises(CredentialError, match="LoadCredential=git-token"):
        transport(remote)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    with pytest.raises(CredentialError, match="No such file"):
        transport(remote)
    (tmp_path / "git-token").touch(mode=0o400)
    (tmp_path / "git-token").chmod(0o600)
    (tmp_path / "git-token").write_text("s3cret")
    assert transport(remote).variables


@pytest.mark.parametrize("content", ["", "\n", "two\nlines", "a b", "zwölf", "x" * 20000, "nul\0"])
def test_a_token_that_is_none(tmp_path: Path, content: str) -> None:
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text(content)
    with pytest.raises(CredentialError, match="not one line"):
        transport(RemoteSettings("https://example.org/fleet.git", token=str(token)))


def test_a_token_that_others_can_read(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("s3cret")
    token.chmod(0o644)
    with pytest.raises(CredentialError, match="chmod 600"):
        transport(RemoteSettings("https://example.org/fleet.git", token=str(token)))


def test_ssh_knows_one_key_and_one_list_of_hosts() -> None:
    command = shlex.split(transport(RemoteSettings("git@example.org:fleet.git", **SSH)).variables["GIT_SSH_COMMAND"])
    assert command[:3] == ["ssh", "-F", "/dev/null"]
    for option in ("StrictHostKeyChecking=yes", "BatchMode=yes", "IdentityFile=/etc/sgfleet/deploy_key",
                   "UserKnownHostsFile=/etc/sgfleet/known_hosts", "IdentityAgent=none"):  # fmt: skip
        assert option in command
