"""Where the fleet's repository is, and how a host may reach it: the host's own settings, made into options for Git.

The token for https goes into Git's environment as a header for that one server (GIT_CONFIG_COUNT). A command line is
read by every user of the host, an environment by its owner alone; an askpass program would be one more file to guard
and one more request on every tick, because Git asks it only after a refusal.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from sgfleet.source.git_faults import CredentialError

SCHEMES: Final = ("https", "ssh", "file")
CREDENTIAL: Final = "credential:"
"""`credential:NAME` is the file NAME in the folder that systemd's LoadCredential= makes for the agent."""

LONGEST_URL: Final = 2000
MOST_TOKEN_BYTES: Final = 16384
CONNECT_SECONDS: Final = 10

_HELPER: Final = re.compile(r"[A-Za-z0-9+.-]*::")
_HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_USER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_SHORT_SSH: Final = re.compile(r"(?:(?P<user>[^@:/]*)@)?(?P<host>[^:/\[\]@]+|\[[0-9A-Fa-f:.]+\]):(?P<path>.+)")
_PLAIN_PATH: Final = re.compile(r"/[A-Za-z0-9_./@:+,=-]+")
"""What neither the shell that Git starts ssh with, nor ssh's own options, read as anything but a path."""
_NO_BRANCH: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/]|(^|/)\.|\.lock(/|$)|[./]$|^@$|^$")


class RemoteSettingsError(ValueError):
    """A setting that would not be safe, or cannot work. `key` is its name in agent.toml."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """`token` and `identity` are absolute paths, or `credential:NAME`. Times in seconds, sizes in bytes.

    Raises:
        RemoteSettingsError: the URL or the branch is not one that Git may be given, or what ssh needs is not said.
    """

    url: str
    branch: str = "main"
    token: str | None = None
    user: str = "x-access-token"
    ca_file: str | None = None
    proxy: str | None = None
    identity: str | None = None
    known_hosts: str | None = None
    timeout_seconds: float = 30.0
    fetch_timeout_seconds: float = 300.0
    most_fetch_bytes: int = 512 * 2**20

    def __post_init__(self) -> None:
        """Look at everything once: what was made can be given to Git."""
        scheme = scheme_of(self.url)
        if _NO_BRANCH.search(self.branch) or len(self.branch) > 200:
            raise RemoteSettingsError("branch", f"{self.branch[:80]!a} is not the name of a branch")
        if not _USER.fullmatch(self.user):
            raise RemoteSettingsError("user", "holds characters that no user name has")
        for key, path in (("ca-file", self.ca_file), ("known-hosts", self.known_hosts)):
            if path is not None and not _PLAIN_PATH.fullmatch(path):
                raise RemoteSettingsError(key, "is not an absolute path of letters, digits and _./@:+,=-")
        for key, secret in (("token", self.token), ("identity", self.identity)):
            if secret is not None:
                _check_place(key, secret)
        if self.token is not None and scheme != "https":
            raise RemoteSettingsError("token", f"is for https, and the URL is for {scheme}")
        if self.proxy is not None and not re.fullmatch(r"(https?|socks5h?)://[A-Za-z0-9.\[\]:-]+/?", self.proxy):
            raise RemoteSettingsError("proxy", "is not http://HOST:PORT or socks5h://HOST:PORT")
        if scheme == "ssh" and self.known_hosts is None:
            raise RemoteSettingsError("known-hosts", "is needed for ssh: a server that nobody knows is not trusted")
        if scheme == "ssh" and self.identity is None:
            raise RemoteSettingsError("identity", "is needed for ssh: the key that may read the repository")
        if min(self.timeout_seconds, self.fetch_timeout_seconds, self.most_fetch_bytes) <= 0:
            raise RemoteSettingsError("timeout", "limits are greater than zero")


class Transport(NamedTuple):
    """What Git needs beside the URL: see `IsolatedGit`. `variables` holds the secret."""

    scheme: str
    settings: dict[str, str]
    variables: dict[str, str]


def scheme_of(url: str) -> str:
    """https, ssh or file.

    Raises:
        RemoteSettingsError: any other, or one that Git or ssh could take for an option, a program or a password.
    """
    if not url or len(url) > LONGEST_URL or not url.isprintable():
        raise RemoteSettingsError("url", "is empty, very long, or holds control characters")
    if url.startswith("-"):
        raise RemoteSettingsError("url", "begins with '-': Git would take it for an option")
    if _HELPER.match(url):
        raise RemoteSettingsError("url", "names a remote helper (`word::`), which is a program that Git would run")
    if url.startswith("/"):
        return "file"
    if "://" in url:
        return _check_parts(urlsplit(url))
    short = _SHORT_SSH.fullmatch(url)
    if short is None or short["host"] in SCHEMES:
        raise RemoteSettingsError("url", "is neither https://…, ssh://…, user@host:path nor an absolute path")
    _check_server(short["host"], short["user"])
    if short["path"].startswith("-") or re.search(r"\s|@", short["path"]):
        raise RemoteSettingsError("url", "has a path with blanks or '@', or one that begins with '-'")
    return "ssh"


def _check_parts(parts: SplitResult) -> str:
    if parts.scheme not in SCHEMES:
        raise RemoteSettingsError("url", f"{parts.scheme[:20]}:// is not among https://, ssh:// and file://")
    if parts.query or parts.fragment:
        raise RemoteSettingsError("url", "has a query or a fragment; a credential belongs into `token`")
    if parts.scheme == "file":
        if parts.netloc or not parts.path.startswith("/"):
            raise RemoteSettingsError("url", "is not file:///absolute/path")
        return "file"
    try:
        user, password, _ = parts.username, parts.password, parts.port
    except ValueError:
        raise RemoteSettingsError("url", "has a port that is no number up to 65535") from None
    if password is not None or (parts.scheme == "https" and user is not None):
        raise RemoteSettingsError("url", "holds a credential; it belongs into `token`, where no process list shows it")
    _check_server(re.sub(r":\d*$", "", parts.netloc.rpartition("@")[2]), user)
    if re.search(r"\s", parts.path) or parts.path.startswith("/-"):
        raise RemoteSettingsError("url", "has a path with blanks, or one that begins with '-'")
    return parts.scheme


def _check_server(host: str, user: str | None) -> None:
    if not _HOST.fullmatch(host):
        raise RemoteSettingsError("url", "has no host name that ssh and https agree on")
    if user is not None and not _USER.fullmatch(user):
        raise RemoteSettingsError("url", "has a user name with characters that ssh could read as something else")


def _check_place(key: str, place: str) -> None:
    name = place.removeprefix(CREDENTIAL)
    if name == place and not _PLAIN_PATH.fullmatch(place):
        raise RemoteSettingsError(
            key, "is neither credential:NAME nor an absolute path of letters, digits and _./@:+,=-"
        )
    if name != place and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise RemoteSettingsError(key, "is credential:NAME with letters, digits and _.-")


def credential_path(place: str) -> Path:
    """The file of a token or a key.

    Raises:
        CredentialError: it is one of systemd's, and systemd gave none.
    """
    name = place.removeprefix(CREDENTIAL)
    if name == place:
        return Path(place)
    folder = os.environ.get("CREDENTIALS_DIRECTORY", "")
    if not _PLAIN_PATH.fullmatch(folder):
        raise CredentialError(f"systemd gave no credentials: LoadCredential={name}:… is missing in the agent's service")
    return Path(folder) / name


def transport(remote: RemoteSettings) -> Transport:
    """Options and environment for one call over the network. The credential is read now, so that a renewed one counts.

    Raises:
        CredentialError: the credential cannot be read, or others can read it too.
    """
    scheme = scheme_of(remote.url)
    settings = {"protocol.allow": "never", f"protocol.{scheme}.allow": "always"}
    variables: dict[str, str] = {}
    if scheme == "https":
        settings |= {"http.lowSpeedLimit": "1000", "http.lowSpeedTime": f"{remote.timeout_seconds:.0f}"}
        if remote.ca_file is not None:
            settings["http.sslCAInfo"] = remote.ca_file
        if remote.proxy is not None:
            settings["http.proxy"] = remote.proxy
        if remote.token is not None:
            variables = _header(remote, _token(credential_path(remote.token)))
    if scheme == "ssh":
        variables = {"GIT_SSH_COMMAND": _ssh(remote), "GIT_SSH_VARIANT": "ssh"}
    return Transport(scheme, settings, variables)


def _header(remote: RemoteSettings, token: str) -> dict[str, str]:
    server = urlsplit(remote.url).netloc
    basic = base64.b64encode(f"{remote.user}:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.https://{server}/.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
    }


def _token(path: Path) -> str:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(MOST_TOKEN_BYTES + 1)
    except OSError as error:
        raise CredentialError(f"the token {path} cannot be read: {error.strerror}") from error
    if mode & 0o077:
        raise CredentialError(f"the token {path} is open to other users: chmod 600")
    token = data.strip()
    if not token or len(data) > MOST_TOKEN_BYTES or not all(0x21 <= byte <= 0x7E for byte in token):
        raise CredentialError(f"the token {path} is not one line of printable characters")
    return token.decode("ascii")


def _ssh(remote: RemoteSettings) -> str:
    if remote.identity is None or remote.known_hosts is None:
        raise CredentialError("ssh needs identity and known-hosts")
    options = {
        "BatchMode": "yes",
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": remote.known_hosts,
        "GlobalKnownHostsFile": "/dev/null",
        "UpdateHostKeys": "no",
        "IdentityFile": str(credential_path(remote.identity)),
        "IdentitiesOnly": "yes",
        "IdentityAgent": "none",
        "PreferredAuthentications": "publickey",
        "ConnectTimeout": str(CONNECT_SECONDS),
        "ServerAliveInterval": "10",
        "ServerAliveCountMax": "3",
        "ControlPath": "none",
        "ForwardAgent": "no",
        "ClearAllForwardings": "yes",
        "PermitLocalCommand": "no",
        "ProxyCommand": "none",
    }
    words = ["ssh", "-F", "/dev/null", *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]
    return shlex.join(words)
