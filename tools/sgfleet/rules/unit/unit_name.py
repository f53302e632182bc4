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

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT008", "unit-name", Severity.ERROR, "service")

_SUFFIX = re.compile(r"\.(service|socket|target|mount|automount|swap|path|timer|slice|scope|device)\Z")
_TAKEN = re.compile(
    r"systemd-.+|(?:ssh|sshd|cron|crond|dbus|dbus-broker|docker|containerd|podman|kubelet|k3s|nginx|apache2|httpd|caddy|"
    r"networking|network|networkmanager|chrony|chronyd|ntp|rsyslog|auditd|firewalld|ufw|nftables|iptables|fail2ban|polkit|"
    r"apparmor|udev|getty|rescue|emergency|multipathd|mdmonitor|nfs-server|rpcbind|autofs|prometheus|node_exporter|"
    r"prometheus-node-exporter|grafana-server|nvidia-persistenced|nvidia-fabricmanager|nvidia-powerd|nvidia-dcgm|"
    r"dcgm-exporter|openibd|mooncake_master|sgfleet-agent|sgfleet)"
)


def check(view: ServiceView) -> Iterator[Problem]:
    """A name that is taken, or that is a unit's already."""
    name = view.name
    if found := _SUFFIX.search(name):
        message = f"{name} would become {name}.service: the suffix is added by the renderer"
        help_ = f"write {name[: found.start()]}"
    elif _TAKEN.fullmatch(name):
        message = (
            f"{name}.service is the name of a unit that machines have by themselves: this one would take its place"
        )
        help_ = f"write sglang-{name}"
    else:
        return
    yield Problem((), message, "key", help=help_, based_on=("systemd.unit(5), unit load path",))
