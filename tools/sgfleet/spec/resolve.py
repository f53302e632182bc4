"""Fleet defaults, host defaults and a service -> the resolved service, and where each of its values comes from."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sgfleet.spec.merge import BY_KEY, same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.findings import Place
    from sgfleet.source.document import Document, Part, Route
    from sgfleet.spec.models.service import Service


class Layer(NamedTuple):
    """What one place says about a service: `data` stands in `document` at the end of `route`."""

    document: Document
    route: Route
    data: Mapping[str, Any]


class Origin(NamedTuple):
    """Where a value of a resolved service was written."""

    document: Document
    route: Route


class Resolved(NamedTuple):
    """A service, and the layers that it was put together from, the nearest (the service itself) first.

    `names` are the release's flags with several names: any name -> the one by which all of them are compared. `data` is
    what the layers have come to, as plain data.
    """

    host: str
    name: str
    service: Service
    layers: tuple[Layer, ...]
    names: Mapping[str, str] = MappingProxyType({})
    data: Mapping[str, Any] = MappingProxyType({})

    def origin(self, route: Route) -> Origin | None:
        """Where the value at the end of a route was written; None for a default, or a value that is not there.

        The route is one into the service as YAML has it: `("flags", "tp-size")`, `("unit", "restart-sec")`. A flag is
        found by any of its names.
        """
        for layer in self.layers:
            found = self._in_layer(layer, route)
            if isinstance(found, Origin):
                return found
            if found is REMOVED:
                return None
        return None

    def _in_layer(self, layer: Layer, route: Route) -> Origin | bool | None:
        """Where the layer has it, `REMOVED` when the layer takes it away, None when it says nothing about it."""
        if not route:
            return Origin(layer.document, layer.route)
        first, *rest = route
        if first not in layer.data:
            return None
        value = layer.data[str(first)]
        if value is None:
            return REMOVED
        if not rest or first not in BY_KEY or not isinstance(value, dict):
            whole = (*layer.route, *route)
            return Origin(layer.document, whole) if layer.document.holds(whole) else None
        key = self._written(str(first), rest[0], value)
        if key is None:
            return None
        if value[key] is None:
            return REMOVED
        whole = (*layer.route, first, key, *rest[1:])
        return Origin(layer.document, whole) if layer.document.holds(whole) else None

    def _written(self, mapping: str, key: str | int, held: Mapping[str, Any]) -> str | None:
        """The key of the mapping that means the same as `key`."""
        if key in held:
            return str(key)
        wanted = same(mapping, str(key), self.names)
        return next((each for each in held if same(mapping, each, self.names) == wanted), None) if self.names else None

    def written(self, route: Route) -> str | None:
        """A plain scalar exactly as its file spells it; None for anything else, and for what is not there."""
        origin = self.origin(route)
        return None if origin is None else origin.document.source_text(origin.route)

    def locate(self, route: Route, part: Part = "value") -> tuple[Place, Route]:
        """A route into the service -> its place, and the route inside the place's own file.

        What is not there gives the key of the nearest thing above it, in the end the service's own.
        """
        for length in range(len(route), 0, -1):
            if origin := self.origin(route[:length]):
                side: Part = part if length == len(route) else "key"
                return origin.document.place(origin.route, side), origin.route
        own = self.layers[0]
        return own.document.place(own.route, "key"), own.route


REMOVED = True
"""A layer that takes a value away."""
