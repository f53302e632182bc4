"""Start-up, one host, and ten thousand hosts, beside a peer on the same files in the same run.

    make bench                  everything, a few minutes
    make bench HOSTS=1000       a smaller fleet

Figures of this machine on this day: the ratios are what travels.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from fleet import ROOT, make_fleet
from measure import Measure, measure

BIN = Path(sys.executable).parent
SGFLEET = BIN / "sgfleet"
PEER = BIN / "check-jsonschema"
PEER_HOSTS = 300


def row(what: str, result: Measure, beside: str = "") -> None:
    codes = ",".join(map(str, sorted(result.exit_codes)))
    print(
        f"{what:<44}{result.wall_seconds * 1000:>9.0f} ms{result.cpu_seconds * 1000:>9.0f} ms CPU"
        f"{result.peak_mib:>7.0f} MiB   exit {codes:<4}{beside}"
    )


def small() -> None:
    bare = measure([sys.executable, "-c", "pass"], ROOT, runs=15)
    row("bare interpreter", bare)
    for arguments in (["--help"], ["check", "--help"], ["check", "kimi-01"], ["render", "--check", "kimi-01"]):
        result = measure([SGFLEET, *arguments], ROOT, runs=15)
        row(
            f"sgfleet {' '.join(arguments)}",
            result,
            f"+{(result.wall_seconds - bare.wall_seconds) * 1000:.0f} ms over bare",
        )


def one_of_many(root: Path, hosts: int) -> None:
    """A plan of one changed host: the number of the others must not show."""
    git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.com")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "hosts"]):
        subprocess.run([*git, *words], cwd=root, check=True, env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull})
    file = min((root / "hosts").glob("kimi-01-*/host.yaml"))
    file.write_text(file.read_text().replace("hicache-ratio: 4.0", "hicache-ratio: 3.0"))
    row(f"sgfleet plan, one of {hosts} hosts", measure([SGFLEET, "plan", "HEAD"], root, runs=5))


def large(hosts: int) -> None:
    with tempfile.TemporaryDirectory(prefix="sgfleet-bench-") as folder:
        root = Path(folder)
        make_fleet(root, hosts)
        few = measure([SGFLEET, "check", *[p.name for p in sorted((root / "hosts").iterdir())[:100]]], root, runs=1)
        row("sgfleet check, 100 hosts", few)
        check = measure([SGFLEET, "check"], root, runs=1)
        row(f"sgfleet check, {hosts} hosts", check, f"{check.wall_seconds / hosts * 1000:.2f} ms a host")
        render = measure([SGFLEET, "render"], root, runs=1)
        row(
            f"sgfleet render, {hosts} hosts, every unit written",
            render,
            f"{render.wall_seconds / hosts * 1000:.2f} ms a host",
        )
        both = measure([SGFLEET, "check", "--units"], root, runs=1)
        row(f"sgfleet check --units, {hosts} hosts", both, "checked and held against units/ in one pass")
        one_of_many(root, hosts)
        if PEER.exists():
            files = [p / "host.yaml" for p in sorted((root / "hosts").iterdir())[:PEER_HOSTS]]
            peer = measure([PEER, "--schemafile", ROOT / "schema" / "host.schema.json", *files], root, runs=1)
            row(
                f"check-jsonschema, {len(files)} of the files",
                peer,
                f"{peer.wall_seconds / len(files) * 1000:.2f} ms a file",
            )
            ours = check.wall_seconds / hosts
            print(f"{'check-jsonschema / sgfleet check, a file':<44}{peer.wall_seconds / len(files) / ours:>9.1f} x")
        else:
            print("check-jsonschema is not installed: `make bench` installs it from requirements/bench.lock")


if __name__ == "__main__":
    small()
    large(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
