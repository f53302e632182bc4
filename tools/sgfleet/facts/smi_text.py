"""What nvidia-smi prints -> values. Pure.

nvidia-smi writes `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `[GPU is lost]` or `ERR!` where a value should be.
Formats: CSV from `--query-gpu`, XML from `-q -x`, lines from `-L` and `nvlink --status`.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from sgfleet.facts.gpu import GpuReading, MigReading, pci_address

if TYPE_CHECKING:
    from collections.abc import Sequence

FIELDS: Final = (
    "index",
    "pci.bus_id",
    "name",
    "memory.total",
    "pcie.link.gen.max",
    "pcie.link.width.max",
    "pcie.link.width.current",
    "mig.mode.current",
    "uuid",
    "serial",
    "compute_cap",
)
"""Fields of --query-gpu, those that old drivers lack at the end."""
LOST: Final = re.compile(
    r"GPU is lost|fallen off the bus|ERR!|Unknown Error|Unable to determine the device handle", re.IGNORECASE
)
_REFUSED: Final = re.compile(r'Field "([a-z_.]+)" is not a valid field to query')
_SERIAL_OR_UUID: Final = re.compile(r"\b(?:GPU|MIG)-[0-9a-f-]{8,}", re.IGNORECASE)
_DEVICE: Final = re.compile(r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.IGNORECASE)
_INDEX: Final = re.compile(r"\s*[0-9]{1,5}\s*$")
_LISTED_GPU: Final = re.compile(r"GPU (\d+): (.+?)(?: \(UUID: .*\))?$")
_LISTED_MIG: Final = re.compile(r"\s+MIG (\S+)\s+Device\s+(\d+):(?: \(UUID: (MIG-[^)]+)\))?")
_ACTIVE_LINK: Final = re.compile(r"\s+Link \d+: [\d.]+ GB/s")


def refused_field(text: str) -> str | None:
    """The field that this nvidia-smi does not know; None when it complains of nothing like that."""
    match = _REFUSED.search(text)
    return match[1] if match else None


def without_ids(text: str) -> str:
    """One short line of a message, without the UUID of a GPU."""
    line = " ".join(_SERIAL_OR_UUID.sub("a GPU", text).split())
    return "".join(each for each in line if each.isprintable())[:200]


def table(text: str, fields: Sequence[str]) -> list[GpuReading]:
    """The rows of `--query-gpu=FIELDS --format=csv,noheader,nounits`; lines that are no such row are left out."""
    try:
        rows = list(csv.reader(text.splitlines(), skipinitialspace=True))
    except csv.Error:
        return []
    return [
        _gpu(dict(zip(fields, row, strict=True))) for row in rows if len(row) == len(fields) and _INDEX.match(row[0])
    ]


def _gpu(row: dict[str, str]) -> GpuReading:
    lost = next((value for value in row.values() if LOST.search(value)), None)
    mig = row.get("mig.mode.current", "").strip()
    capability = row.get("compute_cap", "").strip()
    memory_mib = number(row.get("memory.total"))
    return GpuReading(
        index=int(row["index"]),
        name=value(row.get("name")),
        # A lost GPU shows 0 MiB in some versions: that is no size of a memory.
        memory_mib=memory_mib or None,
        compute_capability=capability if re.fullmatch(r"\d+\.\d", capability) else None,
        pcie_generation=number(row.get("pcie.link.gen.max")) or None,
        pcie_width=number(row.get("pcie.link.width.max")) or None,
        pcie_current_width=number(row.get("pcie.link.width.current")) or None,
        pci_address=pci_address(row.get("pci.bus_id", "")),
        mig={"Enabled": True, "Disabled": False}.get(mig),
        uuid=value(row.get("uuid")),
        serial=value(row.get("serial")),
        problem=f"nvidia-smi says {without_ids(lost)!r} in place of its values" if lost is not None else None,
    )


def value(text: str | None) -> str | None:
    """A field's text, if it is one."""
    text = (text or "").strip()
    if not text or text.startswith("[") or text in {"N/A", "0", "Unknown"} or LOST.search(text):
        return None
    return "".join(each for each in text if each.isprintable())[:200] or None


def number(text: str | None) -> int | None:
    """The whole number that a field begins with: `81559`, `81559 MiB`, `16x`."""
    match = re.match(r"\s*(\d{1,12})(?:\s*MiB|x)?\s*$", text or "")
    return int(match[1]) if match else None


def listed(text: str) -> dict[int, list[MigReading]]:
    """`nvidia-smi -L`: index of a GPU -> its MIG instances."""
    found: dict[int, list[MigReading]] = {}
    here: list[MigReading] = []
    for line in text.splitlines():
        if match := _LISTED_GPU.match(line):
            here = found.setdefault(int(match[1][:6]), [])
        elif match := _LISTED_MIG.match(line):
            here.append(MigReading(match[1], None, match[3]))
    return found


def document(text: str) -> tuple[str | None, dict[str, list[int | None]]]:
    """`nvidia-smi -q -x`: the newest CUDA of the driver, and PCI address -> memory of its MIG instances, MiB."""
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - the answer of this machine's own nvidia-smi
    except (ElementTree.ParseError, ValueError):
        return None, {}
    cuda = value(root.findtext("cuda_version"))
    instances = {}
    for gpu in root.iter("gpu"):
        if address := pci_address(gpu.get("id", "")):
            devices = gpu.findall("mig_devices/mig_device")
            instances[address] = [number(each.findtext("fb_memory_usage/total")) for each in devices]
    return cuda, instances


def nvlinks(text: str) -> dict[int, int]:
    """`nvidia-smi nvlink --status`: index of a GPU -> its active links. GPUs without NVLink are not in it."""
    found: dict[int, int] = {}
    here = None
    for line in text.splitlines():
        if match := _LISTED_GPU.match(line):
            here = int(match[1][:6])
            found[here] = 0
        elif here is not None and _ACTIVE_LINK.match(line):
            found[here] += 1
    return found


def lost_devices(text: str) -> dict[str, str]:
    """PCI addresses in messages such as `Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.`"""
    found = {}
    for line in text.splitlines():
        match = _DEVICE.search(line)
        if match and LOST.search(line) and (address := pci_address(match[0])):
            found[address] = without_ids(line)
    return found
