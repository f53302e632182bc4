"""A resolved service -> its systemd unit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.render.command import Secret
from sgfleet.render.identity import PREFIX, UNIT_FORMAT, spec_hash, unit_hash
from sgfleet.render.quoting import (
    environment_assignment,
    exec_lines,
    exec_word,
    path_value,
    plain_value,
    refuse_oversize,
    unit_list,
)
from sgfleet.render.unit_text import Comment, Section, Setting, UnitText, comments
from sgfleet.render.unquotable import Unquotable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sgfleet.render.command import Group
    from sgfleet.spec.models.service import Service

ENTRY: Final = ("-m", "sglang.launch_server")
"""Every release has it; `sglang serve` came with 0.5.5 and takes words that the parser does not know."""


class Body(NamedTuple):
    """What a unit says of nothing but its service: `text` is [Service] and [Install], `spec` the specification's hash.

    Services that are alike share it, whatever their hosts and names.
    """

    text: str
    spec: str


def body_of(service: Service, flags: Sequence[Group]) -> Body:
    """The body of a service's unit. `flags` are the groups of its command line, in their order.

    Raises:
        Unquotable: something that systemd cannot carry.
    """
    environment = dict(_environment(service))
    start = [service.python, *ENTRY]
    refuse_oversize(
        [*start, *(word for group in flags if not isinstance(group, Secret) for word in group)], environment
    )
    command = [*exec_lines([start]), *map(_line, flags)]
    sections = (
        Section("Service", tuple(_service_section(service, environment, command))),
        Section("Install", (Setting.of("WantedBy", unit_list(service.unit.wanted_by)),)),
    )
    return Body(UnitText(sections).render(), spec_hash(service))


def unit_of(host: str, name: str, service: Service, body: Body) -> str:
    """The text of `units/<host>/<name>.service`.

    Raises:
        Unquotable: something that systemd cannot carry.
    """
    section = Section("Unit", tuple(_unit_section(host, name, service, body.spec)))
    head = UnitText((section,), _header(host, name, service)).render()
    # The hash is of lines that stand already; rendering all of it a second time would double the price of a host.
    return f"{head}{PREFIX}Unit={unit_hash(f'{head}{body.text}')}\n\n{body.text}"


def origin_of(error: Unquotable, service: Service, flags: Sequence[Group]) -> tuple[str | int, ...]:
    """Which key of the service holds what could not be carried; () where it is the service as a whole.

    Only asked when something is wrong: each text is tried once more by itself.
    """
    for route, quote in _texts(service, flags):
        try:
            quote()
        except Unquotable as found:
            if found.reason == error.reason:
                return route
    return ()


def _texts(service: Service, flags: Sequence[Group]) -> Iterator[tuple[tuple[str | int, ...], Callable[[], object]]]:
    """The keys of a service whose text is quoted, and what quotes it."""
    yield ("python",), partial(exec_lines, [[service.python]])
    if service.working_directory is not None:
        yield ("working-directory",), partial(path_value, service.working_directory)
    for name, value in service.environment.items():
        yield ("environment", name), partial(environment_assignment, name, str(value))
    for index, path in enumerate(service.environment_files):
        yield ("environment-files", index), partial(path_value, path, globbed=True)
    for key in ("after", "wants", "requires", "wanted-by"):
        yield ("unit", key), partial(unit_list, getattr(service.unit, key.replace("-", "_")))
    for group in flags:
        if not isinstance(group, Secret):
            yield ("flags", group[0].removeprefix("--").partition("=")[0]), partial(_line, group)


def _header(host: str, name: str, service: Service) -> tuple[Comment, ...]:
    return (
        Comment(f"{host}/{name}: SGLang {service.release}"),
        Comment(f"Rendered by sgfleet (unit format {UNIT_FORMAT}) from hosts/{host}/host.yaml and fleet.yaml."),
        Comment("Do not edit: edit the spec, then run `sgfleet render`."),
        *comments(f"Why: {service.why}" if service.why else ""),
    )


def _unit_section(host: str, name: str, service: Service, spec: str) -> Iterator[Setting]:
    unit = service.unit
    yield Setting.of("Description", f"SGLang {service.release}: {name} on {host}")
    for key, names in (("After", unit.after), ("Wants", unit.wants), ("Requires", unit.requires)):
        if names:
            yield Setting.of(key, unit_list(names))
    yield Setting.of("StartLimitIntervalSec", str(unit.start_limit_interval_sec))
    yield Setting.of("StartLimitBurst", str(unit.start_limit_burst))
    yield Setting.of(f"{PREFIX}Format", str(UNIT_FORMAT))
    yield Setting.of(f"{PREFIX}Host", host)
    yield Setting.of(f"{PREFIX}Service", name)
    yield Setting.of(f"{PREFIX}Release", service.release)
    if service.start.budget is not None:
        yield Setting.of(f"{PREFIX}Start-Budget", str(service.start.budget))
    if service.start.health_url is not None:
        yield Setting.of(f"{PREFIX}Health-Url", service.start.health_url.replace("%", "%%"))
    yield Setting.of(f"{PREFIX}Spec", spec)


def _environment(service: Service) -> Iterator[tuple[str, str]]:
    """The variables by name: their order in YAML does not count. `gpus` speaks through CUDA_VISIBLE_DEVICES."""
    variables = {name: str(value) for name, value in service.environment.items()}
    if service.gpus != "all":
        variables["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, service.gpus))
    yield from sorted(variables.items())


def _line(group: Group) -> str:
    """One flag as ExecStart= has it. systemd makes exactly one word of `${VARIABLE}`, whatever the variable holds."""
    if isinstance(group, Secret):
        return f"{group.option} ${{{group.variable}}}"
    return " ".join(map(exec_word, group))


def _service_section(service: Service, environment: Mapping[str, str], command: Sequence[str]) -> Iterator[Setting]:
    unit = service.unit
    yield Setting.of("Type", unit.type)
    yield Setting.of("User", plain_value(service.user))
    if service.group is not None:
        yield Setting.of("Group", plain_value(service.group))
    if service.working_directory is not None:
        yield Setting.of("WorkingDirectory", path_value(service.working_directory))
    for name, value in environment.items():
        yield Setting.of("Environment", environment_assignment(name, value))
    for path in service.environment_files:
        yield Setting.of("EnvironmentFile", path_value(path, globbed=True))
    yield Setting.wrapped("ExecStart", command)
    yield Setting.of("Restart", unit.restart)
    yield Setting.of("RestartSec", str(unit.restart_sec))
    if unit.timeout_start_sec is not None:
        yield Setting.of("TimeoutStartSec", str(unit.timeout_start_sec))
    yield Setting.of("TimeoutStopSec", str(unit.timeout_stop_sec))
    yield Setting.of("KillMode", unit.kill_mode)
    yield Setting.of("LimitNOFILE", str(unit.limit_nofile))
    yield Setting.of("LimitMEMLOCK", str(unit.limit_memlock))
    optional = {
        "MemoryMax": unit.memory_max,
        "MemoryHigh": unit.memory_high,
        "OOMScoreAdjust": unit.oom_score_adjust,
        "Nice": unit.nice,
    }
    yield from (Setting.of(key, str(value)) for key, value in optional.items() if value is not None)
