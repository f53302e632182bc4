"""A resolved service as plain values, each with the place that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sgfleet.spec.merge import BY_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.findings import Place
    from sgfleet.source.document import Route
    from sgfleet.spec.resolve import Resolved


@dataclass(frozen=True, slots=True)
class Explained:
    """A value as YAML writes it. `place` is None where nobody set it: it is the tool's default."""

    value: Any
    place: Place | None


def explain(resolved: Resolved, order: Mapping[str, int]) -> dict[str, Explained | dict[str, Explained]]:
    """Key of the service -> its value, or key by key for the mappings that are put together.

    `order` is that of the release's flags; what is not in it comes last. Defaults that say nothing (null, an empty
    list) are left out.
    """
    values = resolved.service.model_dump(mode="json")
    values["waive"] = [{key: each for key, each in waiver.items() if each is not None} for waiver in values["waive"]]
    found: dict[str, Explained | dict[str, Explained]] = {}
    for key, value in values.items():
        if key not in BY_KEY:
            one = _one(resolved, (key,), value)
            if _speaks(one):
                found[key] = one
            continue
        names = sorted(value, key=lambda name: order.get(name, len(order))) if key == "flags" else value
        inner = {name: _one(resolved, (key, name), value[name]) for name in names}
        if kept := {name: one for name, one in inner.items() if _speaks(one)}:
            found[key] = kept
    return found


def _one(resolved: Resolved, route: Route, value: Any) -> Explained:
    origin = resolved.origin(route)
    return Explained(value, origin.document.place(origin.route, "key") if origin else None)


def _speaks(one: Explained) -> bool:
    return one.place is not None or one.value not in (None, [], {}, "")
