"""Documents held against the models, without the models: by core schemas that were built from them beforehand.

To import pydantic and to build the schemas of the models costs as much as all the rest of a cold `check`, and the
schemas are the same each time. So they are kept in core_schemas.json (`models/core_schemas` writes it; a test holds it
against the models), and the core that pydantic itself validates with reads them from there. Under another version of
that core the models are asked, with the same answers.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from sgfleet.spec.core import compiled_core
from sgfleet.spec.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic_core import ValidationError as ValidationError

    from sgfleet.spec.models.facts import Facts
    from sgfleet.spec.models.fleet import Fleet, Policy
    from sgfleet.spec.models.host import Host
    from sgfleet.spec.models.service import Service
else:
    ValidationError = compiled_core().ValidationError

Kind = Literal["facts", "fleet", "host", "service"]
"""What is held against a model: a whole file, or one service of it."""

LEAST: Final = {"release": "0.0.0", "python": "/"}
"""Stands in for what no service can be without, where a part of one is looked at."""

STORED: Final = Path(__file__).with_name("core_schemas.json")


def facts(data: Any) -> Facts:
    """facts.yaml as a whole.

    Raises:
        ValidationError: what is wrong with it, as pydantic says it; so below.
    """
    return cast("Facts", _checker("facts")(data))


def fleet(data: Any) -> Fleet:
    """fleet.yaml as a whole."""
    return cast("Fleet", _checker("fleet")(data))


def host(data: Any) -> Host:
    """host.yaml as a whole; its services only as mappings."""
    return cast("Host", _checker("host")(data))


def service(data: Any) -> Service:
    """One service, put together from its layers."""
    return cast("Service", _checker("service")(data))


def default_policy() -> Policy:
    """What a fleet allows that says nothing about it."""
    return fleet({}).policy


@cache
def _checker(kind: Kind) -> Callable[[Any], Any]:
    """Data -> record."""
    stored, core = _stored(), compiled_core()
    if stored["core"] != core.__version__:
        from sgfleet.spec.models.kinds import MODELS

        return MODELS[kind].model_validate
    check: Callable[[Any], Any] = core.SchemaValidator(stored["schemas"][kind]).validate_python
    return check


@cache
def _stored() -> Mapping[str, Any]:
    stored: Mapping[str, Any] = json.loads(STORED.read_bytes(), object_hook=_alive)
    for name, writers in stored["writers"].items():
        _record(name).writers = writers
    return stored


def _alive(node: dict[str, Any]) -> Any:
    """What JSON has no form for stands under the one key that says what it is."""
    if len(node) == 1:
        ((key, value),) = node.items()
        if key == "$tuple":
            return tuple(value)
        if key == "$function":
            module, _, name = value.partition(":")
            return attrgetter(name)(import_module(module))
        if key == "$record":
            return _record(value)
    return node


@cache
def _record(name: str) -> type[Record]:
    return type(name, (Record,), {"__slots__": (), "__module__": __name__})
