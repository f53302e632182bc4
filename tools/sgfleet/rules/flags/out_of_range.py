"""A number that the flag's type allows and that cannot work.

## What it does

Holds numbers against the bounds that follow from what they count, and against those that the release checks when it
starts: a memory fraction lies between 0 and 1, a port between 1 and 65,535, and there is at least one rank. No flag
takes what is no number, what is infinite (but for the last bucket of a histogram) or what 64 bits do not hold.

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

from typing import TYPE_CHECKING, Any, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.flags._bounds import ANY, PORT, bounds_of, figure, outside
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Given
    from sgfleet.rules.flags._bounds import Bounds
    from sgfleet.rules.rule import Route, ServiceView

RULE = Rule("FLG014", "out-of-range", Severity.ERROR, "service")

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
        numbers = list(_numbers(given.route, value))
        if not numbers:
            continue
        bounds = bounds_of(given.flag)
        if bounds.since is not None and not between(release, bounds.since):
            bounds = ANY
        for route, number in numbers:
            if (wrong := outside(number, bounds)) is not None:
                yield _problem(given, route, number, wrong, bounds, _help(given, number, bounds))
        if given.flag.name == "port" and _no_grpc_port(view, value):
            sums = f"port {value} + 10,000 = {value + 10_000:,}, more than 65,535"
            yield _problem(given, given.route, value, "leaves no port for gRPC", PORT, "write a port up to 55535", sums)


def _numbers(route: Route, value: Any) -> Iterator[tuple[Route, float]]:
    """The number that a value is, or those that it lists, and where each of them stands."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield route, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, int | float) and not isinstance(item, bool):
                yield (*route, index), item


def _no_grpc_port(view: ServiceView, port: float) -> bool:
    unset = "SGLANG_GRPC_PORT" not in view.service.environment
    return 65_535 >= port > 55_535 and unset and between(view.service.release, *_GRPC)


def _help(given: Given, value: float, bounds: Bounds) -> str | None:
    if bounds.most == 1 and 10 <= value <= 100:  # a percentage; 1.2 is more likely a slip
        return f"did you mean {value / 100:g}?"
    if given.flag.name == "chunked-prefill-size" and value < bounds.least:
        return "write -1 to turn chunked prefill off"
    if bounds == PORT:
        return f"write a port from {PORT.least:g} to {PORT.most:g}, such as {_inside(given, value, bounds):g}"
    works = _inside(given, value, bounds)
    if isinstance(given.value, list):
        return "leave it out of the list" if works is None else f"write {works:g}, or leave it out of the list"
    return f"leave {given.name} out" if works is None else f"write {works:g}, or leave {given.name} out"


def _inside(given: Given, value: float, bounds: Bounds) -> float | None:
    """A value that works: the release's default, else the bound that was passed, for a fraction what lies between both.

    None where nobody wants the bound: what is the most that there can be fits no machine, and no time is next to none.
    """
    default = given.flag.default
    number = isinstance(default, int | float) and not isinstance(default, bool)
    if number and outside(default, bounds) is None:
        return float(default)
    if bounds == PORT:
        return _EXAMPLE_PORT
    if bounds.most == 1:
        ends = (bounds.least, bounds.most)
        nearest = min(ends, key=lambda end: abs(end - value)) if value == value else ends[0]
        return nearest if outside(nearest, bounds) is None else sum(ends) / 2
    nearest = value <= bounds.least and outside(bounds.least, bounds) is None
    return bounds.least if nearest and bounds.least != ANY.least else None


def _problem(
    given: Given, route: Route, value: float, wrong: str, bounds: Bounds, help_: str | None, *sums: str
) -> Problem:
    why = bounds.why if value > bounds.least else None
    return Problem(route, f"{given.name} {figure(value)} {wrong}", arithmetic=sums, help=help_,
                   based_on=(why or f"what {given.name} counts",))  # fmt: skip
