"""A service -> the text of its systemd unit."""
