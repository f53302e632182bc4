"""fleet.yaml, read: the policy, and the layer that every service starts from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sgfleet.findings import Place
from sgfleet.spec import valid
from sgfleet.spec.layers import defaults_findings
from sgfleet.spec.merge import merge
from sgfleet.spec.nulls import null_findings
from sgfleet.spec.resolve import Layer
from sgfleet.spec.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.findings import Finding
    from sgfleet.source.document import Document, Part, Route
    from sgfleet.spec.models.fleet import Policy

PATH = "fleet.yaml"


@dataclass(slots=True)
class FleetSpec:
    """What fleet.yaml says; without the file, what holds when it says nothing.

    `sound` is False when its defaults cannot be used: no service can then be put together. `base` is the layer without
    its nulls, which services start from.
    """

    policy: Policy = field(default_factory=valid.default_policy)
    document: Document | None = None
    layer: Layer | None = None
    base: Mapping[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    sound: bool = True

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layer, when there is one."""
        return () if self.layer is None else (self.layer,)

    def locate(self, route: Route, part: Part = "value") -> tuple[Place, Route]:
        """A route into fleet.yaml -> its place there."""
        return (Place(PATH) if self.document is None else self.document.place(route, part)), route


def read_fleet(document: Document) -> FleetSpec:
    """Hold fleet.yaml against its models."""
    spec = FleetSpec(document=document)
    subject = Subject(document, (), document.data, "fleet")
    try:
        spec.policy = valid.fleet(document.data).policy
    except valid.ValidationError as error:
        from sgfleet.spec.problems import problems

        spec.findings = problems(error, subject)
    defaults = document.data.get("defaults")
    if isinstance(defaults, dict):
        layer = Layer(document, ("defaults",), defaults)
        part = Subject(document, layer.route, defaults, "service")
        own = [*defaults_findings(part), *null_findings(part, {}, {}, ())]
        spec.findings += own
        spec.layer, spec.base = layer, merge({}, defaults, {})
    spec.sound = not any(
        finding.route[:1] == ("defaults",) and finding.severity == "error" for finding in spec.findings
    )
    return spec
