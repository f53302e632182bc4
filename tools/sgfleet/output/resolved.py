"""Resolved services with where each value comes from: as YAML with comments, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.source.emit import flow, scalar
from sgfleet.spec.explained import Explained

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgfleet.output.colour import Paint

    Service = Mapping[str, Explained | dict[str, Explained]]

FORMAT: Final = 1
_DEFAULT: Final = "default"
_WIDEST: Final = 72
"""Comments stand in one column, but for lines that are longer than this."""


def as_yaml(host: str, services: Mapping[str, Service], paint: Paint) -> Iterator[str]:
    """The lines of one host: YAML that reads back as what is shown."""
    yield f"host: {scalar(host)}"
    yield "services:" if services else "services: {}"
    for name, service in services.items():
        yield f"  {scalar(name)}:"
        lines = list(_lines(service))
        column = max((len(text) for text, _ in lines if len(text) <= _WIDEST), default=0)
        for text, comment in lines:
            yield f"{text:<{column}}  {paint('faint', f'# {comment}')}" if comment else text


def _lines(service: Service) -> Iterator[tuple[str, str]]:
    for key, value in service.items():
        if isinstance(value, Explained) and key == "waive":
            yield f"    {key}:", _origin(value)
            yield from ((f"      - {flow(each)}", "") for each in value.value)
        elif isinstance(value, Explained):
            yield f"    {key}: {flow(value.value)}", _origin(value)
        else:
            yield f"    {key}:", ""
            yield from ((f"      {scalar(name)}: {flow(one.value)}", _origin(one)) for name, one in value.items())


def _origin(one: Explained) -> str:
    return _DEFAULT if one.place is None else f"{one.place.path}:{one.place.line}"


def as_data(services: Mapping[str, Service]) -> dict[str, Any]:
    """One host for a program: every value as `{value, from}`, with `from: null` for a default."""
    return {
        name: {
            key: _value(value) if isinstance(value, Explained) else {each: _value(one) for each, one in value.items()}
            for key, value in service.items()
        }
        for name, service in services.items()
    }


def _value(one: Explained) -> dict[str, Any]:
    place = one.place
    origin = None if place is None else {"path": place.path, "line": place.line, "column": place.column}
    return {"value": one.value, "from": origin}
