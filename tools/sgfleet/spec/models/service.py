"""One service: what a host serves, as `host.yaml` writes it."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from sgfleet.spec.models.base import Date, Expect, Model, Several
from sgfleet.spec.models.comment_text import CommentText
from sgfleet.spec.models.quantities import SomeTime
from sgfleet.spec.models.unit import UnitSettings
from sgfleet.spec.names import HOST_NAME_PATTERN

_NUMBER: Final = r"(0|[1-9][0-9]*)"

ReleaseVersion = Annotated[
    str,
    StringConstraints(pattern=rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(\.post{_NUMBER})?$", max_length=32),
    Expect("a release", ("0.5.9", "0.5.8.post1")),
]
AbsolutePath = Annotated[
    str,
    StringConstraints(pattern=r"^/[^\x00-\x1f\x7f]*$", max_length=4096),
    Expect("an absolute path", ("/srv/models",)),
]
Interpreter = Annotated[AbsolutePath, Expect("an absolute path", ("/opt/sglang-0.5.9/bin/python3",))]
VariablesFile = Annotated[AbsolutePath, Expect("an absolute path", ("/etc/sglang/secrets.env",))]
Account = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z_][a-z0-9_-]{0,31}$"),
    Expect("a name of a user or group of at most 32 lower-case letters and digits", ("sglang",)),
]
HostName = Annotated[
    str,
    StringConstraints(pattern=HOST_NAME_PATTERN),
    Expect("a host name of at most 63 lower-case letters, digits and dashes", ("kimi-01",)),
]
ServiceName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,62}$"),
    Expect("a service name of at most 63 lower-case letters, digits, dashes, dots and underscores", ("sglang-kimi",)),
]
VariableName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=255),
    Expect("the name of a variable", ("CUDA_HOME",)),
]
SecretVariable = Annotated[VariableName, Expect("the name of a variable", ("CHAT_API_KEY",))]
RuleCode = Annotated[
    str, StringConstraints(pattern=r"^[A-Z]{3}[0-9]{3}$"), Expect("the code of a rule", ("HST002", "SRV005"))
]
GpuIndex = Annotated[int, Field(ge=0, le=1023), Expect("a GPU index from 0 to 1023")]
GpuIndices = Annotated[
    Literal["all"] | Annotated[Several[GpuIndex], Field(min_length=1)],
    Expect("all or a list of GPU indices", ("all", [0, 1, 2, 3])),
]
Variables = Annotated[
    dict[VariableName, Annotated[str | int, Expect("text or a whole number", ("True", "/usr/local/cuda", 8))]],
    Expect("a mapping of variables to values", ({"CUDA_HOME": "/usr/local/cuda"},)),
]

FlagValue = Any
"""What YAML may hold for a flag: the release's own schema decides (rules/flags), not this model."""


class Waiver(Model):
    """A finding that somebody has looked at and accepts, with the reason."""

    code: RuleCode
    """The rule that is waived."""
    reason: Annotated[
        str,
        StringConstraints(min_length=10, max_length=500),
        Expect("a reason of 10 to 500 characters", ("two small models share this GPU on purpose",)),
    ]
    """Why it is right here; at least a few words."""
    until: Date | None = None
    """The last day on which the waiver holds."""


LoopbackUrl = Annotated[
    str,
    StringConstraints(
        pattern=r"^http://(127\.0\.0\.1|localhost|\[::1\]):[1-9][0-9]{0,4}/[A-Za-z0-9._~/?&=%-]*$", max_length=500
    ),
    Expect("a URL on this machine with its port and path", ("http://127.0.0.1:30000/health",)),
]


class Start(Model):
    """How long a start may take."""

    budget: SomeTime | None = None
    """Start budget: from the start of the process to the first generated token."""
    health_url: LoopbackUrl | None = None
    """What the agent asks besides, or instead where the release's own endpoints do not hold (gRPC, a front of another
    program): 200 is well."""


class Service(Model):
    """One service, with what it takes from the defaults of its host and of fleet.yaml."""

    why: CommentText | None = None
    """Why the service is set up like this; goes into the unit's header."""
    release: ReleaseVersion
    """The SGLang release that runs, in quotes: its flag schema holds for `flags`."""
    python: Interpreter
    """The interpreter of the environment that has this release."""
    gpus: GpuIndices = "all"
    """Which GPUs the service may use, by index."""
    user: Account = "root"
    """The account that the service runs under (User=)."""
    group: Account | None = None
    """The group that the service runs under (Group=)."""
    working_directory: AbsolutePath | None = None
    """Where the process starts (WorkingDirectory=)."""
    flags: Annotated[
        dict[str, FlagValue], Expect("a mapping of flags to values", ({"model-path": "/srv/models/x"},))
    ] = Field(default_factory=dict)
    """SGLang's flags, named as on the command line without the dashes. null removes an inherited one."""
    secrets: Annotated[
        dict[str, SecretVariable], Expect("a mapping of flags to names of variables", ({"api-key": "CHAT_API_KEY"},))
    ] = Field(default_factory=dict)
    """Flags whose value stays on the host: flag -> the variable of `environment-files` that holds it."""
    environment: Variables = Field(default_factory=dict)
    """Environment variables. Values are text: quote true, 0.5 and the like."""
    environment_files: Several[VariablesFile] = ()
    """Files on the host that hold more variables (EnvironmentFile=): the place for secrets."""
    unit: UnitSettings = Field(default_factory=UnitSettings)
    """systemd settings."""
    start: Start = Field(default_factory=Start)
    """Start budget."""
    waive: Several[Waiver] = ()
    """Findings that are accepted here."""
