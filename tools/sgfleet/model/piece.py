"""Weights as far as spreading them over ranks is concerned: bytes that go the same way, layer by layer."""

from __future__ import annotations

from typing import Literal, NamedTuple

Place = Literal["first", "layer", "last", "vision", "draft"]
"""Where weights stand: before the layers (embedding), in one, after them (head), in the tower, in the MTP layers."""
Spread = Literal["whole", "attention", "kv", "dense", "shared", "experts", "vocabulary", "head", "vision"]
"""How weights are divided: what the releases do with the linear layers of each kind.

"whole" is on every rank: norms, routers, latent down-projections, indexers. "attention" is divided by the attention
ranks, "kv" likewise but at most into as many parts as there are KV heads. "dense", "shared" and "experts" are the
feed-forward blocks, "vocabulary" the embedding, "head" the output matrix.
"""


class Piece(NamedTuple):
    """`bytes` of weights that are spread in one way.

    `limit` is the number of KV heads ("kv"), of experts ("experts"), or of rows before padding ("vocabulary",
    "head"); 0 elsewhere.
    `layer` counts from 0 among the model's layers where `place` is "layer".
    """

    place: Place
    spread: Spread
    bytes: int
    layer: int = 0
    limit: int = 0
