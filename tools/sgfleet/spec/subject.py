"""What is held against a model, and where findings about it stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sgfleet.findings import Finding, Severity
from sgfleet.source.emit import scalar

if TYPE_CHECKING:
    from sgfleet.source.document import Document, Part, Route
    from sgfleet.spec.models.base import Model
    from sgfleet.spec.valid import Kind

UNKNOWN_KEY, MISSING_KEY, WRONG_TYPE, BAD_VALUE, RELEASE_NUMBER = "SPC001", "SPC002", "SPC003", "SPC004", "SPC005"


class Subject(NamedTuple):
    """A mapping inside a document that is held against a model: a whole file, or one service in it.

    `route` leads to it; findings name keys from there on. `host` and `service` are what the findings are about.
    """

    document: Document
    route: Route
    data: Any
    kind: Kind
    host: str | None = None
    service: str | None = None

    def finding(
        self,
        code: str,
        route: Route,
        message: str,
        help_: str | None = None,
        *,
        part: Part = "value",
        severity: Severity = Severity.ERROR,
        based_on: tuple[str, ...] = (),
    ) -> Finding:
        """A finding at a route inside the subject."""
        whole = (*self.route, *route)
        place = self.document.place(whole, part)
        return Finding(
            code, severity, message, place, self.host, self.service, help=help_, based_on=based_on, route=whole
        )

    @property
    def model(self) -> type[Model]:
        """The model. To ask for it imports all of them: only what is wrong needs it."""
        from sgfleet.spec.models.kinds import MODELS

        return MODELS[self.kind]

    def written(self, route: Route) -> str:
        """A plain scalar as it is written, text in quotes as YAML would show it; empty for anything else."""
        source = self.document.source_text((*self.route, *route))
        if source is not None:
            return source
        data = self.value(route)
        return scalar(data) if isinstance(data, str) else ""

    def value(self, route: Route) -> Any:
        """What stands at a route inside the subject."""
        data = self.data
        for step in route:
            data = data[step]
        return data
