"""The keys of a service besides its flags: release, GPUs, secrets."""
