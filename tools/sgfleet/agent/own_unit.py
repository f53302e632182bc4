"""The text of the agent's own units and of its file. Pure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.agent.local import STATE_FOLDER
from sgfleet.agent.remote import CREDENTIAL
from sgfleet.render.quoting import exec_word, executable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sgfleet.agent.local import Local

SERVICE: Final = "sgfleet-agent.service"
TIMER: Final = "sgfleet-agent.timer"
INTERVAL_SECONDS: Final = 30
BRANCH: Final = "main"
"""What is followed where nothing else is said."""
CREDENTIALS: Final = "/etc/sgfleet/credentials"
_PLAIN: Final = re.compile(r"/[A-Za-z0-9_./@:+,=-]+")

_PRIVILEGES: Final = """\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077
"""
"""What a user's manager can do as well."""

_SANDBOX: Final = """\
ProtectSystem=strict
ProtectHome=read-only
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
KeyringMode=private
DevicePolicy=closed
DeviceAllow=char-nvidia* rw
CapabilityBoundingSet=CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_SYS_PTRACE
"""
"""What the system's manager can do. What a service will see is looked at before its stop, so /tmp and the homes are the
host's own, and /proc shows all processes. Capabilities: environment files and models belong to anybody (DAC); what a
process of another user holds stands in /proc (PTRACE)."""


class UnfitError(Exception):
    """A path cannot be written into a unit."""


class Setup(NamedTuple):
    """What `install` is told of a host that has no file yet. Paths are absolute; None for what is not said."""

    host: str
    url: str
    branch: str = BRANCH
    allowed_signers: str | None = None
    gpg_home: str | None = None
    known_hosts: str | None = None
    identity: str | None = None
    token: str | None = None
    textfile: str | None = None
    report: bool = False
    unsigned: bool = False
    scope: str = "system"
    state: str | None = None


def config(setup: Setup) -> str:
    """agent.toml, with a word on every line that a person may want to change."""
    return "".join(f"{line}\n" for line in _config(setup))


def _config(setup: Setup) -> Iterator[str]:
    yield "# What this host takes from its repository, and what no repository may exceed here."
    yield "# Keys that are not known are errors. After a change of paths: sgfleet agent install."
    yield _key("host", setup.host) + "  # its folder under hosts/"
    yield f"{_key('scope', setup.scope)}  # whose systemd: system, or user for services of one account"
    yield _key("mode", "report" if setup.report else "apply") + "  # report: say what would be done, and do nothing"
    if setup.state is not None:
        yield _key("state", setup.state)
    yield "\n[repository]"
    yield _key("url", setup.url)
    yield _key("branch", setup.branch)
    yield from _keys(setup, "token", "identity", "known_hosts")
    if setup.token is None and setup.url.startswith("https:"):
        yield f'# token = "credential:git-token"  # the file {CREDENTIALS}/git-token, handed over by systemd'
    yield "\n[trust]"
    yield _key("mode", "none" if setup.unsigned else "signed") + "  # none: whatever the branch holds is taken"
    yield from _keys(setup, "allowed_signers", "gpg_home")
    yield "\n[limits]"
    yield "# Patterns with *; a key that is not set limits nothing."
    yield '# services = ["sglang-*"]'
    yield '# users = ["sglang"]  # without it every user but root'
    yield '# executables = ["/opt/sglang/*/bin/python3"]'
    yield '# models = ["/srv/models/*"]'
    yield "# ports = [30000, 30999]"
    yield '# reserve = "16GiB"  # of host RAM, whatever the repository says'
    yield "\n[apply]"
    yield '# drift = "refuse"  # a unit that was edited here: refuse, report or correct'
    yield '# windows = ["22:00-06:00"]  # local time, in which something new may begin'
    yield "# confirm = true  # nothing new begins without sgfleet agent confirm"
    yield '# bake = "2m"  # how long a service is watched after its first generation'
    yield "\n[report]"
    if setup.textfile is None:
        yield '# textfile = "/var/lib/prometheus/node-exporter/sgfleet.prom"'
    yield from _keys(setup, "textfile")
    yield '# hook = ["/usr/local/bin/page"]  # on each transition; SGFLEET_STATE and more in its environment'


def _keys(setup: Setup, *names: str) -> Iterator[str]:
    for name in names:
        if (value := getattr(setup, name)) is not None:
            yield _key(name.replace("_", "-"), value)


def _key(name: str, value: str) -> str:
    """TOML's basic strings are JSON's, as long as nothing is written as a pair of surrogates."""
    return f"{name} = {json.dumps(value, ensure_ascii=False)}"


def service(local: Local, program: tuple[str, ...], config_path: Path) -> str:
    """The oneshot that is one pass.

    Raises:
        UnfitError: a path of the host's file cannot be written into a unit.
        Unquotable: nor can the program's.
    """
    words = " ".join([executable(program[0]), *map(exec_word, (*program[1:], "agent", "tick", "--quiet"))])
    words += f" --config {exec_word(str(config_path))}"
    head = (
        "[Unit]\nDescription=sgfleet: one pass of the host's agent\n"
        "Documentation=man:sgfleet(1)\nWants=network-online.target\nAfter=network-online.target\n\n"
        f"[Service]\nType=oneshot\nExecStart={words}\n"
        "SuccessExitStatus=10 20\n"  # pending and blocked are not the agent's failure; 30 and 40 shall be seen
        "TimeoutStartSec=30min\nTimeoutStopSec=30s\n"
    )
    if local.scope == "user":
        return f"{head}{_PRIVILEGES}"
    return f"{head}{''.join(_places(local))}{_SANDBOX}{_PRIVILEGES}"


def _places(local: Local) -> Iterator[str]:
    """What it may write, and what systemd hands it."""
    if local.state == STATE_FOLDER:
        yield "StateDirectory=sgfleet\nStateDirectoryMode=0700\n"
    else:
        yield f"ReadWritePaths={_path(local.state)}\n"
    yield "ReadWritePaths=/etc/systemd/system /tmp\n"
    if local.textfile is not None:
        yield f"ReadWritePaths=-{_path(local.textfile.parent)}\n"
    for place in (local.remote.token, local.remote.identity):
        if place is not None and place.startswith(CREDENTIAL):
            name = place.removeprefix(CREDENTIAL)
            yield f"LoadCredential={name}:{CREDENTIALS}/{name}\n"


def _path(path: Path) -> str:
    if not _PLAIN.fullmatch(str(path)):
        raise UnfitError(f"{path} cannot be written into {SERVICE}: only letters, digits and _./@:+,=- can")
    return str(path)


def timer() -> str:
    """When the passes are: one after the other, not all hosts at once."""
    return (
        "[Unit]\nDescription=sgfleet: passes of the host's agent\nDocumentation=man:sgfleet(1)\n\n"
        f"[Timer]\nOnBootSec=1min\nOnUnitInactiveSec={INTERVAL_SECONDS}s\n"
        "RandomizedDelaySec=10s\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n"
    )
