"""What a release does with a context that a model does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sgfleet.rules.arguments import between

if TYPE_CHECKING:
    from sgfleet.rules.rule import ServiceView

OVERRIDES: Final = "json-model-override-args"
"""A flag that may give a model another context than its configuration has."""
ALLOWS: Final = "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"
"""A variable of the engine: whether a longer context is taken."""


def longer_context(view: ServiceView) -> Literal["refused", "taken", "meant"]:
    """Whether the release refuses it, takes it because that is its default, or takes it because the service says so."""
    from sgfleet.memory.eras import LONGER_CONTEXT

    said = view.service.environment.get(ALLOWS)
    if said is None:
        return "taken" if LONGER_CONTEXT.at(view.service.release) else "refused"
    yes = ("1", "true", "yes", "y") if between(view.service.release, "0.5.3") else ("1", "true")
    return "meant" if str(said).lower() in yes else "refused"
