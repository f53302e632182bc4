"""What the agent does on a host, tried from inside its own unit: each line of the answer is what went wrong.

Run as `python sandboxed.py TEXTFILE REPOSITORY PID`, in place of the pass.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sgfleet.agent import metrics
from sgfleet.agent.mirror import Mirror
from sgfleet.agent.progress import Meter
from sgfleet.agent.remote import RemoteSettings
from sgfleet.agent.state import HostState
from sgfleet.agent.store import Store
from sgfleet.systemd.manager import SystemdManager

if TYPE_CHECKING:
    from collections.abc import Callable

UNIT = "sandbox-try.service"
TEXT = b"[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target\n"


def main(textfile: str, repository: str, pid: str) -> None:
    manager = SystemdManager.system()
    store = Store(Path("/var/lib/sgfleet"))
    must("verify", lambda: manager.verify(UNIT, TEXT) == ())
    must("stage", lambda: manager.stage(UNIT, TEXT) is None)
    must("install", lambda: manager.install(UNIT, TEXT) is None)
    must("reload", lambda: manager.reload() is None)
    must("enable", lambda: manager.enable(UNIT) is None)
    must("start", lambda: manager.start(UNIT) is None)
    must("show", lambda: manager.show([UNIT])[UNIT].load_state == "loaded")
    must(
        "journal",
        lambda: manager.journal(
            "sgfleet-agent.service", manager.show(["sgfleet-agent.service"])["sgfleet-agent.service"].invocation_id, 5
        ),
    )
    must("memory of a process of another user", lambda: manager.memory_of([int(pid)]).processes == 1)
    must("what it reads", lambda: Meter(None, int(pid)).sample().read_bytes is not None)
    must("stop", lambda: manager.stop(UNIT) is None)
    must("disable", lambda: manager.disable(UNIT) is None)
    must("remove", lambda: manager.remove(UNIT) is None)
    must("state", lambda: store.save(HostState()) is None)
    must("unit", lambda: store.keep_unit("[Unit]\n", {}))
    must("metrics", lambda: metrics.write(Path(textfile), "a 1\n") is None)
    mirror = Mirror(store.mirror, RemoteSettings(repository))
    must("the remote", mirror.remote_head)
    must("fetch", lambda: mirror.fetch(mirror.remote_head()) is None)
    must("what is in /tmp", lambda: Path("/tmp/sandbox-try").read_text())
    must("a file of another user", lambda: Path("/home/secret.env").read_text())
    must_not("become somebody else", lambda: os.setuid(65534))
    must_not("write to /usr", lambda: Path("/usr/x").touch())
    must_not("write to /etc", lambda: Path("/etc/x").touch())
    must_not("write to /root", lambda: Path("/root/x").touch())
    must_not("read the kernel's log", lambda: os.open("/dev/kmsg", os.O_RDONLY))


def must(what: str, call: Callable[[], object]) -> None:
    try:
        if not call():
            print(f"FAULT {what}: nothing came of it")
    except Exception as error:
        print(f"FAULT {what}: {error!r}")
    else:
        print(f"did {what}")


def must_not(what: str, call: Callable[[], object]) -> None:
    try:
        call()
    except OSError:
        print(f"did {what}")
    else:
        print(f"FAULT {what}: it could")


main(*sys.argv[1:])
