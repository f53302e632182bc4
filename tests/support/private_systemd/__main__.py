"""The command line of a private systemd."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from support.private_systemd.instance import PrivateSystemd
from support.private_systemd.machine import ENVIRONMENT, SystemdUnavailableError
from support.private_systemd.record import sweep
from support.private_systemd.root import become_init, keep


def main() -> int:
    """Do what the arguments say; returns the exit code."""
    parser = argparse.ArgumentParser(prog="private_systemd", description="A real systemd in its own namespaces.")
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser("start", help="boot; prints the folder that both sides see")
    start.add_argument("name")
    start.add_argument("--limits", action="store_true", help="MemoryMax= and TasksMax= bite also under cgroup v1")
    execute = commands.add_parser("exec", help="run a command inside, as root")
    execute.add_argument("name")
    execute.add_argument("argv", nargs=argparse.REMAINDER)
    reboot = commands.add_parser("reboot", help="boot again, with all that was written inside")
    reboot.add_argument("name")
    reboot.add_argument("--power-cut", action="store_true", help="no service is stopped before")
    for command, text in (("status", "what systemctl says of the system"), ("stop", "end it and everything in it")):
        commands.add_parser(command, help=text).add_argument("name")
    commands.add_parser("sweep", help="remove what dead runs left")
    for command, text in (("keep", "hold what is written inside"), ("init", "become PID 1 of its namespaces")):
        inner = commands.add_parser(command, help=f"(used by start) {text}")
        inner.add_argument("folder", type=Path)
        inner.add_argument("folders", type=Path, nargs="*")
        inner.add_argument("--limits", action="store_true")
    arguments = parser.parse_args()
    match arguments.command:
        case "start":
            print(PrivateSystemd.boot(arguments.name, limits=arguments.limits).share)
        case "exec":
            argv = PrivateSystemd.find(arguments.name).command(*arguments.argv)
            return subprocess.run(argv, env=ENVIRONMENT, check=False).returncode
        case "status":
            print(PrivateSystemd.find(arguments.name).run("systemctl", "is-system-running", check=False).stdout.strip())
        case "stop":
            PrivateSystemd.find(arguments.name).stop()
        case "sweep":
            print(*sweep(), sep="\n")
        case "reboot":
            PrivateSystemd.find(arguments.name).reboot(power_cut=arguments.power_cut)
        case "keep":
            keep(arguments.folder, limits=arguments.limits, folders=arguments.folders)
        case "init":
            become_init(arguments.folder, limits=arguments.limits, folders=arguments.folders)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemdUnavailableError as error:
        sys.exit(f"private_systemd: {error}")
