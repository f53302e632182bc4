"""What a rule is, what it sees, and what it says.

A rule is one module, `rules/<family>/<name>.py`, that nothing lists. It holds

- a docstring in the form that `manual.py` describes,
- `RULE = Rule("FLG001", "unknown-flag", Severity.ERROR, "service")`, whose name is the file's with dashes,
- for the stages "service", "machine", "host" and "fleet", `check(view)`, which returns or yields `Problem`s and touches
  nothing.

What a rule may look at is the type of its view. Whether a rule of a service has anything to say follows from that view
and nothing else, so hosts that are alike share its silence (`shared.py`).

A rule that lacks what it would need (no facts, no schema for the release) says nothing: that something could not be
checked is the finding of a rule of its own, once a service.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Mapping

    from sgfleet.engine.release import Release
    from sgfleet.findings import Severity
    from sgfleet.memory.of_host import HostMemory
    from sgfleet.rules.arguments import Arguments
    from sgfleet.spec.models.facts import Facts
    from sgfleet.spec.models.fleet import Policy
    from sgfleet.spec.models.service import Service

Route = tuple[str | int, ...]
"""A way into a document: ("flags", "tp-size")."""

Part = Literal["key", "value"]
"""Which side of a mapping's entry is meant."""

Stage = Literal["source", "spec", "schema", "service", "machine", "host", "fleet", "render", "waivers"]
"""Who finds it.

"service", "machine", "host" and "fleet": the module has `check(view)`, called with a `ServiceView`, a `MachineView`, a
`HostView` or a `FleetView`.
All others are reported by somebody else, and the rule's module, in the family of the same name, is its documentation:
"source" by the reader, "spec" by the models, "schema" by whoever loads a flag schema, "render" by the renderer, and
"waivers" when all others have spoken.
"""


class Rule(NamedTuple):
    """The identity of a rule. Its module's docstring is its page in the manual, the text of `explain`, and its test.

    `waivable` is False where accepting the finding would make other verdicts worthless, as for a file that cannot be
    read.
    """

    code: str
    name: str
    severity: Severity
    stage: Stage
    waivable: bool = True


class Problem(NamedTuple):
    """What a rule says. It names a route; the engine finds the file, the line and the column.

    `route` is relative to what the rule was given: to the resolved service ("flags", "tp-size"), to the host's file
    ("services", "sglang-kimi", "gpus") or facts ("facts", "gpus", 0), or to fleet.yaml. The engine follows a service's
    route to the file that the value comes from (host.yaml, its defaults, or fleet.yaml). A route to what is not there
    is fine: the place is then the key of the nearest thing above it. `severity` differs from the rule's own only where
    the evidence does.

    `secret` says that the value at `route` must not be shown: no format prints it, neither in this finding nor in any
    other of the same host. The message, the arithmetic and the help of such a problem do not quote it.
    """

    route: Route
    message: str
    part: Part = "value"
    arithmetic: tuple[str, ...] = ()
    help: str | None = None
    based_on: tuple[str, ...] = ()
    related: tuple[tuple[Route, str], ...] = ()
    severity: Severity | None = None
    secret: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ServiceView:
    """One resolved service as it is written, whatever the host. Unknown is None.

    `written` gives a plain scalar as its file spells it (`010`), by its route: for the words of a finding, never for
    whether there is one. `asked` is where `arguments` keeps what the flags come to;
    services of the same content may have it in common.
    """

    name: str
    service: Service
    policy: Policy
    release: Release | None = None
    written: Callable[[Route], str | None] | None = None
    asked: list[Arguments] = field(default_factory=list, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class MachineView(ServiceView):
    """A service and the machine that is to run it.

    `memory` gives the budgets of the host, all its services together; the first call may take milliseconds. `host` is
    for words: no verdict depends on a name. `together` are all services of the host, this one among them.
    """

    host: str = field(kw_only=True)
    facts: Facts | None = None
    memory: Callable[[], HostMemory] | None = None
    together: Together = field(default_factory=lambda: Together(), repr=False)


class Together(dict[str, MachineView]):
    """All services of a host, by name. `kept` is where `gpus` keeps what they take together."""

    __slots__ = ("kept",)

    def __init__(self, services: Mapping[str, MachineView] = MappingProxyType({})) -> None:
        super().__init__(services)
        self.kept: list[Any] = []


class HostView(NamedTuple):
    """All services of a host that could be resolved. `today` is the date (UTC) that ages are counted from.

    `unresolved` are the names of those that could not be. `has_facts_file`: there is a facts.yaml; without `facts` it
    is one that cannot be used.
    """

    host: str
    services: Mapping[str, MachineView]
    policy: Policy
    facts: Facts | None = None
    today: datetime.date | None = None
    memory: Callable[[], HostMemory] | None = None
    has_facts_file: bool = False
    unresolved: tuple[str, ...] = ()


class FleetView(NamedTuple):
    """The fleet's own file and what all hosts together look like: name of the host -> names of its services."""

    policy: Policy
    hosts: Mapping[str, tuple[str, ...]]
