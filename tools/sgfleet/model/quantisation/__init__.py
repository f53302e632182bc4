"""How a checkpoint's weights are stored: one file a way of writing it down."""

from sgfleet.model.quantisation.read import read_quantisation

__all__ = ["read_quantisation"]
