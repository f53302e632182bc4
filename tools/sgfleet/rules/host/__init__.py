"""What the services of one host have to share: ports, GPUs, an order of starts."""
