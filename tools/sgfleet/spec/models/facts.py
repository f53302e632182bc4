"""`hosts/<host>/facts.yaml`: what one host is, as read on that host. Every fact may be unknown."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sgfleet.spec.models.base import Expect, Model, Moment, Several
from sgfleet.spec.models.service import AbsolutePath, HostName, Interpreter, ReleaseVersion, ServiceName

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Gib = Annotated[float, Field(ge=0)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=500), Expect("text of 1 to 500 characters")]
ComputeCapability = Annotated[
    str, StringConstraints(pattern=r"^[0-9]+\.[0-9]$"), Expect("a compute capability", ("9.0", "12.0"))
]


FactsPart = Literal["gpus", "memory", "numa", "limits", "software", "environments", "checkpoints", "observed"]


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
    current_width: Count | None = None
    """Lanes that are in use: fewer than `width` means a card or riser with bad contact."""


class MigInstance(Model):
    """A slice of a GPU that is divided by MIG."""

    profile: Text | None = None
    """As nvidia-smi -L names it, such as 3g.40gb."""
    memory_mib: Positive | None = None
    """Its memory, MiB."""
    uuid: Text | None = None
    """Only when it was asked for."""


class Gpu(Model):
    """One GPU."""

    index: Count
    """As nvidia-smi counts them."""
    name: Text
    """Product name."""
    memory_mib: Positive | None = None
    """Total memory, MiB, as nvidia-smi prints it: SGLang's own defaults start from this figure."""
    compute_capability: ComputeCapability | None = None
    """Such as "12.0"."""
    pcie: Pcie | None = None
    """The link to the host."""
    nvlinks: Count | None = None
    """Active NVLink links; 0 where there are none."""
    numa_node: Count | None = None
    """The NUMA node that the GPU hangs on."""
    pci_address: Text | None = None
    """Domain, bus, device and function, such as 0000:17:00.0."""
    mig: bool | None = None
    """Whether MIG is on: then work runs on `mig_instances`, not on the GPU as a whole."""
    mig_instances: Several[MigInstance] = ()
    """The slices of a divided GPU, in nvidia-smi's order."""
    problem: Text | None = None
    """What is wrong with it, such as a GPU that has fallen off the bus: it is there and cannot be used."""
    uuid: Text | None = None
    """Only when it was asked for."""
    serial: Text | None = None
    """Only when it was asked for."""


class Memory(Model):
    """RAM."""

    total_bytes: Count | None = None
    """MemTotal."""
    available_bytes: Count | None = None
    """MemAvailable with no service of this repository running."""
    swap_total_bytes: Count | None = None
    """SwapTotal."""
    hugepages: Count | None = None
    """Pages of `hugepage_bytes` that are set aside: that RAM serves nothing else."""
    hugepage_bytes: Count | None = None
    """Size of such a page."""
    transparent_hugepages: Literal["always", "madvise", "never"] | None = None
    """When the kernel uses large pages by itself."""


class NumaNode(Model):
    """A NUMA node."""

    node: Count
    """Its number."""
    total_bytes: Count | None = None
    """RAM on it."""
    cpus: Text | None = None
    """Its CPUs as the kernel lists them, such as 0-31,64-95."""


class Limits(Model):
    """What a service may use when its unit says nothing else."""

    memlock_bytes: Count | Literal["infinity"] | None = None
    """LimitMEMLOCK= by default: pinned host pools count against it."""
    open_files: Count | Literal["infinity"] | None = None
    """LimitNOFILE= by default (the soft limit)."""
    memory_bytes: Count | Literal["infinity"] | None = None
    """The tightest memory.max of the control groups above a service."""


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
    architecture: Text | None = None
    """The model class that config.json names."""
    layers: Count | None = None
    """Decoder layers."""
    exact: bool | None = None
    """Whether bytes come from the headers of its files; otherwise they are estimated from config.json."""


class Observation(Model):
    """What the engine itself said when it started. GiB are what its log calls GB on the device side."""

    release: ReleaseVersion
    """The release that ran."""
    read: Reading | None = None
    """When and how it was read."""
    ranks: Count | None = None
    """Ranks whose lines were read."""
    kv_tokens: Count | None = None
    """KV tokens of a rank's pool (max_total_num_tokens)."""
    swa_tokens: Count | None = None
    """Tokens of the sliding-window layers' pool, where the model has such layers."""
    kv_pool_gib: Gib | None = None
    """KV pool of a rank as the log prints it: GiB with two decimals, though the log says GB."""
    state_slots: Count | None = None
    """Slots of the pool of linear-attention states, where the model has such layers."""
    state_pool_gib: Gib | None = None
    """That pool, GiB a rank."""
    free_before_gib_min: Gib | None = None
    """Free memory of the GPU that has least, before the weights are loaded, GiB."""
    weights_gib: Gib | None = None
    """Weights of the rank that has most, GiB."""
    free_after_weights_gib_min: Gib | None = None
    """Free memory of the GPU that has least, after the target's weights, GiB."""
    graphs_gib: Gib | None = None
    """Graphs of the rank that has most, GiB."""
    draft_weights_gib: Gib | None = None
    """Weights of the draft model, of the rank that has most, GiB."""
    draft_pool_gib: Gib | None = None
    """KV pool of the draft model, of the rank that has most, GiB."""
    free_after_gib_min: Gib | None = None
    """Free memory of the GPU that has least, after all allocations, GiB."""
    free_after_gib_max: Gib | None = None
    """Free memory of the GPU that has most, after all allocations, GiB."""
    host_pool_gb: Gib | None = None
    """Host pools of a rank as the log prints them: units of 10**9 bytes."""
    host_pool_tokens: Count | None = None
    """Tokens of a rank's host pool, where the release prints them."""
    max_running_requests: Count | None = None
    """Requests that run at once, as resolved."""
    context_tokens: Count | None = None
    """Context length, as resolved."""
    load_seconds: Count | None = None
    """From the first line of the start to the line that says the server is ready."""
    load_seconds_at_least: Count | None = None
    """A lower bound, where no exact figure was written down."""
    settings: dict[Text, str | int | float | bool] = Field(default_factory=dict)
    """The engine's own settings that the figures hang on, by field name, as it resolved them."""


class Facts(Model):
    """What one host is, as read on that host: hosts/<host>/facts.yaml."""

    format: Literal[1]
    """Version of this file's form."""
    host: HostName
    """The name of the folder that holds this file."""
    read: dict[FactsPart, Reading] = Field(default_factory=dict)
    """Part -> when and how it was read."""
    unknown: dict[Text, Text] = Field(default_factory=dict)
    """What could not be read -> why."""
    gpus: Several[Gpu] | None = None
    """All GPUs; an empty list says that there is none."""
    memory: Memory = Field(default_factory=Memory)
    """RAM."""
    numa: Several[NumaNode] | None = None
    """NUMA nodes."""
    limits: Limits = Field(default_factory=Limits)
    """Limits of systemd and of control groups."""
    software: Software = Field(default_factory=Software)
    """Versions."""
    environments: Several[Environment] = ()
    """Python environments that were looked at."""
    checkpoints: Several[Checkpoint] = ()
    """Model folders that were looked at."""
    observed: dict[ServiceName, Observation] = Field(default_factory=dict)
    """Service -> what its start-up log said."""
