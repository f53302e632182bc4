"""What `python -m sglang.launch_server` does with a command line besides parsing it, release by release.

Read from `prepare_server_args` and the configuration merger of each wheel; the oracle (`make test-oracle`) holds every
entry against the wheels. A release that is newer than the last one that was read is not known, and is never guessed.
"""

from __future__ import annotations

from typing import Final

from sgfleet.engine import version as versions

LAST_READ: Final = "0.5.23"
"""The newest release whose launcher was read."""

_CONFIG: Final = (("0.5.3", "bare"), ("0.5.8", "typed"), ("0.5.14", "json"), ("0.5.23", "spellings"))
"""First release -> how `--config FILE.yaml` becomes words (see `config`)."""

_LOG_LEVEL: Final = "0.5.11"
"""From here on the launcher looks the log level up in Python's logging module right after parsing."""

LOG_LEVELS: Final = frozenset({"CRITICAL", "FATAL", "ERROR", "WARNING", "WARN", "INFO", "DEBUG", "NOTSET"})
"""The log levels of Python's logging module, in capitals."""


def config_reading(version: str) -> str | None:
    """How this release turns a configuration file into words; None where it has none, or where that is not known."""
    key = versions.key(version)
    if key > versions.key(LAST_READ):
        return None
    return next((reading for first, reading in reversed(_CONFIG) if key >= versions.key(first)), None)


def checks_log_level(version: str) -> bool:
    """Whether the launcher fails, after parsing, on a log level that Python's logging module does not have."""
    return versions.key(version) >= versions.key(_LOG_LEVEL)
