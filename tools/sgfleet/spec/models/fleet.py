"""`fleet.yaml`: defaults and policy for all hosts."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from sgfleet.spec.models.base import Expect, Model, Several
from sgfleet.spec.models.quantities import Size, SomeTime
from sgfleet.spec.models.service import Account, RuleCode

PathPrefix = Annotated[
    str,
    StringConstraints(pattern=r"^/[^\x00-\x1f\x7f]*$", max_length=4096),
    Expect("an absolute path of a folder", ("/srv/models",)),
]


class Reserve(Model):
    """Memory that no service may plan with."""

    host_ram: Size = 32 * 1024**3
    """RAM of each host that stays free of pinned pools: the engine's own processes, page cache, the system."""


class Policy(Model):
    """What this fleet allows, and how grave a finding is here."""

    reserve: Reserve = Field(default_factory=Reserve)
    """Memory reserves."""
    severity: dict[RuleCode, Literal["error", "warning", "note", "off"]] = Field(default_factory=dict)
    """Severity by rule where it differs from the rule's own."""
    required_flags: Several[str] = ()
    """Flags that every service must set."""
    allowed_users: Several[Account] = ()
    """Accounts that services may run under; empty allows any."""
    allowed_python: Several[PathPrefix] = ()
    """Folders that interpreters must lie in; empty allows any."""
    allowed_models: Several[PathPrefix] = ()
    """Folders that checkpoints must lie in; empty allows any, and names of a hub too."""
    facts_max_age: SomeTime | None = None
    """How old a host's facts may be before they are said to be stale."""


class Fleet(Model):
    """Defaults and policy for all hosts: fleet.yaml."""

    defaults: dict[str, Any] = Field(default_factory=dict)
    """Keys that every service of every host starts from."""
    policy: Policy = Field(default_factory=Policy)
    """What is allowed, reserved and how grave."""
