"""A real systemd for tests: PID 1 of its own namespaces, on a throw-away overlay of this machine's root.

Nothing inside reaches the machine. Its units are hidden (/etc/systemd/system is empty), /tmp, /run and /dev are fresh,
the network is a loopback of its own, writes go to an overlay in memory. The one exception is the folder `share`,
.cache/systemd/NAME/share of this checkout, which both sides see under the same path. There is no way to share another:
systemd clears /tmp, /var/tmp and their like when it boots, and would clear the machine's.

Needs root; systemd, dbus and util-linux; and a cgroup2 mount, also beside cgroup v1. Standard library only, so that it
also serves outside of pytest: `PYTHONPATH=tests python -m support.private_systemd --help`.
"""

from support.private_systemd.instance import PrivateSystemd
from support.private_systemd.machine import SystemdUnavailableError, unavailable
from support.private_systemd.record import sweep

__all__ = ["PrivateSystemd", "SystemdUnavailableError", "sweep", "unavailable"]
