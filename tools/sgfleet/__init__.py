"""GitOps for GPU hosts that serve LLMs with SGLang under systemd."""

VERSION = "0.1.0"
"""As in pyproject.toml. Asking the installed package for it would cost each pass of the agent a tenth of its time."""
