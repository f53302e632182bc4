"""What every test may use."""

pytest_plugins = ["support.systemd_plugin"]
