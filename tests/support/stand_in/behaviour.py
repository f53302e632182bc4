"""What the stand-in is told. A control file beside the model comes before variables, and may change while it runs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

FILE = "stand-in.json"
FAULTS = {
    "crash": "ends with status 1 before it loads: with Restart= a crash loop",
    "exit": "ends with status 1 when 95 % are loaded",
    "stall": "at half of the load nothing moves any more",
    "spin": "at half of the load only processor time passes",
    "never-bind": "loads, and never listens",
    "bind-late": "listens `late_seconds` after the load",
    "early-200": "says that it is healthy as soon as it listens, and never generates",
    "dead-scheduler": "says that it is healthy; whatever needs the scheduler waits for ever",
    "hang": "takes connections and answers none",
    "drip": "answers a byte at a time, for ever",
    "busy": "answers 503 for `late_seconds` after it was ready, then is well",
    "oom": "is killed `late_seconds` after it was ready, with a line about memory",
    "garbage": "answers 200 with text that is no JSON",
    "redirect": "answers with a redirect to another host",
}


@dataclass(frozen=True)
class Behaviour:
    """Times in seconds. `progress` of a load: "steady" (memory, log lines), "quiet" (nothing), "spin" (only processor).

    `bound_share`: the port is closed for that share of the load, then health answers as the release does while it
    starts. `kv_tokens` is what it reports, times `kv_share`. `version` replaces the release that it reports. `on_term`:
    "kill" (ends itself with SIGKILL, as 0.5.9 does), "exit", or "ignore". `children` processes hold `child_mib` each;
    they end with it, unless `children_stay`.
    """

    fault: str = ""
    load_seconds: float = 0.05
    progress: str = "steady"
    bound_share: float = 0.7
    late_seconds: float = 1.0
    health_seconds: float = 1.03
    hold_mib: int = 0
    kv_tokens: int = 100_000
    kv_share: float = 1.0
    version: str = ""
    on_term: str = "kill"
    children: int = 0
    child_mib: int = 0
    children_stay: bool = False

    def __post_init__(self) -> None:
        """A typing error in a test must not look like a server without faults."""
        if self.fault not in {"", *FAULTS}:
            raise ValueError(f"no fault {self.fault!r}: {', '.join(FAULTS)}")


def control(model: Path, **changes: Any) -> None:
    """Write the control file of a model's folder anew. A stand-in that runs sees it with the next thing it does."""
    Behaviour(**changes)
    fresh = model / f".{FILE}.new"
    fresh.write_text(json.dumps(changes))
    fresh.replace(model / FILE)


class Control:
    """Reads what a stand-in is told, again and again."""

    def __init__(self, model: str) -> None:
        self._file = Path(model, FILE)
        self._stamp: tuple[int, int] | None = None
        self._base = _from_environment()
        self._now = self._base

    @property
    def now(self) -> Behaviour:
        """What holds at this moment."""
        try:
            stat = self._file.stat()
        except OSError:
            return self._now
        stamp = (stat.st_mtime_ns, stat.st_ino)
        if stamp != self._stamp:
            self._stamp = stamp
            self._now = replace(self._base, **json.loads(self._file.read_text()))
        return self._now


def _from_environment() -> Behaviour:
    """STAND_IN_LOAD_SECONDS=3 and so on."""
    found = {}
    for each in fields(Behaviour):
        text = os.environ.get(f"STAND_IN_{each.name.upper()}")
        if text is not None:
            kind = type(each.default)
            found[each.name] = text.lower() in {"1", "true", "yes"} if kind is bool else kind(text)
    return Behaviour(**found)
