"""What a source says of how a process starts, before anything is known of the release's flags."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class Refused(Exception):  # noqa: N818 - a property of the source, not a fault of the program
    """Nothing can be imported. The message holds no value of the source."""

    def __init__(self, message: str, help_: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.help = help_


@dataclass(slots=True)
class Told:
    """What a person has to know of an import, a line each. No line holds a value that may be a secret.

    `lost`: what the YAML cannot say, so that the service runs without it. `todo`: what has to be done on the host.
    `notes`: what is said in another way than before.
    """

    lost: list[str] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Start:
    """A process as its source starts it.

    `references` are variables that `${NAME}` in a word stands for and whose values are not known here. `spec` holds
    keys of a service as YAML has them. `release` and `name` are what the source itself says of them.
    """

    words: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    references: set[str] = field(default_factory=set)
    spec: dict[str, Any] = field(default_factory=dict)
    name: str | None = None
    release: str | None = None
    paths: dict[str, str] = field(default_factory=dict)
    """A container's path -> the host's."""
    told: Told = field(default_factory=Told)
