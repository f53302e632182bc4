"""Of a service whose form is wrong, that which can be read all the same: its release, its flags and its GPUs.

It is for the rules about the form of flags and for nothing else: no unit is rendered from it, and no sum is made of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.findings import Severity
from sgfleet.spec import valid
from sgfleet.spec.resolve import Layer, Resolved

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sgfleet.findings import Finding
    from sgfleet.spec.subject import Subject

NOT_CHECKED: Final = "SPC008"

_NEEDED: Final = ("release", "flags")
_BESIDE: Final = ("gpus", "secrets", "environment", "waive")
"""What rules about flags look at besides, and can do without."""


def readable(
    subject: Subject, inherited: Sequence[Layer], data: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[Resolved | None, list[Finding]]:
    """The part of a service that its flags can be judged by. `data` is what its layers have come to.

    Where there are flags and nobody can say against which release they hold, a finding says that they were not checked.
    """
    own = Layer(subject.document, subject.route, subject.data)
    slips = _slips(subject, (own, *inherited))
    service = None if slips else _service(data)
    if service is not None:
        return Resolved(str(subject.host), str(subject.service), service, (own, *inherited), names, data), []
    if not _has_flags(data) and not any(isinstance(value, dict) and value for value, _ in slips.values()):
        return None, []
    why = "its release cannot be read" if "release" in data else "no release is given"
    for key, (_, meant) in slips.items():
        why = f"{key} may be meant for {' or '.join(meant)}"
        break
    message = f"not checked: the flags of {subject.service}: {why}"
    route = ("flags",) if "flags" in subject.data else ()
    return None, [subject.finding(NOT_CHECKED, route, message, part="key", severity=Severity.NOTE)]


def _service(data: Mapping[str, Any]) -> Any:
    """The service of what is right in it; None where the release or the flags are not."""
    if not isinstance(data.get("release"), str) or not _has_flags(data):
        return None
    kept = {key: data[key] for key in (*_NEEDED, *_BESIDE) if key in data}
    try:
        return valid.service({**valid.LEAST, **kept})
    except valid.ValidationError as error:
        wrong = {each["loc"][0] for each in error.errors(include_url=False, include_input=False)}
    if wrong & {*_NEEDED}:
        return None
    return valid.service({**valid.LEAST, **{key: value for key, value in kept.items() if key not in wrong}})


def _has_flags(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("flags"), dict) and bool(data["flags"])


def _slips(subject: Subject, layers: Sequence[Layer]) -> dict[str, tuple[Any, list[str]]]:
    """The keys of the layers that are none and are taken for one that is needed: key -> value, what it is taken for."""
    from sgfleet.spec.keys import taken_for
    from sgfleet.spec.models.expectation import Hint

    known = Hint(subject.model).fields()
    found: dict[str, tuple[Any, list[str]]] = {}
    for layer in layers:
        for key, value in layer.data.items():
            if key not in known and (meant := [each for each in taken_for(key, known) if each in _NEEDED]):
                found.setdefault(key, (value, meant))
    return found
