"""What things may be called, where more than a model asks for it."""

from __future__ import annotations

from typing import Final

HOST_NAME_PATTERN: Final = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"


def kebab(name: str) -> str:
    """The name of a field as YAML writes it: `restart_sec` -> `restart-sec`."""
    return name.replace("_", "-")
