"""Model facts: `schema/models/<org>--<name>.json`, a shape in a form of this project, and back.

Layers are one letter each, in order: a model has few kinds of them. The file holds no tensor names and no code, and
the same model always gives the same bytes. Facts that were made from tensor headers hold the bytes as well, so that a
machine without the checkpoint is as exact.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.model.codec import CodecError, decode, encode
from sgfleet.model.layer import (
    Attention,
    CompressedAttention,
    Indexer,
    LatentAttention,
    Layer,
    LinearAttention,
    Mlp,
    Moe,
)
from sgfleet.model.piece import Piece
from sgfleet.model.problem import ANEW, ModelError
from sgfleet.model.shape import Draft, ModelShape, Quantisation, Source, Storage, Vision

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = 1
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")
SNAPSHOT: Final = re.compile(r"models--([^/]+?)--([^/]+)(?:/|$)")
"""A model in Hugging Face's cache: .../models--org--name/snapshots/<revision>."""
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
MIXERS: Final[dict[str, type]] = {
    "attention": Attention,
    "latent": LatentAttention,
    "compressed": CompressedAttention,
    "linear": LinearAttention,
}
BLOCKS: Final[dict[str, type]] = {"dense": Mlp, "moe": Moe}


def hub_name(path: str) -> str:
    """`org/name` where a path is one, or leads into Hugging Face's cache of one."""
    cached = SNAPSHOT.search(path)
    return f"{cached.group(1)}/{cached.group(2)}" if cached is not None else path


class Facts(NamedTuple):
    """A model by name. `paths` are folders where this very checkpoint was read; `pieces` is None without headers.

    `source` is what it was made from, in words for a person.
    """

    name: str
    source: str
    shape: ModelShape
    pieces: tuple[Piece, ...] | None = None
    paths: tuple[str, ...] = ()


def write_facts(facts: Facts) -> str:
    """The text of a facts file."""
    shape = facts.shape
    letters = _Letters()
    order = letters.word(_layer_out(layer) for layer in shape.layers)
    draft = None if shape.draft is None else _draft_out(shape.draft, letters)
    plain = encode(
        shape,
        nested={
            "layers": lambda _: order,
            "source": lambda _: facts.source,
            "vision": encode,
            "draft": lambda _: draft,
            "quantisation": _quantisation_out,
        },
    )
    document: dict[str, Any] = {"format": FORMAT, "model": facts.name, "source": plain.pop("source")}
    if facts.paths:
        document["paths"] = list(facts.paths)
    document |= plain
    document["layer_kinds"] = letters.kinds
    if facts.pieces is not None:
        document["weights"] = _weights_out(facts.pieces)
    return _pretty(document)


def read_facts(text: str, file: str) -> Facts:
    """Facts from the text of their file.

    Raises:
        ModelError: The file is not what `write_facts` writes.
    """
    try:
        return _read(_document(text, file))
    except CodecError as error:
        raise _damaged(file, f"is not a facts file: {error}") from error


def check_form(text: str, file: str) -> None:
    """Look whether a text is JSON of this format; what it says of the model is not looked at.

    Raises:
        ModelError: It is not.
    """
    try:
        _versioned(_document(text, file))
    except CodecError as error:
        raise _damaged(file, f"is not a facts file: {error}") from error


def _document(text: str, file: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(file, f"is not JSON: {error}") from error


def _versioned(document: object) -> dict[str, Any]:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CodecError(f"format is not {FORMAT}")
    return document


def _read(document: object) -> Facts:
    values = dict(_versioned(document))
    del values["format"]
    name, source, paths = values.pop("model", None), values.pop("source", None), values.pop("paths", [])
    if not isinstance(name, str) or not NAME.fullmatch(name) or not isinstance(source, str):
        raise CodecError("model or source is missing, or not a name")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise CodecError("paths is not a list of folders")
    kinds, weights = values.pop("layer_kinds", None), values.pop("weights", None)
    layers = _layers_in(kinds)
    shape = decode(
        ModelShape,
        {**values, "source": source},
        nested={
            "layers": lambda order: _spell(order, layers),
            "source": lambda _: Source("facts", name),
            "vision": lambda vision: decode(Vision, vision),
            "draft": lambda draft: decode(Draft, draft, nested={"layers": lambda order: _spell(order, layers)}),
            "quantisation": _quantisation_in,
        },
    )
    if not shape.layers or not all((shape.hidden_size, shape.vocab_size)):
        raise CodecError("a model has layers, a hidden size and a vocabulary")
    return Facts(
        name, source, shape, None if weights is None else _weights_in(weights, len(shape.layers)), tuple(paths)
    )


class _Letters:
    """Hands out a letter for each distinct value."""

    def __init__(self) -> None:
        self.kinds: dict[str, Any] = {}
        self._known: dict[str, str] = {}

    def word(self, values: Any) -> str:
        """One letter for each value."""
        return "".join(self._letter(value) for value in values)

    def _letter(self, value: Any) -> str:
        key = json.dumps(value)
        if key not in self._known:
            count = len(self._known)
            # Beyond the letters come the characters from U+0100: no model has needed them yet, none must fail.
            letter = LETTERS[count] if count < len(LETTERS) else chr(0x100 + count - len(LETTERS))
            self._known[key] = letter
            self.kinds[letter] = value
        return self._known[key]


def _spell(order: object, layers: Mapping[str, Any]) -> tuple[Any, ...]:
    if not isinstance(order, str) or not layers.keys() >= set(order) or len(order) > 2**13:
        raise CodecError("layers is not a word of the letters in layer_kinds")
    return tuple(layers[letter] for letter in order)


def _layer_out(layer: Layer) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if layer.mixer is not None:
        name = next(name for name, kind in MIXERS.items() if isinstance(layer.mixer, kind))
        found[name] = encode(layer.mixer, nested={"indexer": encode})
    if layer.beside is not None:
        found["beside"] = encode(layer.beside)
    if isinstance(layer.mlp, Mlp):
        found["dense"] = encode(layer.mlp)
    elif layer.mlp is not None:
        found["moe"] = encode(layer.mlp, nested={"dense": encode})
    return found


def _layers_in(kinds: object) -> dict[str, Layer]:
    if not isinstance(kinds, dict) or not all(isinstance(kind, dict) for kind in kinds.values()):
        raise CodecError("layer_kinds is not a mapping of letters to layers")
    return {letter: _layer_in(kind) for letter, kind in kinds.items()}


def _layer_in(kind: dict[str, Any]) -> Layer:
    unknown = kind.keys() - MIXERS.keys() - BLOCKS.keys() - {"beside"}
    if unknown:
        raise CodecError(f"a layer has no {min(unknown)!a}")
    nested = {
        "indexer": lambda value: decode(Indexer, value),
        "dense": lambda value: decode(Mlp, value),
    }
    mixers: list[Any] = [decode(made, kind[name], nested=nested) for name, made in MIXERS.items() if name in kind]
    blocks: list[Any] = [decode(made, kind[name], nested=nested) for name, made in BLOCKS.items() if name in kind]
    if len(mixers) > 1 or len(blocks) > 1:
        raise CodecError("a layer has one mixer and one feed-forward block at most")
    return Layer(
        mixer=mixers[0] if mixers else None,
        mlp=blocks[0] if blocks else None,
        beside=decode(LinearAttention, kind["beside"]) if "beside" in kind else None,
    )


def _draft_out(draft: Draft, letters: _Letters) -> dict[str, Any]:
    return encode(draft, nested={"layers": lambda layers: letters.word(map(_layer_out, layers))})


def _quantisation_out(quantisation: Quantisation) -> dict[str, Any]:
    return encode(quantisation, nested={"parts": lambda parts: {part: encode(storage) for part, storage in parts}})


def _quantisation_in(values: object) -> Quantisation:
    def parts(listed: object) -> tuple[tuple[str, Storage], ...]:
        if not isinstance(listed, dict):
            raise CodecError("parts is not a mapping")
        return tuple((part, decode(Storage, storage)) for part, storage in listed.items())

    return decode(Quantisation, values, nested={"parts": parts})


def _weights_out(pieces: tuple[Piece, ...]) -> dict[str, Any]:
    """Pieces by place; those of layers under a letter for each distinct set."""
    letters = _Letters()
    count = 1 + max((piece.layer for piece in pieces if piece.place == "layer"), default=-1)
    by_layer: list[list[list[Any]]] = [[] for _ in range(count)]
    found: dict[str, Any] = {}
    for piece in pieces:
        row = [piece.spread, piece.bytes, piece.limit]
        if piece.place == "layer":
            by_layer[piece.layer].append(row)
        else:
            found.setdefault(piece.place, []).append(row)
    found["layers"] = letters.word(by_layer)
    found["layer_kinds"] = letters.kinds
    return found


def _weights_in(values: object, layers: int) -> tuple[Piece, ...]:
    if not isinstance(values, dict):
        raise CodecError("weights is not a mapping")
    kinds = values.get("layer_kinds")
    sets = _spell(values.get("layers"), kinds if isinstance(kinds, dict) else {})
    if len(sets) > layers:
        raise CodecError("weights has more layers than the model")
    pieces = [
        _piece(place, row, 0) for place in ("first", "last", "vision", "draft") for row in _rows(values.get(place, []))
    ]
    return (*pieces, *(_piece("layer", row, index) for index, rows in enumerate(sets) for row in _rows(rows)))


def _rows(rows: object) -> list[list[Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == 3 for row in rows):
        raise CodecError("weights has something else than [spread, bytes, limit]")
    return rows


def _piece(place: str, row: list[Any], layer: int) -> Piece:
    spread, size, limit = row
    return decode(Piece, {"place": place, "spread": spread, "bytes": size, "layer": layer, "limit": limit})


def _pretty(document: dict[str, Any]) -> str:
    """JSON with one line for each leaf mapping, which keeps a file of 60 layers on a page."""
    lines = []
    for key, value in document.items():
        if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
            inner = ",\n".join(f"    {json.dumps(name)}: {json.dumps(item)}" for name, item in value.items())
            lines.append(f"  {json.dumps(key)}: {{\n{inner}\n  }}")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _damaged(file: str, message: str) -> ModelError:
    return ModelError(message, file=file, help=ANEW)
