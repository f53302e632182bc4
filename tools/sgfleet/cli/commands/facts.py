"""Read this machine, and write what it is to hosts/<host>/facts.yaml.

GPUs (through NVML, else nvidia-smi), driver, CUDA, PCIe, NVLink, MIG, NUMA; RAM, swap, huge pages, limits; systemd and
kernel; the SGLang release of Python environments; shape and bytes of model folders. Only these parts of the file
change: what a person added, and what was observed, stays. What could not be read is written down with its reason.
Where the machine contradicts the file in what it is, nothing is written until --fewer-gpus or --replaced says so.

Exit codes: 0 read, 1 a GPU cannot be used, nobody knows which there are, or the machine contradicts the file, 2 usage.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, OK, UsageError, add_format, add_root, near, root_of
from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    import argparse

    from sgfleet.cli.facts_file import FactsFile
    from sgfleet.facts.machine import Machine
    from sgfleet.facts.probe import Probe

SUMMARY: Final = "read this machine, and write hosts/<host>/facts.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `facts` takes."""
    parser.add_argument("--host", metavar="NAME", help="the host that this machine is (default: its hostname)")
    parser.add_argument("--new", action="store_true", help="the host is a new one: make its folder")
    parser.add_argument("--models", nargs="+", default=[], metavar="DIR", help="model folders to look at as well")
    parser.add_argument("--python", nargs="+", default=[], metavar="PATH", help="interpreters to look at as well")
    parser.add_argument("--with-ids", action="store_true", help="serials and UUIDs of the GPUs, too")
    parser.add_argument(
        "--fewer-gpus", action="store_true", help="GPUs that the file has are gone for good: write that"
    )
    parser.add_argument(
        "--replaced", action="store_true", help="the machine is another one than the file says: write what is seen"
    )
    parser.add_argument("--stdout", action="store_true", help="print what would be written, and write nothing")
    add_format(parser, ("text", "json"))
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Probe, merge, write."""
    from sgfleet.cli.facts_file import FactsFile
    from sgfleet.facts.machine import LiveMachine
    from sgfleet.facts.probe import probe

    root = _root(arguments)
    host = _host(arguments, root)
    file = FactsFile(root, host)
    pythons, models = _specified(root, host)
    pythons += [entry["python"] for entry in file.known.get("environments") or ()]
    models += [entry["path"] for entry in file.known.get("checkpoints") or ()]
    machine = LiveMachine()
    # Of /srv/models/* a shell makes everything that is in there.
    files = [path for path in arguments.models if os.path.isfile(path)]  # noqa: PTH113 - never raises
    found = probe(
        machine,
        pythons=_to_look_at(machine, arguments.python, pythons),
        models=_to_look_at(machine, [path for path in arguments.models if path not in files], models),
        root=root,
        with_ids=arguments.with_ids,
        progress=_progress,
    )
    found.notes += [f"{path} is no folder: it was not looked at" for path in files if path.isprintable()]
    stands = _may_stand(arguments, root, file, found)
    text = file.with_probe(found, replaced=arguments.replaced)
    if stands and not arguments.stdout:
        file.write(text)
    _report(arguments, file, found, text, file.path if stands and not arguments.stdout else None)
    return FINDINGS if found.problems or "gpus" in found.unknown else OK


def _root(arguments: argparse.Namespace) -> Path | None:
    """The repository; none is needed where nothing is written."""
    try:
        return root_of(arguments)
    except UsageError:
        if arguments.stdout and arguments.root is None:
            return None
        raise


def _host(arguments: argparse.Namespace, root: Path | None) -> str:
    import re

    from sgfleet.spec.names import HOST_NAME_PATTERN

    name = arguments.host or _own_name()
    if not re.fullmatch(HOST_NAME_PATTERN, name):
        raise UsageError(f"{name!r} is not a host name of lower-case letters, digits and dashes", "give --host NAME")
    if root is None or arguments.new or arguments.stdout or (root / "hosts" / name).is_dir():
        return str(name)
    there = _hosts(root)
    like = near(name, there) or (None if arguments.host or not there else f"give --host NAME, such as {there[0]}")
    apart = "" if like is None else f"{like} " if like.endswith("?") else f"{like}; "
    help_ = f"{apart}--new makes hosts/{name}/ for a host that is new"
    what = "there is no" if arguments.host else f"this machine is called {name}, and there is no"
    raise UsageError(f"{what} hosts/{name}/", help_)


def _own_name() -> str:
    import socket

    return socket.gethostname().partition(".")[0].lower()


def _hosts(root: Path) -> list[str]:
    folder = root / "hosts"
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _absolute(path: str) -> str:
    if not path or not path.isprintable():
        raise UsageError(f"{path!r} is no path")
    return str(Path.cwd() / path)


def _to_look_at(machine: Machine, asked: list[str], named: list[str]) -> list[str]:
    """What was asked for, and what the repository names when it is here: another machine's folders are not.

    What this user may not look at may well be here: it is told as unknown.
    """
    here = (path for path in named if machine.shut(path) is not None or os.path.exists(path))  # noqa: PTH110 - never raises
    return list(dict.fromkeys([*map(_absolute, asked), *here]))


def _specified(root: Path | None, host: str) -> tuple[list[str], list[str]]:
    """The interpreters and the model folders of the host's services."""
    if root is None or not (root / "hosts" / host / "host.yaml").is_file():
        return [], []
    from sgfleet.fleet.workspace import Workspace

    services = [each.service for each in Workspace(root).repository.host(host).services.values()]
    paths = [service.flags.get(name) for service in services for name in ("model-path", "speculative-draft-model-path")]
    return [service.python for service in services], [
        path for path in paths if isinstance(path, str) and path.startswith("/") and path.isprintable()
    ]


def _progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"reading {what} ...", file=sys.stderr)


def _may_stand(arguments: argparse.Namespace, root: Path | None, file: FactsFile, found: Probe) -> bool:
    """Whether what was read may stand in the file. What contradicts it is a problem, until somebody says that it is so.

    A GPU that is not seen any more is no smaller machine, and another machine is not this host.
    """
    from sgfleet.facts.contradiction import Difference, differences

    if arguments.replaced:
        found.notes += _left_behind(file, found)
        measured = ", ".join(file.known.get("observed") or ())
        if measured:
            found.notes.append(
                f"observed: what starts measured on the machine before stays for {measured}: observe anew"
            )
        return True
    against = [each for each in differences(file.known, found) if not (each.fewer and arguments.fewer_gpus)]
    ways = [f"--replaced where this machine is {file.host} now all the same"]
    if against and all(each.fewer for each in against):
        ways = ["--fewer-gpus where they are gone for good"]
    own = _own_name()
    if root is not None and own != file.host and own in _hosts(root):
        against.append(Difference(f"this machine is called {own}, and hosts/{own}/ is another host"))
        ways = [f"--host {own}", *ways]
    found.problems += [each.text for each in against]
    if against and not arguments.stdout:
        found.problems.append(f"nothing is written to {file.path}: give {', or '.join(ways)}")
    return not against


def _left_behind(file: FactsFile, found: Probe) -> list[str]:
    """What the file knows of the machine before and is not on this one."""
    from sgfleet.facts.merge import left_behind

    return [
        f"{part}: {', '.join(names)} {'is' if len(names) == 1 else 'are'} not on this machine: taken out of the file"
        for part, names in left_behind(file.known, found).items()
    ]


def _report(arguments: argparse.Namespace, file: FactsFile, found: Probe, text: str, written: str | None) -> None:
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)
    for name, reason in found.unknown.items():
        print(f"unknown: {name}: {reason}", file=sys.stderr)
    for problem in found.problems:
        print(f"error: {problem}", file=sys.stderr)
    if arguments.format == "json":
        answer = {
            "format": 1,
            "host": file.host,
            "written": written,
            "facts": found.parts,
            "unknown": found.unknown,
            "problems": found.problems,
            "notes": found.notes,
        }
        print(json_text(answer, indent=2))
    elif arguments.stdout:
        print(text, end="")
    elif written is not None:
        print(f"wrote {written}: {_summary(found)}")


def _summary(found: Probe) -> str:
    gpus = found.parts.get("gpus")
    names = sorted({gpu["name"] for gpu in gpus or ()})
    said = ["GPUs unknown" if gpus is None else f"{len(gpus)} × {', '.join(names)}" if gpus else "no GPU"]
    total = found.parts.get("memory", {}).get("total-bytes")
    said += [f"{total / 2**30:.0f} GiB RAM"] if total else []
    for part, what in (("environments", "Python environment"), ("checkpoints", "model folder")):
        count = len(found.parts.get(part, ()))
        said += [f"{count} {what}{'s' if count != 1 else ''}"] if part in found.parts else []
    return ", ".join(said)
