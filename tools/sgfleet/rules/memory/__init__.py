"""The memory budget of a host, and what a model asks of its GPUs: what fits, what may fit, and what was not checked."""
