"""A checkpoint's folder, or its config.json alone, -> facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sgfleet.model.checkpoint import CONFIG_FILE, read_checkpoint, read_text
from sgfleet.model.config import MOST_BYTES, QUANTISATION_FILE, read_config
from sgfleet.model.estimate import estimate
from sgfleet.model.exact import Exact, exact_pieces
from sgfleet.model.facts import Facts, hub_name
from sgfleet.model.problem import ModelError
from sgfleet.model.read import read_shape
from sgfleet.model.shape import ModelShape, Source

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.model.headers import Tensor

FAR_APART: Final = 0.5
"""Headers that hold less or more than this share of what the configuration needs are another model's."""


def describe(folder: Path, *, name: str | None = None) -> Facts:
    """Facts of the checkpoint in a folder, exact where it has safetensors files.

    Raises:
        ModelError: Something is missing, unreadable, or contradicts the rest.
    """
    checkpoint = read_checkpoint(folder)
    shape = read_shape(checkpoint.config, Source("headers" if checkpoint.tensors else "config", str(folder)))
    exact = _exact(shape, checkpoint.tensors, str(folder)) if checkpoint.tensors else None
    return Facts(
        name=name or _name(folder),
        source="config.json and safetensors headers" if exact is not None else "config.json",
        shape=shape if exact is None else replace(shape, assumptions=(*shape.assumptions, *_unknown(exact))),
        pieces=exact.pieces if exact is not None else None,
        paths=(str(folder),),
    )


def _name(folder: Path) -> str:
    """What a checkpoint is called when nobody says it: as in the cache that it lies in, or as its folder."""
    called = hub_name(str(folder))
    return called if called != str(folder) else folder.name


def describe_file(path: Path, *, name: str | None = None) -> Facts:
    """Facts from a config.json alone, and from ModelOpt's file beside it: hf_quant_config.json, or the same name with
    `.quant.json`.

    Without a name the model is called as the file is, `org--name.json`.

    Raises:
        ModelError: It lacks what its family needs.
    """
    called = name or (path.parent.name if path.name == CONFIG_FILE else path.stem.replace("--", "/", 1))
    beside = next(
        (file for file in (path.with_suffix(".quant.json"), path.with_name(QUANTISATION_FILE)) if file.is_file()), None
    )
    return describe_config(
        read_text(path, MOST_BYTES),
        name=called,
        quantisation=None if beside is None else read_text(beside, MOST_BYTES),
    )


def describe_config(text: str, *, name: str, quantisation: str | None = None) -> Facts:
    """Facts from the text of a config.json, and of the hf_quant_config.json beside it.

    Raises:
        ModelError: It lacks what its family needs.
    """
    shape = read_shape(
        read_config(text, name=f"config.json of {name}", quantisation=quantisation), Source("config", name)
    )
    return Facts(name=name, source=f"config.json of {name}", shape=shape)


def _unknown(exact: Exact) -> tuple[str, ...]:
    """Tensors whose names say nothing, as a note for people."""
    if not exact.unknown_tensors:
        return ()
    size = f"{exact.unknown_bytes / 2**30:.2f} GiB"
    return (f"the names of {exact.unknown_tensors} tensors ({size}) say nothing: they count as whole on every rank",)


def _exact(shape: ModelShape, tensors: tuple[Tensor, ...], folder: str) -> Exact:
    """The pieces of the headers, if they are those of the model that config.json describes."""
    exact = exact_pieces(shape, tensors)
    expected = sum(piece.bytes for piece in estimate(shape))
    found = sum(piece.bytes for piece in exact.pieces)
    sure = not shape.assumptions and (shape.quantisation is None or not shape.quantisation.unsure)
    if sure and not FAR_APART * expected <= found <= expected / FAR_APART:
        message = f"has tensors of {found / 1e9:.1f} GB, where its config.json describes about {expected / 1e9:.1f} GB"
        raise ModelError(message, file=folder, help="config.json and the safetensors files are of two models")
    return exact
