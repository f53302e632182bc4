"""The shape of a checkpoint: layers, KV layout, bytes a rank."""
