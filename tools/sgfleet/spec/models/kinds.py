"""Which model holds for what."""

from typing import TYPE_CHECKING, Final

from sgfleet.spec.models.facts import Facts
from sgfleet.spec.models.fleet import Fleet
from sgfleet.spec.models.host import Host
from sgfleet.spec.models.service import Service

if TYPE_CHECKING:
    from sgfleet.spec.models.base import Model
    from sgfleet.spec.valid import Kind

MODELS: Final[dict["Kind", type["Model"]]] = {"facts": Facts, "fleet": Fleet, "host": Host, "service": Service}
