"""All services of one host with their budgets: computed when they are first asked for, once, for whoever asks."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sgfleet.memory.assemble import host_facts_of, service_of
from sgfleet.memory.device import NotKnownError
from sgfleet.memory.host import HostBudget, ServiceShare, host_budget
from sgfleet.memory.settings import SettingsError
from sgfleet.memory.window import Window, window_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sgfleet.engine.release import Release
    from sgfleet.memory.device import GpuBudget
    from sgfleet.memory.service import Service
    from sgfleet.source.tree import KeptTree
    from sgfleet.spec.models.facts import Facts
    from sgfleet.spec.models.fleet import Policy
    from sgfleet.spec.models.service import Service as ServiceSpec


class Unknown(NamedTuple):
    """Why there is no budget: what is missing, in words, and the way to have it; `flag` is the one that is at fault."""

    what: Literal["release", "flags", "model", "gpu"]
    message: str
    help: str | None = None
    flag: str | None = None


class HostMemory:
    """The budgets of a host. Models and releases are those of `root`; nothing is looked up before it is asked for.

    `seen_with` are the specifications that observed starts had, of services that are specified otherwise by now.
    """

    def __init__(
        self,
        services: Mapping[str, ServiceSpec],
        release_of: Callable[[str], Release | None],
        facts: Facts | None,
        policy: Policy,
        root: Path | KeptTree | None,
        seen_with: Mapping[str, ServiceSpec] | None = None,
    ) -> None:
        self._specs = services
        self._seen_with = seen_with or {}
        self._release_of = release_of
        self._facts = facts
        self._policy = policy
        self._root = root
        self._services: dict[str, Service | Unknown] = {}
        self._budgets: dict[str, GpuBudget | Unknown] = {}
        self._windows: dict[str, Window] = {}
        self.is_trial = False
        """Whether a service is as it would be, not as it is: `changed` makes such ones."""

    @property
    def has_gpus(self) -> bool:
        """Whether facts name the GPUs of the host."""
        return self._facts is not None and bool(self._facts.gpus)

    @property
    def severities(self) -> Mapping[str, str]:
        """Rule -> severity, where the policy has another one than the rule."""
        return self._policy.severity

    @property
    def names(self) -> tuple[str, ...]:
        """All services of the host."""
        return tuple(self._specs)

    def service(self, name: str) -> Service | Unknown:
        """A service with its model; the GPUs need not be known."""
        if name not in self._services:
            self._services[name] = self._service(name, self._specs[name].flags)
        return self._services[name]

    def budget(self, name: str) -> GpuBudget | Unknown:
        """The GPU budget of a service's rank."""
        if name not in self._budgets:
            service = self.service(name)
            self._budgets[name] = service if isinstance(service, Unknown) else budget_of(service)
        return self._budgets[name]

    def window(self, name: str) -> Window | None:
        """The memory fractions with which a service works; None where its budget is not known."""
        if name not in self._windows:
            budget = self.budget(name)
            if isinstance(budget, Unknown):
                return None
            self._windows[name] = window_of(budget)
        return self._windows[name]

    def variant(self, name: str, flags: Mapping[str, Any]) -> Service | Unknown:
        """A service with some flags set otherwise, without what was observed of it as it is."""
        changed = self._service(name, {**self._specs[name].flags, **flags})
        return changed if isinstance(changed, Unknown) else replace(changed, observed=None, started=None)

    def changed(self, name: str, flags: Mapping[str, Any], release: str | None = None) -> HostMemory:
        """The host as it would be with some flags of one service set otherwise; None takes a flag away.

        Unlike `variant` it is what a check of the edited file would start from, observed starts included.
        """
        own = self._specs[name]
        flags = {flag: value for flag, value in {**own.flags, **flags}.items() if value is not None}
        changed = own.model_copy(update={"flags": flags, "release": release or own.release})
        specs = {**self._specs, name: changed}
        made = HostMemory(specs, self._release_of, self._facts, self._policy, self._root, self._seen_with)
        made.is_trial = True
        made._services = {other: each for other, each in self._services.items() if other != name}
        made._budgets = {other: each for other, each in self._budgets.items() if other != name}
        made._windows = {other: each for other, each in self._windows.items() if other != name}
        return made

    def specification(self, name: str) -> ServiceSpec:
        """A service as it is written."""
        return self._specs[name]

    def release(self, name: str) -> Release | None:
        """The release of a service; None where there is no schema of it."""
        return self._release_of(self._specs[name].release)

    @cached_property
    def host(self) -> HostBudget:
        """The host's RAM with all services that have a budget; `uncounted` names the others."""
        known = [
            service
            for name in self._specs
            if not isinstance(self.budget(name), Unknown) and not isinstance(service := self.service(name), Unknown)
        ]
        return host_budget(known, host_facts_of(self._facts, self._policy))

    def share(self, name: str) -> ServiceShare | None:
        """What a service takes of the host's RAM; None where its budget is not known."""
        if isinstance(self.budget(name), Unknown):
            return None
        return next((share for share in self.host.shares if share.name == name), None)

    @cached_property
    def uncounted(self) -> tuple[str, ...]:
        """Services without a budget."""
        return tuple(name for name in self._specs if isinstance(self.budget(name), Unknown))

    def _service(self, name: str, flags: Mapping[str, Any]) -> Service | Unknown:
        spec = self._specs[name]
        release = self._release_of(spec.release)
        if release is None:
            return Unknown("release", f"the flag schema of SGLang {spec.release} is missing or cannot be used")
        try:
            return service_of(name, spec, release, self._facts, self._root, flags, self._seen_with.get(name))
        except NotKnownError as error:
            if isinstance(error.__cause__, SettingsError):
                return Unknown("flags", str(error), error.help, error.__cause__.name.replace("_", "-"))
            return Unknown("model", str(error), error.help)


def budget_of(service: Service) -> GpuBudget | Unknown:
    """The GPU budget of a service, or why there is none."""
    try:
        return service.budget
    except NotKnownError as error:
        return Unknown("gpu", str(error), error.help)
