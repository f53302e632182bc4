"""What a stand-in service does: a unit for a real systemd, and an instruction for the simulated one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

_HEADER = b"# script: "
CHILD_SECONDS = 4711
"""The child that a service leaves behind sleeps that long."""


@dataclass(frozen=True, slots=True)
class Script:
    """A service, by what it does. Times in milliseconds."""

    ends_after: int | None = None
    """None: it runs until it is stopped."""
    ends_with: int = 0
    """Its exit status; negative: it kills itself with that signal. 203: there is no executable."""
    on_stop: str = "ends"
    """On SIGTERM it ends, ignores it, or kills itself (as SGLang 0.5.9 does)."""
    child: bool = False
    """It starts a process in a session of its own, which ignores SIGTERM."""
    says: str = ""
    """A line that it prints at once."""
    restart: str = "on-failure"
    restart_delay: int = 100
    stop_timeout: int = 90_000
    kill_mode: str = "control-group"
    burst: int = 5
    interval: int = 10_000
    wanted: bool = True
    """It has an [Install] section, and can be enabled."""
    version: int = 0
    """Tells apart what is otherwise the same."""

    def unit(self) -> bytes:
        """The unit's text, for both. Its first line says what the script is."""
        lines = [
            (_HEADER + json.dumps(asdict(self)).encode()).decode(),
            "[Unit]",
            f"StartLimitBurst={self.burst}",
            f"StartLimitIntervalSec={self.interval}ms",
            "[Service]",
            "Type=exec",
            f"ExecStart={self._command()}",
            f"Restart={self.restart}",
            f"RestartSec={self.restart_delay}ms",
            f"TimeoutStopSec={self.stop_timeout}ms",
            f"KillMode={self.kill_mode}",
            *(["[Install]", "WantedBy=multi-user.target default.target"] if self.wanted else []),
        ]
        return "".join(f"{line}\n" for line in lines).encode()

    @classmethod
    def read(cls, content: bytes) -> Script | None:
        """The script of such a text; None for any other, which systemd is taken to refuse."""
        first = content.partition(b"\n")[0]
        return cls(**json.loads(first.removeprefix(_HEADER))) if first.startswith(_HEADER) else None

    def _command(self) -> str:
        if self.ends_with == 203:
            return "/nonexistent/program"
        trap = {"ends": "trap 'exit 0' TERM", "ignores": "trap '' TERM", "kills itself": "trap 'kill -9 $$$$' TERM"}
        steps = [f"trap '' TERM; setsid sleep {CHILD_SECONDS} &"] if self.child else []
        steps += [trap[self.on_stop], f"echo '{self.says}'" if self.says else ":"]
        if self.ends_after is None:
            steps.append("while :; do sleep 0.02; done")
        else:
            steps.append(f"sleep {self.ends_after / 1000}" if self.ends_after else ":")
            steps.append(f"exit {self.ends_with}" if self.ends_with >= 0 else f"kill {self.ends_with} $$$$")
        return f'/bin/bash -c "{"; ".join(steps).replace("&;", "&")}"'
