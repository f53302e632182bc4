"""What a rule is, what it sees, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.engine.release import Release
    from sgfleet.findings import Severity
    from sgfleet.spec.facts import Facts
    from sgfleet.spec.fleet import Policy
    from sgfleet.spec.service import Service

Route = tuple[str | int, ...]
"""A way into a document: ("flags", "tp-size")."""

Stage = Literal["source", "spec", "service", "host", "fleet", "render"]
"""Who finds it.

"source", "spec" and "render": the reader, the models and the renderer report the finding themselves, and the rule's
module is its documentation. "service", "host" and "fleet": the module has `check(view)`, called with a `ServiceView`, a
`HostView` or a `FleetView`.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """The identity of a rule. Its module's docstring is its page in the manual, the text of `explain`, and its test."""

    code: str
    name: str
    severity: Severity
    stage: Stage


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule says. It names a route; the engine finds the file, the line and the column.

    `route` is relative to what the rule was given: to the resolved service ("flags", "tp-size"), to the host's file
    ("services", "sglang-kimi", "gpus"), or to fleet.yaml. The engine follows a service's route to the file that the
    value comes from (host.yaml, its defaults, or fleet.yaml). `severity` differs from the rule's own only where the
    evidence does.
    """

    route: Route
    message: str
    part: Literal["key", "value"] = "value"
    arithmetic: tuple[str, ...] = ()
    help: str | None = None
    based_on: tuple[str, ...] = ()
    related: tuple[tuple[Route, str], ...] = ()
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class ServiceView:
    """One resolved service with everything that a verdict may be decided from. Unknown is None."""

    host: str
    name: str
    service: Service
    policy: Policy
    release: Release | None = None
    facts: Facts | None = None


@dataclass(frozen=True, slots=True)
class HostView:
    """All services of a host that could be resolved."""

    host: str
    services: Mapping[str, ServiceView]
    policy: Policy
    facts: Facts | None = None


@dataclass(frozen=True, slots=True)
class FleetView:
    """The fleet's own file and what all hosts together look like: name of the host -> names of its services."""

    policy: Policy
    hosts: Mapping[str, tuple[str, ...]]
