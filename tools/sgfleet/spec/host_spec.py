"""The files of one host, read: its services put together from their layers, and its facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sgfleet.findings import Place
from sgfleet.spec import valid
from sgfleet.spec.layers import defaults_findings, own_findings, resolve_service
from sgfleet.spec.merge import merge
from sgfleet.spec.nulls import null_findings
from sgfleet.spec.resolve import Layer, Resolved
from sgfleet.spec.subject import BAD_VALUE, WRONG_TYPE, Subject
from sgfleet.spec.words import gpus_there, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeVar

    from sgfleet.findings import Finding
    from sgfleet.source.document import Document, Part, Route
    from sgfleet.spec.fleet_spec import FleetSpec
    from sgfleet.spec.models.facts import Facts
    from sgfleet.spec.models.service import Waiver

    Valid = TypeVar("Valid")

OTHER_HOST: Final = "SPC013"
LISTED_TWICE: Final = "SPC016"


@dataclass(slots=True)
class HostSpec:
    """What is known of one host, and what is wrong with its files.

    `unresolved` are the services that could not be put together: no unit comes of them, and a finding says why.
    `partial` has those of them whose flags can be read against their release, and no more of them than that. `facts` is
    None without a usable facts.yaml; `has_facts_file` tells whether there is one all the same. `waive` are the waivers
    of findings that belong to no service.
    """

    name: str
    document: Document | None = None
    services: dict[str, Resolved] = field(default_factory=dict)
    unresolved: tuple[str, ...] = ()
    partial: dict[str, Resolved] = field(default_factory=dict)
    facts: Facts | None = None
    facts_document: Document | None = None
    has_facts_file: bool = False
    waive: tuple[Waiver, ...] = ()
    findings: list[Finding] = field(default_factory=list)

    def locate(self, route: Route, part: Part = "value") -> tuple[Place, Route]:
        """A route into the host -> its place, and the route inside the place's own file.

        Below `("services", <name>)` it leads to the layer that the value comes from, below `("facts",)` to facts.yaml.
        """
        if route[:1] == ("facts",) and self.facts_document is not None:
            return self.facts_document.place(route[1:], part), route[1:]
        if len(route) > 2 and route[0] == "services" and (service := self.services.get(str(route[1]))):
            return service.locate(route[2:], part)
        if self.document is None:
            return Place(f"hosts/{self.name}"), route
        return self.document.place(route, part), route


def read_host(
    spec: HostSpec, document: Document, fleet: FleetSpec, names_of: Callable[[str], Mapping[str, str]]
) -> None:
    """Hold host.yaml against its models, and put its services together."""
    spec.document = document
    data = document.data
    whole, found = _top(document, "host", valid.host, spec.name)
    spec.findings += found
    spec.waive = () if whole is None else whole.waive
    inherited, base, sound = fleet.layers, fleet.base, fleet.sound
    defaults = data.get("defaults")
    if isinstance(defaults, dict) and defaults:
        part = Subject(document, ("defaults",), defaults, "service", spec.name)
        found = defaults_findings(part)
        sound = sound and not found
        if fleet.sound:
            names = _names(names_of, defaults, base)
            found += null_findings(part, base, names, [layer.document.path for layer in inherited])
        spec.findings += found
        inherited = (Layer(document, part.route, defaults), *inherited)
    elif defaults is not None and not isinstance(defaults, dict):
        sound = False
    services = data.get("services")
    unresolved = []
    for name, own in (services if isinstance(services, dict) else {}).items():
        subject = Subject(document, ("services", name), own, "service", spec.name, name)
        if not isinstance(own, dict):
            unresolved.append(name)
            continue
        names = _names(names_of, own, *(layer.data for layer in inherited))
        over = merge(base, defaults, names) if isinstance(defaults, dict) else base
        resolved, found = resolve_service(subject, inherited, over, names) if sound else (None, own_findings(subject))
        spec.findings += found
        if resolved is None:
            unresolved.append(name)
            _read_partly(spec, subject, inherited, merge(over, own, names), names)
        else:
            spec.services[name] = resolved
    spec.unresolved = tuple(unresolved)


def _read_partly(
    spec: HostSpec, subject: Subject, inherited: tuple[Layer, ...], data: Mapping[str, Any], names: Mapping[str, str]
) -> None:
    """What can be said of a service without its form being right."""
    from sgfleet.spec.partial import readable

    partial, found = readable(subject, inherited, data, names)
    spec.findings += found
    if partial is not None:
        spec.partial[str(subject.service)] = partial


def _names(names_of: Callable[[str], Mapping[str, str]], *layers: Mapping[str, Any]) -> Mapping[str, str]:
    """The names of flags in the release that the nearest layer gives."""
    release = next((layer["release"] for layer in layers if "release" in layer), None)
    return names_of(release) if isinstance(release, str) else {}


def read_facts(spec: HostSpec, document: Document) -> None:
    """Hold facts.yaml against its model. Facts of another host are none of this one."""
    spec.facts_document = document
    facts, found = _top(document, "facts", valid.facts, spec.name)
    if facts is not None:
        subject = Subject(document, (), document.data, "facts", spec.name)
        found += [*_listed_twice(subject, facts), *_more_than_all(subject, facts)]
    spec.findings += found
    spec.facts = None if found else facts


def name_gpus(spec: HostSpec) -> None:
    """Of an index that no GPU has anywhere, say which there are here, where facts tell."""
    if spec.facts is None or not spec.facts.gpus:
        return
    help_ = f"{spec.name} has {gpus_there(gpu.index for gpu in spec.facts.gpus)}"
    for at, finding in enumerate(spec.findings):
        route = finding.route
        own = route[:1] in {("services",), ("defaults",)}
        if own and finding.code in {BAD_VALUE, WRONG_TYPE} and route[-2:-1] == ("gpus",) and finding.help is None:
            spec.findings[at] = finding._replace(help=help_, based_on=(f"hosts/{spec.name}/facts.yaml",))


_KEYS: Final = {"gpus": "index", "numa": "node", "environments": "python", "checkpoints": "path"}
"""Lists of facts.yaml -> what tells their entries apart."""


def _listed_twice(subject: Subject, facts: Facts) -> list[Finding]:
    """Entries of a list that are the same thing: which of them holds nobody can say."""
    found = []
    for name, key in _KEYS.items():
        seen: dict[Any, int] = {}
        for index, entry in enumerate(getattr(facts, name) or ()):
            first = seen.setdefault(value := getattr(entry, key), index)
            if first != index:
                message = f"{name}[{index}].{key}: {value} is {name}[{first}] already"
                help_ = f"remove one, or give each its own {key}; `sgfleet facts` writes each once"
                found.append(subject.finding(LISTED_TWICE, (name, index, key), message, help_))
    return found


def _more_than_all(subject: Subject, facts: Facts) -> Iterator[Finding]:
    """Parts of the RAM that are larger than all of it: one of the two figures is wrong, and nobody can say which."""
    memory = facts.memory
    if memory.total_bytes is None:
        return
    pages = (memory.hugepages or 0) * (memory.hugepage_bytes or 0)
    for name, said, size in (
        ("available-bytes", f"{memory.available_bytes} is", memory.available_bytes or 0),
        ("hugepages", f"{memory.hugepages} pages of {memory.hugepage_bytes} bytes are {pages},", pages),
    ):
        if size > memory.total_bytes:
            message = f"memory.{name}: {said} more than memory.total-bytes, {memory.total_bytes}"
            help_ = "both are in bytes: run sgfleet facts on the host, with its services stopped"
            yield subject.finding(BAD_VALUE, ("memory", name), message, help_)


def _top(
    document: Document, kind: valid.Kind, check: Callable[[Any], Valid], host: str
) -> tuple[Valid | None, list[Finding]]:
    """A file as a whole, and what is wrong with it: also that it is another host's."""
    subject = Subject(document, (), document.data, kind, host)
    found: list[Finding] = []
    read = None
    try:
        read = check(document.data)
    except valid.ValidationError as error:
        from sgfleet.spec.problems import problems

        found = problems(error, subject)
    named = document.data.get("host")
    if isinstance(named, str) and named != host and not any(each.route == ("host",) for each in found):
        message = f"this file is of host {quoted(named)}, and its folder is hosts/{host}"
        help_ = f"write host: {host}, or put the file into hosts/{named}/"
        found.append(
            subject.finding(
                OTHER_HOST,
                ("host",),
                message,
                help_,
            )
        )
    return read, found
