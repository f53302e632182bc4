"""A number that the flag's type allows and that cannot work.

## What it does

Holds numbers against the bounds that follow from what they count, and against those that the release checks when it
starts: a memory fraction lies between 0 and 1, a port between 1 and 65,535, and there is at least one rank.

## Why

The parser takes any number. `mem-fraction-static: 85` is read as eighty-five times the GPU's memory, and the server
fails after it has loaded the weights.

## Bad

```yaml
flags:
  mem-fraction-static: 85
```

## Good

```yaml
flags:
  mem-fraction-static: 0.85
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Given
    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG014", "out-of-range", Severity.ERROR, "service")


class Bounds(NamedTuple):
    """Least and greatest value; `open_` leaves the ends themselves out. `since` is the first release that checks."""

    least: float
    most: float | None = None
    open_: bool = False
    since: str | None = None


_COUNT: Final = Bounds(1)
_PORT: Final = Bounds(1, 65_535)

BOUNDS: Final = {
    "mem-fraction-static": Bounds(0, 1, open_=True),
    "tensor-parallel-size": _COUNT,
    "pipeline-parallel-size": _COUNT,
    "data-parallel-size": _COUNT,
    "expert-parallel-size": _COUNT,
    "attention-context-parallel-size": _COUNT,
    "moe-data-parallel-size": _COUNT,
    "attn-dp-size": _COUNT,
    "nnodes": _COUNT,
    "node-rank": Bounds(0),
    "base-gpu-id": Bounds(0),
    "gpu-id-step": _COUNT,
    "port": _PORT,
    "nccl-port": _PORT,
    "grpc-port": _PORT,
    "disaggregation-bootstrap-port": _PORT,
    "context-length": _COUNT,
    "page-size": _COUNT,
    "max-running-requests": _COUNT,
    "max-total-tokens": _COUNT,
    "max-prefill-tokens": _COUNT,
    "chunked-prefill-size": Bounds(-1),
    "stream-interval": _COUNT,
    "decode-log-interval": _COUNT,
    "schedule-conservativeness": Bounds(0, since="0.5.5"),
    "swa-full-tokens-ratio": Bounds(0, 1, since="0.5.7"),
    "hicache-ratio": Bounds(0, open_=True),
    "hicache-size": Bounds(0),
    "hicache-host-memory-fraction": Bounds(0, 1),
    "cpu-offload-gb": Bounds(0),
    "cuda-graph-max-bs": _COUNT,
    "tokenizer-worker-num": _COUNT,
    "detokenizer-worker-num": _COUNT,
    "max-loras-per-batch": Bounds(1, since="0.5.1"),
    "max-lora-rank": _COUNT,
    "speculative-num-steps": Bounds(0),
    "speculative-eagle-topk": _COUNT,
    "speculative-num-draft-tokens": _COUNT,
}
"""First name of a flag -> its bounds. `since`: srt/server_args.py and, from 0.5.19, srt/arg_groups/*.py."""

_ZERO_TOO: Final = frozenset({"swa-full-tokens-ratio", "hicache-host-memory-fraction"})
"""Fractions that may be 1 and not 0."""

_GENERATIONS: Final = 3
_EXAMPLE_PORT: Final = 30_000
_THRESHOLD: Final = 700
"""Python's own for the youngest generation."""

_GRPC: Final = ("0.5.11", "0.5.15.post1")
"""These releases want `port` + 10,000 to be a port as well (for gRPC), unless SGLANG_GRPC_PORT says another."""


def check(view: ServiceView) -> Iterator[Problem]:
    """Numbers outside their bounds."""
    args = arguments(view)
    if args is None:
        return
    release = view.service.release
    for given in args.given.values():
        value = given.value
        if given.flag.name == "gc-threshold" and isinstance(value, list) and not 1 <= len(value) <= _GENERATIONS:
            yield Problem(given.route, f"gc-threshold takes 1 to {_GENERATIONS} numbers, not {len(value)}",
                          help=f"write {value[:_GENERATIONS] or [_THRESHOLD]}",
                          based_on=("Python's garbage collector has three generations",))  # fmt: skip
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        bounds = BOUNDS.get(given.flag.name)
        if bounds is not None and (bounds.since is None or between(release, bounds.since)):
            if (wrong := _outside(given.flag.name, value, bounds)) is not None:
                yield _problem(given, wrong, _help(given, bounds))
            elif given.flag.name == "port" and _no_grpc_port(view, value):
                sums = f"port {value} + 10,000 = {value + 10_000}, more than 65,535"
                yield _problem(given, "leaves no port for gRPC", "write a port up to 55535", sums)


def _no_grpc_port(view: ServiceView, port: float) -> bool:
    unset = "SGLANG_GRPC_PORT" not in view.service.environment
    return port + 10_000 > 65_535 and unset and between(view.service.release, *_GRPC)


def _outside(name: str, value: float, bounds: Bounds) -> str | None:
    least, most, open_, _ = bounds
    if value != value:  # not a number: every comparison with it is false
        return "must be a number"
    if value < least or (value == least and (open_ or name in _ZERO_TOO)):
        return f"must be {'more than' if open_ or name in _ZERO_TOO else 'at least'} {least:g}"
    if most is not None and (value > most or (value == most and open_)):
        return f"must be {'less than' if open_ else 'at most'} {most:g}"
    return None


def _help(given: Given, bounds: Bounds) -> str | None:
    if bounds.most == 1 and 10 <= given.value <= 100:  # a percentage; 1.2 is more likely a slip
        return f"did you mean {given.value / 100:g}?"
    if given.flag.name == "chunked-prefill-size":
        return "write -1 to turn chunked prefill off"
    if bounds == _PORT:
        return f"write a port from {_PORT.least:g} to {_PORT.most:g}, such as {_inside(given, bounds):g}"
    return f"write {_inside(given, bounds):g}, or leave {given.name} out"


def _inside(given: Given, bounds: Bounds) -> float:
    """A value that works: the release's default, else the bound that was passed, else what lies between both."""
    default = given.flag.default
    number = isinstance(default, int | float) and not isinstance(default, bool)
    if number and _outside(given.flag.name, default, bounds) is None:
        return float(default)
    if bounds == _PORT:
        return _EXAMPLE_PORT
    ends = [end for end in (bounds.least, bounds.most) if end is not None]
    nearest = min(ends, key=lambda end: abs(end - given.value)) if given.value == given.value else ends[0]
    if _outside(given.flag.name, nearest, bounds) is None:
        return nearest
    return bounds.least + 1 if bounds.most is None else (bounds.least + bounds.most) / 2


def _problem(given: Given, wrong: str, help_: str | None, *sums: str) -> Problem:
    return Problem(given.route, f"{given.name} {given.value:g} {wrong}", arithmetic=sums, help=help_,
                   based_on=(f"what {given.name} counts",))  # fmt: skip
