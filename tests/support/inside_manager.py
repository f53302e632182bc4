"""The real `SystemdManager`, at work inside a private systemd, for a test that is outside.

One process inside serves all calls, so that a call costs what it costs the agent.
"""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

from sgfleet.systemd.port import SystemdError
from support.private_systemd.machine import CHECKOUT
from support.private_systemd.process import Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.private_systemd import PrivateSystemd
    from support.private_systemd.users import User


class InsideManager:
    """Every method of `Manager`, forwarded. For `user`, that user's own manager."""

    def __init__(self, systemd: PrivateSystemd, user: User | None = None) -> None:
        command = [sys.executable, "-m", "support.inside_manager", "user" if user else "system"]
        become = user.become if user else ()
        self._process = Process(systemd, *become, *command, environment={"PYTHONPATH": str(CHECKOUT / "tests")})

    def __getattr__(self, method: str) -> Callable[..., Any]:
        def call(*arguments: object) -> Any:
            popen = self._process.popen
            assert popen.stdin
            assert popen.stdout
            assert popen.stderr
            pickle.dump((method, arguments), popen.stdin)
            popen.stdin.flush()
            try:
                failure, answer = pickle.load(popen.stdout)
            except EOFError:
                raise AssertionError(popen.stderr.read().decode()) from None
            if failure is not None:
                raise SystemdError(failure, answer)
            return answer

        return call

    def close(self) -> None:
        """End the process inside."""
        self._process.popen.communicate(timeout=10)


def serve(scope: str) -> None:
    """Answer calls until there are no more."""
    from sgfleet.systemd.manager import SystemdManager

    manager = SystemdManager.user() if scope == "user" else SystemdManager.system()
    while True:
        try:
            method, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = None, getattr(manager, method)(*arguments)
        except SystemdError as error:
            answer = error.failure, str(error)
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
