"""The systemd unit that a service becomes, and the environment in it."""
