"""GitOps for GPU hosts that serve LLMs with SGLang under systemd."""
