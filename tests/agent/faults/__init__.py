"""What can go wrong around the agent, on a real systemd, and where the host ends."""
