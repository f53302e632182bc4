"""The shape that a service's model path means: from facts of that name or folder, from the folder itself, or from a
model that is like it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.model import store
from sgfleet.model.facts import hub_name
from sgfleet.model.problem import ADD_COMMAND, ModelError
from sgfleet.model.weights import weight_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.model.parallel import Parallel, WeightBytes
    from sgfleet.model.piece import Piece
    from sgfleet.model.shape import ModelShape
    from sgfleet.model.store import KeptFile
    from sgfleet.source.tree import KeptTree

VARIANT: Final = re.compile(r"instruct|chat|base|it|hf|meta|thinking|preview|exp|\d{4}|\d{6}|v\d+(\.\d+)?")
"""Words of a name that say nothing about the shape."""
VERSION: Final = re.compile(r"v\d+(\.\d+)?")
"""Those of them that are a version: it decides where several models are alike but for it."""
STORAGE_WORDS: Final[dict[str, frozenset[str]]] = {
    "fp8": frozenset({"fp8", "mxfp8"}),
    "w8a8": frozenset({"fp8", "int8"}),
    "nvfp4": frozenset({"nvfp4"}),
    "fp4": frozenset({"nvfp4", "mxfp4"}),
    "mxfp4": frozenset({"mxfp4"}),
    "int4": frozenset({"int4"}),
    "w4a16": frozenset({"int4"}),
    "awq": frozenset({"int4"}),
    "gptq": frozenset({"int4", "int8"}),
    "int8": frozenset({"int8"}),
    "bf16": frozenset(),
    "fp16": frozenset(),
}
"""Words in a name that say how weights are stored, with the formats that they can mean."""


@dataclass(frozen=True)
class Found:
    """A model; `pieces` are its exact weights where headers were read."""

    shape: ModelShape
    pieces: tuple[Piece, ...] | None = None
    _known: dict[Parallel, WeightBytes] = field(default_factory=dict, compare=False, repr=False)

    def weights(self, parallel: Parallel) -> WeightBytes:
        """Weight bytes on a rank, computed once for each way of spreading."""
        if parallel not in self._known:
            self._known[parallel] = weight_bytes(self.shape, parallel, self.pieces)
        return self._known[parallel]


def find(model_path: str, root: Path | KeptTree | None = None, *, local: bool = True) -> Found:
    """The model that `model_path` means, the surest way first.

    Facts of exactly this name (`org/name`, also as Hugging Face's cache spells it) or made from exactly this folder;
    the folder, where it is on this machine and `local`; facts of the one model that is called as the folder is, whoever
    owns it; facts of the one model whose name is like the folder's. Of the last two `shape.source.match` says so.

    Raises:
        ModelError: Nothing is known of this model, or what is known cannot be used.
    """
    found = _find(model_path, root, local, store.stamps(root))
    if isinstance(found, ModelError):
        raise found
    return found


@lru_cache(maxsize=512)
def _find(model_path: str, root: Path | KeptTree | None, local: bool, _stamps: tuple[int, ...]) -> Found | ModelError:
    """The answer for one path, kept until facts are added: thousands of services may ask for the same model."""
    try:
        return _search(model_path, root, local=local)
    except ModelError as error:
        return error


def _search(model_path: str, root: Path | KeptTree | None, *, local: bool) -> Found:
    path = model_path.rstrip("/")
    exact = store.load(hub_name(path), root) or store.of_path(path, root)
    if exact is not None:
        return Found(exact.shape, exact.pieces)
    if local and Path(path).is_absolute() and Path(path, "config.json").is_file():
        from sgfleet.model.describe import describe

        facts = describe(Path(path))
        return Found(facts.shape, facts.pieces)
    files = store.files(root)
    alike = _namesakes(path, files) or _alike(path, files)
    if len(alike) != 1:
        raise _unknown(model_path, alike)
    facts = store.read(files[alike[0]])
    source = facts.shape.source._replace(match="similar", asked=model_path)
    # Variants of a model have the same weights; some have another context length.
    same_variant = _Name(hub_name(path)).variant == _Name(facts.name).variant
    context = facts.shape.context_length if same_variant else None
    return Found(replace(facts.shape, source=source, context_length=context))


def _namesakes(path: str, files: Mapping[str, Path | KeptFile]) -> list[str]:
    """Stems of the facts of models with this very name, case aside: those of its owner, where it names one of theirs.

    A name that is equal is no guess, whatever other names are like it: DeepSeek-V3 beside DeepSeek-V3.2.
    """
    wanted = hub_name(path).lower()
    last = wanted.rsplit("/", 1)[-1]
    if not last:
        return []
    names = {stem: stem.replace("--", "/", 1).lower() for stem in files}
    same = [stem for stem, name in names.items() if name.rsplit("/", 1)[-1] == last]
    return [stem for stem in same if names[stem] == wanted] or same


def _alike(path: str, files: Mapping[str, Path | KeptFile]) -> list[str]:
    """Stems of the facts whose model's name has the words of this one, first those that name their storage alike."""
    wanted = _Name(hub_name(path))
    if not wanted.plain:
        return []
    names = {stem: _Name(stem.replace("--", "/")) for stem in files}
    same = [stem for stem, name in names.items() if name.plain == wanted.plain]
    named_alike = [stem for stem in same if names[stem].storage == wanted.storage]
    found = named_alike or [stem for stem in same if wanted.means(files[stem])]
    # Of several that are like it, the one of its version is meant: DeepSeek-V3.2-FP8 is not DeepSeek-V3.
    return [stem for stem in found if names[stem].versions == wanted.versions] or found


class _Name:
    """The words of a model's name, in lower case: `org/Kimi-K2.5-Base-int4` is (kimi, k2.5), (int4) and (base)."""

    def __init__(self, name: str) -> None:
        words = [word for word in re.split(r"[-_\s]+", name.rsplit("/", 1)[-1].lower()) if word]
        self.storage = [word for word in words if word in STORAGE_WORDS]
        self.variant = [word for word in words if VARIANT.fullmatch(word)]
        self.versions = [word for word in self.variant if VERSION.fullmatch(word)]
        self.plain = [word for word in words if word not in STORAGE_WORDS and not VARIANT.fullmatch(word)]

    def means(self, file: Path | KeptFile) -> bool:
        """The facts in a file are of weights that are stored as this name says; a name that says nothing means any."""
        try:
            quantisation = store.read(file).shape.quantisation
        except ModelError:
            return False
        formats = {storage.format for _, storage in quantisation.parts} if quantisation is not None else set()
        meant = [STORAGE_WORDS[word] for word in self.storage]
        return all(words & formats if words else not formats for words in meant)


def _unknown(model_path: str, alike: list[str]) -> ModelError:
    add = f"{ADD_COMMAND} {model_path}" if model_path.startswith("/") else f"{ADD_COMMAND} FOLDER --name {model_path}"
    if alike:
        message = f"could be one of several models: {', '.join(stem.replace('--', '/', 1) for stem in alike)}"
    else:
        message = "is a model of which nothing is known: there are no facts, and no such folder here"
    help_ = f"run {add} on the host that has the checkpoint, and commit what it writes"
    return ModelError(message, file=model_path, help=help_)
