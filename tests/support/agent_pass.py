"""One pass of the agent in a process of its own, inside the private systemd; killed at a moment that a test chooses.

`python -m support.agent_pass CONFIG PATIENCE [KILL_AT]` prints {"code", "lines", "touches"}. A touch is a write of the
state, or anything that changes the host; KILL_AT counts them from 0, odd numbers after the touch, even ones before it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgfleet.agent import local
from sgfleet.agent.hands import hands_of
from sgfleet.agent.tick import Agent

if TYPE_CHECKING:
    from collections.abc import Callable

TOUCHES = ("stage", "install", "remove", "reload", "reset_failed", "start", "stop", "enable", "disable", "discard")


class Moments:
    """Counts touches, and ends the process as a power cut would."""

    def __init__(self, kill_at: int | None) -> None:
        self.kill_at = kill_at
        self.names: list[str] = []

    def wrap(self, owner: Any, name: str) -> None:
        call: Callable[..., Any] = getattr(owner, name)

        def touched(*arguments: Any) -> Any:
            number = len(self.names)
            self.names.append(name)
            self._end(2 * number)
            answer = call(*arguments)
            self._end(2 * number + 1)
            return answer

        setattr(owner, name, touched)

    def _end(self, moment: int) -> None:
        if moment == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    given = local.load(Path(sys.argv[1]))
    hands = hands_of(given)
    moments = Moments(int(sys.argv[3]) if len(sys.argv) > 3 else None)
    for name in TOUCHES:
        moments.wrap(hands.manager, name)
    moments.wrap(hands.store, "save")
    outcome = Agent(given, hands).tick(float(sys.argv[2]))
    print(json.dumps({"code": outcome.code, "lines": outcome.lines, "touches": moments.names}))


if __name__ == "__main__":
    main()
