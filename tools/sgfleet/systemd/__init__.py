"""systemd: the only modules that talk to it."""
