"""A service whose unit would take another unit's place.

## What it does

Looks for services named with a unit's suffix, and for those named like a unit that a machine of this kind has by
itself: ssh, docker, nvidia-persistenced, everything of systemd.

## Why

A service `x` becomes `x.service` in /etc/systemd/system, where it goes before the distribution's unit of the same
name. A service called `ssh` locks everybody out. One called `kimi.service` becomes `kimi.service.service`.

## Bad

```yaml
services:
  docker:
    flags:
      port: 30000
```

## Good

```yaml
services:
  sglang-docker:
    flags:
      port: 30000
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT008", "unit-name", Severity.ERROR, "service")

_SUFFIXES = ("service", "socket", "target", "mount", "automount", "swap", "path", "timer", "slice", "scope", "device")
_TAKEN = frozenset((
    "apache2", "apparmor", "auditd", "autofs", "caddy", "chrony", "chronyd", "containerd", "cron", "crond",
    "dbus", "dbus-broker", "dcgm-exporter", "docker", "emergency", "fail2ban", "firewalld", "getty",
    "grafana-server", "httpd", "iptables", "k3s", "kubelet", "mdmonitor", "multipathd", "network", "networking",
    "networkmanager", "nfs-server", "nftables", "nginx", "node_exporter", "ntp", "nvidia-dcgm",
    "nvidia-fabricmanager", "nvidia-persistenced", "nvidia-powerd", "openibd", "podman", "polkit", "prometheus",
    "prometheus-node-exporter", "rescue", "rpcbind", "rsyslog", "sgfleet", "sgfleet-agent", "ssh", "sshd",
    "udev", "ufw",
))  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """A name that is taken, or that is a unit's already."""
    name = view.name
    bare, _, suffix = name.rpartition(".")
    if bare and suffix in _SUFFIXES:
        message = f"{name} would become {name}.service: the suffix is added by the renderer"
        help_ = f"write {bare}"
    elif name in _TAKEN or name.startswith("systemd-"):
        message = (
            f"{name}.service is the name of a unit that machines have by themselves: this one would take its place"
        )
        help_ = f"write sglang-{name}"
    else:
        return
    yield Problem((), message, "key", help=help_, based_on=("systemd.unit(5), unit load path",))
