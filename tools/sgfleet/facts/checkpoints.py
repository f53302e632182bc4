"""Model folders: shape and bytes from their configuration and the headers of their files, never from their data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.facts.gpu import known

if TYPE_CHECKING:
    from collections.abc import Iterable

HOW: Final = "config.json and headers of the weight files"
_WEIGHTS: Final = ("*.safetensors", "*.gguf", "*.bin", "*.pt")


def read(folders: Iterable[str], root: Path | None) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The part `checkpoints` of the facts, in the order given, and what of it is unknown.

    `root` is the repository: a folder whose name leads to facts in schema/models gets that model's name.
    """
    found = []
    unknown = {}
    for folder in dict.fromkeys(folders):
        entry, reason = _entry(folder, root)
        found.append(entry)
        if reason:
            unknown[f"checkpoints.{folder}"] = reason
    return found, unknown


def _entry(folder: str, root: Path | None) -> tuple[dict[str, Any], str | None]:
    from sgfleet.model.describe import describe
    from sgfleet.model.problem import ModelError

    try:
        total_bytes = weight_file_bytes(Path(folder))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return {"path": folder}, f"cannot be looked at: {reason.lower()}"[:500]
    try:
        facts = describe(Path(folder))
    except (ModelError, OSError, ValueError) as error:
        return known({"path": folder, "total-bytes": total_bytes}), _reason(error, folder)[:500]
    return known(
        {
            "path": folder,
            "total-bytes": total_bytes,
            "model": _public_name(folder, root),
            "architecture": facts.shape.architecture[:500],
            "layers": len(facts.shape.layers),
            "exact": facts.pieces is not None,
        }
    ), None


def _reason(error: Exception, folder: str) -> str:
    """Why it could not be read, with the file in the folder that it is about."""
    message = getattr(error, "message", None) or str(error) or "cannot be read"
    file = Path(getattr(error, "file", folder))
    return f"{file.name}: {message}" if file.parent == Path(folder) else message


def weight_file_bytes(folder: Path) -> int | None:
    """Bytes of the weight files: of the safetensors files, or of the first other kind that there is; None without any.

    Raises:
        OSError: the folder cannot be looked at.
    """
    if not folder.is_dir():
        raise NotADirectoryError(None, "it is a file, and no folder" if folder.exists() else "no such folder")
    for pattern in _WEIGHTS:
        if files := [path for path in folder.glob(pattern) if path.is_file() and not path.name.startswith(".")]:
            return sum(path.stat().st_size for path in files)
    return None


def _public_name(folder: str, root: Path | None) -> str | None:
    from sgfleet.model.find import find
    from sgfleet.model.problem import ModelError

    try:
        name = find(folder, root, local=False).shape.source.name
    except ModelError:
        return None
    return name if "/" in name and not name.startswith("/") else None
