"""The process that stands in for `python -m sglang.launch_server`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from sgfleet.engine import endpoints, store
from sgfleet.engine.argv.outcome import Parsed, Rejected
from sgfleet.engine.argv.parse import parse
from support.stand_in.behaviour import Control
from support.stand_in.load import Load
from support.stand_in.log import log

ENTRY = ["-m", "sglang.launch_server"]
USAGE = 2
READY = "The server is fired up and ready to roll!"


def main(version: str, root: str) -> None:
    """Be the server until somebody ends it."""
    words = sys.argv[1:]
    if words[:2] != ENTRY:
        sys.exit(f"this interpreter runs {' '.join(ENTRY)} alone, not {' '.join(words[:2])}")
    settings = _settings(version, Path(root), words[2:])
    control = Control(str(settings["model_path"]))
    signal.signal(signal.SIGTERM, lambda *_: _end(control))
    if control.now.fault == "crash":
        sys.exit("a fault: it ends before it loads")
    log(f"server_args=ServerArgs({', '.join(f'{name}={value!r}' for name, value in settings.items())})")
    load = Load(control, settings)
    from support.stand_in.serve import Front

    front = Front(version, endpoints.load(version, Path(root)), settings, control, load)
    bound = threading.Thread(target=_listen, args=(front, load, control), daemon=True)
    bound.start()
    load.run()
    if control.now.fault == "never-bind":
        _sleep_for_ever()
    bound.join()
    front.become_ready()
    log(READY)
    while True:
        if control.now.fault == "oom" and front.ready_for() > control.now.late_seconds:
            log("CUDA out of memory. Tried to allocate 2.00 GiB.")
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02)


def _settings(version: str, root: Path, words: list[str]) -> dict[str, Any]:
    """What the release stores of its command line, by the names of its settings."""
    release = store.load(version, root)
    outcome = parse(release, words, lambda path: Path(path).read_text())
    if isinstance(outcome, Parsed):
        return {release.renamed.get(dest, dest): value for dest, value in outcome.namespace.items()}
    message = outcome.message
    if isinstance(outcome, Rejected):
        print(f"launch_server.py: error: {message}", file=sys.stderr)
        sys.exit(USAGE)
    sys.exit(f"the stand-in cannot tell: {message}")


def _listen(front: Any, load: Load, control: Control) -> None:
    """Open the port when the load has come so far, or later, or never."""
    while load.share < control.now.bound_share or (
        control.now.fault == "bind-late" and load.done_for() < control.now.late_seconds
    ):
        time.sleep(0.005)
    if control.now.fault != "never-bind":
        front.bind()


def _end(control: Control) -> None:
    match control.now.on_term:
        case "ignore":
            return
        case "exit":
            os._exit(0)
        case _:
            os.kill(os.getpid(), signal.SIGKILL)


def _sleep_for_ever() -> None:
    while True:
        time.sleep(60)
