"""`python -m demo`: play the story on a private systemd."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from demo.story import Story
from support.private_systemd import PrivateSystemd, SystemdUnavailableError


def main() -> None:
    try:
        systemd = PrivateSystemd.boot(f"demo-{os.getpid()}", dies_with_caller=True)
    except SystemdUnavailableError as error:
        sys.exit(f"make demo boots a systemd of its own, in namespaces that only root may make: {error}")
    with tempfile.TemporaryDirectory(prefix="sgfleet-demo-") as folder:
        try:
            Story(systemd, Path(folder), lambda line: print(line, flush=True)).play()
        finally:
            systemd.stop()


if __name__ == "__main__":
    main()
