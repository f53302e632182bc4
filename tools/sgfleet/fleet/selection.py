"""Which hosts and services of a repository are meant."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Selection:
    """What is meant: host -> its services that are meant, or None for all of them.

    `everything` says that nothing was left out. `ignored` are files that belong to no host.
    """

    hosts: dict[str, set[str] | None] = field(default_factory=dict)
    everything: bool = False
    ignored: list[str] = field(default_factory=list)

    def add(self, host: str, service: str | None = None) -> None:
        """Take one more host, or one more service of it."""
        chosen = self.hosts.setdefault(host, None if service is None else set())
        if service is None:
            self.hosts[host] = None
        elif chosen is not None:
            chosen.add(service)
