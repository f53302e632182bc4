"""A systemd in memory, held to the real one by the conformance suite in tests/systemd."""

from support.simulated_systemd.manager import CrashError, SimulatedSystemd
from support.simulated_systemd.script import Script
from support.simulated_systemd.world import Fault, Unit, World

__all__ = ["CrashError", "Fault", "Script", "SimulatedSystemd", "Unit", "World"]
