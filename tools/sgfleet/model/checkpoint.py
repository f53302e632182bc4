"""A checkpoint in a folder: its configuration and the headers of its files. The only module here that opens files of a
checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.model.config import MOST_BYTES, QUANTISATION_FILE, Config, read_config, read_json
from sgfleet.model.headers import LENGTH_BYTES, Tensor, header_length, read_header
from sgfleet.model.problem import ADD_COMMAND, ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable

CONFIG_FILE: Final = "config.json"
INDEX_FILE: Final = "model.safetensors.index.json"
MOST_INDEX_BYTES: Final = 512 * 2**20
MOST_FILES: Final = 10_000


@dataclass(frozen=True)
class Checkpoint:
    """What a folder says: `tensors` is empty where it has no safetensors files (`notes` then says so)."""

    config: Config
    tensors: tuple[Tensor, ...]
    notes: tuple[str, ...] = ()


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read a checkpoint's folder without its tensor data.

    Raises:
        ModelError: Something that is needed is missing, unreadable, or contradicts the rest.
    """
    if not folder.is_dir():
        help_ = "give the folder that holds the checkpoint's config.json"
        raise ModelError("is not a folder", file=str(folder), help=help_)
    beside = folder / QUANTISATION_FILE
    config = read_config(
        read_text(folder / CONFIG_FILE, MOST_BYTES),
        name=str(folder / CONFIG_FILE),
        quantisation=read_text(beside, MOST_BYTES) if beside.exists() else None,
    )
    files = sorted(path for path in folder.glob("*.safetensors") if not path.name.startswith("."))
    if len(files) > MOST_FILES:
        raise ModelError(f"has {len(files)} safetensors files", file=str(folder), help="is this one checkpoint?")
    index = folder / INDEX_FILE
    if not index.exists():
        notes = () if files else (f"{folder} has no safetensors files: bytes are estimated from config.json",)
        return Checkpoint(config, _all_tensors(files), notes)
    return _indexed(folder, config, index)


def _indexed(folder: Path, config: Config, index: Path) -> Checkpoint:
    """The files that the index names, which are the ones that a release loads."""
    listed = _weight_map(read_text(index, MOST_INDEX_BYTES), str(index))
    names = sorted(set(listed.values()))
    for name in names:
        if Path(name).name != name or name.startswith("."):
            message = f"names a file outside the folder, {name[:80]!a}"
            raise ModelError(message, file=str(index), help="this index is not from the model's publisher")
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        message = f"names {len(missing)} of {len(names)} files that are not there, {missing[0]} first"
        raise ModelError(message, file=str(index), help="finish the download of the checkpoint")
    tensors = _all_tensors(folder / name for name in names)
    found = {tensor.name for tensor in tensors}
    absent = listed.keys() - found
    if absent:
        message = f"lists {len(absent)} tensors that no file has, {min(absent)!a} first"
        raise ModelError(message, file=str(index), help="download the index and the files of one revision")
    extra = len(found - listed.keys())
    return Checkpoint(config, tensors, (f"{extra} tensors are not in the index",) if extra else ())


def _weight_map(text: str, file: str) -> dict[str, str]:
    value = read_json(text, file, most_bytes=MOST_INDEX_BYTES).get("weight_map")
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value.values()):
        raise ModelError("has no weight_map from tensor to file", file=file, help="download the index again")
    return value


def _all_tensors(files: Iterable[Path]) -> tuple[Tensor, ...]:
    """Every tensor of the files; one that two files have is a problem, since nobody knows which is meant."""
    seen: dict[str, str] = {}
    tensors: list[Tensor] = []
    for path in files:
        for tensor in _tensors(path):
            if tensor.name in seen:
                message = f"has {tensor.name!a}, which {seen[tensor.name]} has too"
                raise ModelError(message, file=str(path), help="remove files of another download from the folder")
            seen[tensor.name] = path.name
            tensors.append(tensor)
    return tuple(tensors)


def _refuse_pipe(path: Path) -> None:
    """A pipe or a device would make whoever opens it wait.

    Raises:
        ModelError: it is one.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        help_ = "a checkpoint has regular files: download it again"
        raise ModelError("cannot be read: a pipe or a device in the place of a file", file=str(path), help=help_)


def _tensors(path: Path) -> tuple[Tensor, ...]:
    _refuse_pipe(path)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = header_length(file.read(LENGTH_BYTES), size, str(path))
            header = file.read(length)
    except OSError as error:
        raise _unreadable(path, error) from error
    return read_header(header, size - LENGTH_BYTES - length, str(path))


def read_text(path: Path, most_bytes: int) -> str:
    """A text file that is not larger than it may be.

    Raises:
        ModelError: It is too large, or cannot be read.
    """
    _refuse_pipe(path)
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(content) > most_bytes:
        raise ModelError(f"is larger than {most_bytes // 2**20} MiB", file=str(path), help="is this the right file?")
    return content.decode(errors="replace")


def _unreadable(path: Path, error: OSError) -> ModelError:
    reason = error.strerror or str(error)
    return ModelError(
        f"cannot be read: {reason.lower()}",
        file=str(path),
        help=f"run {ADD_COMMAND} FOLDER on the host that has the checkpoint, and commit what it writes",
    )
