"""Check: the checkpoints are on the disk, whole.

SGLang takes a folder that is not there for a name of the hub and waits for the network; a shard that is missing or
empty ends the load after minutes. Names of the hub are passed: what they lead to is known when the engine asks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.agent.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.agent.admission.situation import Situation

FLAGS: Final = ("model_path", "speculative_draft_model_path")
_CONFIGURATIONS: Final = ("config.json", "params.json")
"""Of transformers, and of Mistral's own form."""
_INDICES: Final = ("model.safetensors.index.json", "*.safetensors.index.json")
_OLD_INDEX: Final = "*.bin.index.json"
_MOST_BYTES: Final = 256 * 2**20


def check(situation: Situation) -> Reason | None:
    """The first thing that is wrong with a checkpoint, and the tokenizer's folder where it has one of its own."""
    for flag in FLAGS:
        path = situation.flags.get(flag)
        if isinstance(path, str) and path.startswith("/"):
            for trouble in _troubles(Path(path)):
                help_ = "put it there, whole, before the service is changed; or mend the path in the spec"
                return Reason("model", f"--{flag.replace('_', '-')}: {trouble}", help_)
    tokenizer = situation.flags.get("tokenizer_path")
    if isinstance(tokenizer, str) and tokenizer.startswith("/") and not Path(tokenizer).exists():
        return Reason("model", f"--tokenizer-path: there is no {tokenizer}", "put it there, or mend the path")
    return None


def _troubles(path: Path) -> Iterator[str]:
    if path.is_file():  # one file that holds everything, as GGUF does
        if not path.stat().st_size:
            yield f"{path} is empty"
        return
    if not path.is_dir():
        yield f"there is no folder {path}"
        return
    there = [name for name in _CONFIGURATIONS if (path / name).exists()]
    if not there:
        yield f"{path} has no config.json"
    for name in there:
        if not isinstance(found := _json(path / name), dict):
            yield f"{path / name} {found}"
    weights_files = sorted(path.glob("*.safetensors"))
    indices = [each for pattern in _INDICES for each in sorted(path.glob(pattern))]
    if not weights_files and not indices:
        indices = sorted(path.glob(_OLD_INDEX))
    # Some checkpoints come in two forms, each with an index, and only one of them is copied.
    troubles = [list(_shards(path, each)) for each in dict.fromkeys(indices)]
    if all(troubles):
        yield from (each for found in troubles[:1] for each in found)
    for weights in weights_files:
        if not weights.exists():
            yield f"{weights} is a link to what is not there"
        elif not weights.stat().st_size:
            yield f"{weights} is empty"


def _shards(path: Path, index: Path) -> Iterator[str]:
    found = _json(index)
    names = found.get("weight_map") if isinstance(found, dict) else None
    if not isinstance(names, dict):
        yield f"{index} {found if isinstance(found, str) else 'has no weight_map'}"
        return
    shards = sorted({str(name) for name in names.values()})
    bad = [name for name in shards if _leads_out(name) or not _is_whole(path / name)]
    if bad:
        yield f"{len(bad)} of {len(shards)} shards in {path} are missing or empty, {bad[0][:200]} first"


def _leads_out(name: str) -> bool:
    """No checkpoint has its shards elsewhere; an index that says so is damaged, or worse."""
    return name.startswith("/") or ".." in name.split("/")


def _is_whole(shard: Path) -> bool:
    return shard.is_file() and shard.stat().st_size > 0


def _json(path: Path) -> dict[str, object] | str:
    """The object in a file, or what is wrong with it, in words that follow its name."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return "is no plain file, or far too large"
        data = json.loads(path.read_bytes())
    except OSError as error:
        return f"cannot be read: {(error.strerror or str(error)).lower()}"
    except (ValueError, RecursionError):
        return "is no JSON: cut off while it was copied?"
    return data if isinstance(data, dict) else "holds no JSON object"
