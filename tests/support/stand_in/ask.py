"""What the agent's own client and meter see, from inside a private systemd: it has a loopback and processes of its own.

python -m support.stand_in.ask server RELEASE PORT          health, generation and realised figures
python -m support.stand_in.ask load GROUP SECONDS           the verdict on a load that is watched for so long
Answers JSON on stdout.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time

from sgfleet.agent.address import Address
from sgfleet.agent.budget import Patience, StartBudget, progress
from sgfleet.agent.progress import Meter
from sgfleet.agent.server import HttpServer
from sgfleet.engine import endpoints
from sgfleet.observe import server_info


def main() -> None:
    """Ask once."""
    match sys.argv[1:]:
        case "server", release, port:
            print(json.dumps(_server(release, int(port))))
        case "load", group, seconds:
            print(json.dumps(_load(group, float(seconds))))


def _server(release: str, port: int) -> dict[str, object]:
    server = HttpServer(Address("127.0.0.1", port), endpoints.load(release))
    health = server.health()
    if not health.ok:
        return {"health": health.kind}
    generation, info = server.generate(), server.info()
    measured = dataclasses.asdict(server_info.measure(info.data)) if info.ok else None
    return {"health": "ok", "generation": generation.kind, "measured": measured}


def _load(group: str, seconds: float) -> dict[str, object]:
    meter, began = Meter(group), time.monotonic()
    taken = [meter.sample()]
    patience, budget = Patience(quiet=0.5, spinning=2), StartBudget(60, 60, "")
    while (found := progress(taken, began, budget, patience)).goes_on and time.monotonic() < began + seconds:
        time.sleep(0.1)
        taken.append(meter.sample())
    return {"state": found.state, "memory_bytes": taken[0].memory_bytes}


if __name__ == "__main__":
    main()
