"""`hosts/<host>/facts.yaml`: what one host is, as read on that host. Every fact may be unknown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sgfleet.spec.base import Expect, Model, Moment, Several
from sgfleet.spec.service import AbsolutePath, HostName, Interpreter, ReleaseVersion, ServiceName

Count = Annotated[int, Field(ge=0)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=500), Expect("text of 1 to 500 characters")]
ComputeCapability = Annotated[
    str, StringConstraints(pattern=r"^[0-9]+\.[0-9]$"), Expect("a compute capability", ("9.0", "12.0"))
]


class Reading(Model):
    """When and how a part of the facts was read."""

    when: Moment | None = None
    """The moment of the reading; null where nobody wrote it down."""
    how: Text
    """The program or document that it comes from."""


class Pcie(Model):
    """The PCIe link of a GPU."""

    generation: Count | None = None
    """PCIe generation that the link can reach."""
    width: Count | None = None
    """Lanes."""


class Gpu(Model):
    """One GPU."""

    index: Count
    """As nvidia-smi counts them."""
    name: Text
    """Product name."""
    memory_mib: Count | None = None
    """Total memory, MiB, as nvidia-smi prints it: SGLang's own defaults start from this figure."""
    compute_capability: ComputeCapability | None = None
    """Such as "12.0"."""
    pcie: Pcie | None = None
    """The link to the host."""
    numa_node: Count | None = None
    """The NUMA node that the GPU hangs on."""
    uuid: Text | None = None
    """Only when it was asked for."""


class Memory(Model):
    """RAM."""

    total_bytes: Count | None = None
    """MemTotal."""
    available_bytes: Count | None = None
    """MemAvailable with no service of this repository running."""
    swap_total_bytes: Count | None = None
    """SwapTotal."""


class Software(Model):
    """Versions."""

    driver: Text | None = None
    """NVIDIA driver."""
    cuda: Text | None = None
    """Newest CUDA that the driver serves."""
    kernel: Text | None = None
    """Linux."""
    systemd: Count | None = None
    """systemd's major version."""


class Environment(Model):
    """A Python environment on the host."""

    python: Interpreter
    """Its interpreter."""
    release: ReleaseVersion | None = None
    """The SGLang release in it."""


class Checkpoint(Model):
    """A model folder on the host."""

    path: AbsolutePath
    """The folder."""
    total_bytes: Count | None = None
    """Sum over its weight files."""
    model: Text | None = None
    """The public checkpoint that it is a copy of, as schema/models names it."""


class Observation(Model):
    """What the engine itself said when it started."""

    release: ReleaseVersion
    """The release that ran."""
    kv_tokens: Count | None = None
    """KV tokens of a rank's pool (max_total_num_tokens)."""
    kv_pool_gib: Annotated[float, Field(ge=0)] | None = None
    """KV pool of a rank as the log prints it: GiB with two decimals, though the log says GB."""
    free_after_gib_min: Annotated[float, Field(ge=0)] | None = None
    """Free memory of the GPU that has least, after all allocations, GiB."""
    free_after_gib_max: Annotated[float, Field(ge=0)] | None = None
    """Free memory of the GPU that has most, after all allocations, GiB."""
    load_seconds: Count | None = None
    """From the start of the process to the first generated token."""
    load_seconds_at_least: Count | None = None
    """A lower bound, where no exact figure was written down."""


class Facts(Model):
    """What one host is, as read on that host: hosts/<host>/facts.yaml."""

    format: Literal[1]
    """Version of this file's form."""
    host: HostName
    """The name of the folder that holds this file."""
    read: dict[Literal["gpus", "memory", "software", "environments", "checkpoints", "observed"], Reading] = Field(
        default_factory=dict
    )
    """Part -> when and how it was read."""
    gpus: Several[Gpu] | None = None
    """All GPUs; an empty list says that there is none."""
    memory: Memory = Field(default_factory=Memory)
    """RAM."""
    software: Software = Field(default_factory=Software)
    """Versions."""
    environments: Several[Environment] = ()
    """Python environments that were looked at."""
    checkpoints: Several[Checkpoint] = ()
    """Model folders that were looked at."""
    observed: dict[ServiceName, Observation] = Field(default_factory=dict)
    """Service -> what its start-up log said."""
