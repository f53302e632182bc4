"""The systemd settings that a service may choose."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sgfleet.spec.models.base import Expect, Model, Several
from sgfleet.spec.models.quantities import Duration, SizeOrInfinity, SomeSizeOrInfinity

UnitName = Annotated[
    str,
    StringConstraints(
        pattern=r"^[A-Za-z0-9:_.\\-]+(@[A-Za-z0-9:_.\\-]*)?\.(service|socket|target|mount|path|timer|device|slice)$",
        max_length=255,
    ),
    Expect("the name of a unit with its suffix", ("network-online.target", "nvidia-persistenced.service")),
]


class UnitSettings(Model):
    """Keys are systemd's own directives in lower case with dashes; what is not listed here is not rendered.

    The defaults are those of a service that loads for minutes, pins memory and forks one process a rank.
    """

    after: Several[UnitName] = ("network-online.target", "nvidia-persistenced.service")
    """Units that must have been started before this one (After=)."""
    wants: Several[UnitName] = ("network-online.target",)
    """Units that are started with this one (Wants=)."""
    requires: Several[UnitName] = ()
    """Units without which this one does not run (Requires=)."""
    wanted_by: Several[UnitName] = ("multi-user.target",)
    """What pulls the service in at boot (WantedBy=)."""
    type: Literal["exec", "simple"] = "exec"
    """How systemd decides that the process has been started (Type=). SGLang does not notify."""
    restart: Literal["no", "on-failure", "on-abnormal", "on-abort", "on-success", "always"] = "on-failure"
    """When systemd starts the service again by itself (Restart=)."""
    restart_sec: Duration = 30
    """Pause before such a restart (RestartSec=)."""
    start_limit_interval_sec: Duration = 3600
    """Window in which starts are counted (StartLimitIntervalSec=): longer than the restarts that it is to stop."""
    start_limit_burst: Annotated[int, Field(ge=0, le=1000)] = 3
    """Starts within the window after which systemd gives up (StartLimitBurst=)."""
    timeout_start_sec: Duration | None = None
    """Bound on ExecStartPre and exec only (TimeoutStartSec=): it does not bound the load; `start: {budget: }` does."""
    timeout_stop_sec: Duration = 60
    """Time for a graceful end before SIGKILL (TimeoutStopSec=)."""
    kill_mode: Literal["control-group", "mixed", "process", "none"] = "control-group"
    """Which processes a stop ends (KillMode=). Ranks are processes of their own."""
    limit_nofile: Annotated[int, Field(ge=1024, le=2**30)] = 65536
    """Open files (LimitNOFILE=)."""
    limit_memlock: SizeOrInfinity = "infinity"
    """Memory that may be pinned (LimitMEMLOCK=): the host pool of every rank counts."""
    memory_max: SomeSizeOrInfinity | None = None
    """Hard bound on the memory of all the service's processes (MemoryMax=)."""
    memory_high: SomeSizeOrInfinity | None = None
    """Bound above which the kernel slows the service down (MemoryHigh=)."""
    oom_score_adjust: Annotated[int, Field(ge=-1000, le=1000)] | None = None
    """Whom the kernel ends first when memory runs out (OOMScoreAdjust=)."""
    nice: Annotated[int, Field(ge=-20, le=19)] | None = None
    """Scheduling priority (Nice=)."""
