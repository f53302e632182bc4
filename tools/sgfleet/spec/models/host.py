"""`hosts/<host>/host.yaml`: what one host serves."""

from typing import Annotated, Any, Final

from pydantic import Field

from sgfleet.spec.models.base import Expect, Model, Several
from sgfleet.spec.models.service import HostName, ServiceName, Waiver

_SERVICE: Final = {
    "release": "0.5.9",
    "python": "/opt/sglang-0.5.9/bin/python3",
    "flags": {"model-path": "/srv/models/x"},
}
"""As little of a service as can be rendered."""


class Host(Model):
    """What one host serves: hosts/<host>/host.yaml.

    Services and defaults stay plain mappings here: each holds some of a service's keys. `layers` puts them together and
    validates the result as a `Service`.
    """

    host: HostName
    """The name of the folder that holds this file."""
    defaults: dict[str, Any] = Field(default_factory=dict)
    """Keys that every service of this host starts from; they go before those of fleet.yaml."""
    services: Annotated[
        dict[ServiceName, Annotated[dict[str, Any], Expect("a service", (_SERVICE,))]],
        Expect("a mapping of names to services", ({"sglang-kimi": _SERVICE},)),
    ]
    """Name -> service; the name is the unit's: `sglang-kimi` -> units/<host>/sglang-kimi.service."""
    waive: Several[Waiver] = ()
    """Findings about the host as a whole, such as its facts, that are accepted here."""
