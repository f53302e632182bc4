"""Every TCP port that a service listens on, with what it is for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sgfleet.rules.arguments import between
from sgfleet.rules.combinations._rows import attention_dp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Route


class Port(NamedTuple):
    """A port, what it is for, and the flag that it comes from; `route` is empty for a default.

    `key` is the entry of a flag that is a mapping. The ports of one flag and key move together.
    """

    number: int
    use: str
    route: Route
    flag: str
    key: str | None = None


def ports(args: Arguments) -> Iterator[Port]:
    """The ports of a service, without those that the release looks for itself, as for NCCL without `nccl-port`.

    Sources: PortArgs in srt/server_args.py, srt/managers/data_parallel_controller.py, srt/disaggregation/kv_events.py.
    """
    leads = (args.integer("node-rank") or 0) == 0
    if leads:
        yield from _flag(args, "port", "HTTP")
        yield from _flag(args, "nccl-port", "NCCL")
        yield from _flag(args, "grpc-port", "gRPC")
    if args.text("disaggregation-mode") == "prefill":
        yield from _flag(args, "disaggregation-bootstrap-port", "the bootstrap of disaggregation")
    if leads:
        yield from _rendezvous(args)
    yield from _events(args)


def _flag(args: Arguments, name: str, use: str) -> Iterator[Port]:
    number = args.integer(name) if args.has(name) else None
    if number is not None and 0 < number < 65_536:
        yield Port(number, use, _route(args, name), name)


def _route(args: Arguments, name: str) -> Route:
    """The flag where it is given; the service itself where the port is the release's default."""
    given = args.said(name)
    return () if given is None else given.route


_ADDRESS = "dist-init-addr"
_ZMQ_DELTA = 233
"""Without `dist-init-addr`, the rendezvous of attention data parallelism lies this far above `port`."""


def _rendezvous(args: Arguments) -> Iterator[Port]:
    """The address where ranks meet, and the block of ports above it that attention data parallelism adds."""
    given, http = args.said(_ADDRESS), args.integer("port")
    found = re.search(r":(\d{1,5})\Z", args.text(_ADDRESS) or "")
    first = int(found[1]) if found else None
    if first is not None:
        yield Port(first, "the rendezvous of the ranks", args.route(_ADDRESS), _ADDRESS)
    release = args.release.version
    ways = attention_dp(args)
    if ways == 1 or not between(release, "0.4.1.post7"):
        return
    if first is None:
        if given is not None or http is None:
            return
        first = http + _ZMQ_DELTA
        yield Port(first, f"the rendezvous of the ranks (port + {_ZMQ_DELTA})", _route(args, "port"), "port")
    flag = "port" if given is None else _ADDRESS
    route = _route(args, flag)
    last = _fixed(release) if between(release, "0.5.3.post2") else _fixed(release) + ways
    for number in range(first + 1, min(first + last, 65_535) + 1):
        yield Port(number, f"attention data parallelism (rendezvous + {number - first})", route, flag)


def _fixed(release: str) -> int:
    """Ports above the rendezvous that a release takes, workers aside."""
    for since, count in (("0.5.13", 6), ("0.4.8.post1", 5), ("0.4.4.post3", 4), ("0.4.1.post7", 3)):
        if between(release, since):
            return count
    return 0


_EVENTS_DEFAULT = "tcp://*:5557"


def _events(args: Arguments) -> Iterator[Port]:
    """Where KV events are published: one port for each way of attention data parallelism."""
    given = args.said("kv-events-config") if args.has("kv-events-config") else None
    config = given.value if given is not None else None
    if isinstance(config, str) and config:
        import json

        try:
            config = json.loads(config)
        except (ValueError, RecursionError):
            return
    if given is None or not isinstance(config, dict) or config.get("publisher") != "zmq":
        return
    for key, default in (("endpoint", _EVENTS_DEFAULT), ("replay_endpoint", None)):
        found = re.search(r":(\d{1,5})\Z", str(config.get(key, default) or ""))
        for offset in range(attention_dp(args)) if found else ():
            yield Port(int(found[1]) + offset if found else 0, "KV events", given.route, "kv-events-config", key)
