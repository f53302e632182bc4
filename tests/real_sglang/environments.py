"""The environments of the real releases, which `make test-sglang` installs below .cache/."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
POOL_WORKER = HERE / "pool_worker.py"
RELEASES = ("0.5.9", "0.5.23")


@dataclass(frozen=True)
class Environment:
    """A release as it is installed. `variables` make it run without a GPU, without a network, on two cores."""

    release: str

    @property
    def folder(self) -> Path:
        return ROOT / ".cache" / f"sglang-{self.release}"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def is_installed(self) -> bool:
        return (self.folder / ".stamp").is_file()

    @property
    def engine_variables(self) -> dict[str, str]:
        """What the release is told about this machine; the specification of a server sets the same."""
        return {
            "SGLANG_USE_CPU_ENGINE": "1",
            "SGFLEET_PIN_WITH_MLOCK": "1",
            "TORCHDYNAMO_DISABLE": "1",
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
        }

    @property
    def variables(self) -> dict[str, str]:
        """A small environment: what this process inherited must not decide anything."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
        return kept | self.engine_variables
