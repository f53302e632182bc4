"""`make demo`: the whole story on one machine without a GPU, on a real systemd."""
