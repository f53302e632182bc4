"""Random commits against a host with the agent: see `run`."""
