"""Begin a repository, or add a host to this one: files with comments, to be filled in. Nothing is overwritten.

Writes fleet.yaml, hosts/HOST/host.yaml and .pre-commit-config.yaml where they are not there yet.

Exit codes: 0 written, or everything was there, 1 a file cannot be written, 2 usage.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, OK, UsageError, add_root

if TYPE_CHECKING:
    import argparse

SUMMARY: Final = "begin a repository, or add a host to it"

FLEET: Final = """\
# Defaults and policy for every host. `sgfleet show HOST` tells which value comes from where.

defaults:
  unit:
    restart: on-failure
    restart-sec: 30s

policy:
  reserve:
    host-ram: 32GiB               # stays free of pinned pools on every host
"""
HOOKS: Final = """\
# `pre-commit install` once in a clone. `sgfleet` must be on the PATH of whoever commits.
repos:
  - repo: local
    hooks:
      - id: sgfleet-check
        name: sgfleet check
        entry: sgfleet check
        language: system
        pass_filenames: false
        always_run: true
      - id: sgfleet-render
        name: sgfleet render
        entry: sgfleet render --staged
        language: system
        pass_filenames: false
        always_run: true
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The host, its release, the folder."""
    parser.add_argument("host", nargs="?", default="gpu-01", metavar="NAME", help="the host (default: gpu-01)")
    parser.add_argument("--release", metavar="RELEASE", help="the SGLang release that runs there (default: the newest)")
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write what is missing."""
    from sgfleet.cli.placeholder import placeholder
    from sgfleet.cli.releases import load_release
    from sgfleet.engine import store
    from sgfleet.source.problems import SourceError
    from sgfleet.source.tree import WorkTree
    from sgfleet.spec.names import HOST_NAME_PATTERN
    from sgfleet.spec.schema_line import schema_line

    root = arguments.root or Path.cwd()
    host: str = arguments.host
    if not root.is_dir():
        raise UsageError(f"--root {root}: no such folder")
    if not re.fullmatch(HOST_NAME_PATTERN, host):
        raise UsageError(f"{host!r} is no name of a host", "lower-case letters, digits and dashes, such as kimi-01")
    release = load_release(arguments.release or store.available(root)[-1], root).version
    path = f"hosts/{host}/host.yaml"
    files = {
        "fleet.yaml": schema_line("fleet.yaml", root) + FLEET,
        path: schema_line(path, root) + placeholder(host, release),
        ".pre-commit-config.yaml": HOOKS,
    }
    try:
        WorkTree(root).entries(f"hosts/{host}")  # no way through a link
        for path, text in files.items():
            _begin(root / path, path, text)
    except SourceError as error:
        print(f"error: {error.findings[0].place}: {error.findings[0].message}", file=sys.stderr)
        return FINDINGS
    except OSError as error:
        print(f"error: {path}: {(error.strerror or type(error).__name__).lower()}", file=sys.stderr)
        return FINDINGS
    print("next:")
    if not (root / ".git").exists():
        print("  git init")
    print(f"  edit hosts/{host}/host.yaml (a server that runs already: sgfleet import FILE --write {host})")
    print(f"  on the host: sgfleet facts --host {host}")
    print("  sgfleet check && sgfleet render, then commit")
    print("  pre-commit install")
    return OK


def _begin(file: Path, path: str, text: str) -> None:
    """Make a file that is not there; one that is, a link included, stays as it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        print(f"kept    {path}: it is there already")
    else:
        print(f"written {path}")
