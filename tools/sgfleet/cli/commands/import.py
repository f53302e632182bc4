"""Turn a unit file, a start script, a command line or a `docker run` line into a service of a host's YAML.

The source is a file (- for standard input), or the words behind `--`. Flags are read by the release's own parser, and
what comes out gives the server the same values; abbreviations are written in full. What the YAML cannot say, and what
has to be done on the host, is told line by line on standard error. Secrets become names, and are never shown.

A service that is there already, and is the same, is left as it is.

Exit codes: 0 carried over, 1 something was not or cannot be, 2 usage.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.cli.common import FINDINGS, OK, UsageError, add_root, check_spec_value, root_of, root_or_none

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sgfleet.adopt.service import Imported

SUMMARY: Final = "a unit file, command line or docker run as a host's YAML"
TAIL: Final = "words"
TAIL_FORM: Final = ""
_LARGEST_BYTES: Final = 2**20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The source, what it does not say, where to write."""
    parser.usage = "%(prog)s [options] FILE\n       %(prog)s [options] -- COMMAND..."
    parser.add_argument("source", nargs="?", metavar="FILE", help="a unit file or a start script; - for standard input")
    parser.add_argument("--release", metavar="RELEASE", help="the release of SGLang that runs there")
    parser.add_argument("--python", metavar="PATH", help="the interpreter of its environment on the host")
    parser.add_argument("--name", metavar="SERVICE", help="the name of the service (default: the source's)")
    parser.add_argument("--write", metavar="HOST", help="write it to hosts/HOST/host.yaml")
    add_root(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the source and print or write the service."""
    from sgfleet.adopt.service import import_text, import_words
    from sgfleet.adopt.start import Refused
    from sgfleet.cli.releases import load_release

    if (arguments.source is None) == (arguments.words is None):
        raise UsageError("one source is needed", "give a file, or a command line behind --")
    check_spec_value("--python", "python", arguments.python)
    check_spec_value("--name", "service", arguments.name)
    root = root_of(arguments) if arguments.write else root_or_none(arguments)
    known = {"name": arguments.name, "release": arguments.release, "python": arguments.python}
    try:
        if arguments.words is not None:
            found = import_words(arguments.words, lambda version: load_release(version, root), **known)
        else:
            unit = Path(arguments.source).stem if arguments.source.endswith(".service") else None
            text = _text(arguments.source)
            found = import_text(text, unit, lambda version: load_release(version, root), **known)
    except Refused as refused:
        print(f"error: {refused.message}", file=sys.stderr)
        if refused.help:
            print(f"help: {refused.help}", file=sys.stderr)
        return FINDINGS
    if arguments.write:
        assert root is not None  # noqa: S101 - root_of found one
        _write(root, arguments.write, found)
    else:
        print(found.yaml("new-host", "a start of SGLang", root), end="")
    for label, lines in (("note", found.told.notes), ("lost", found.told.lost), ("to do", found.told.todo)):
        for line in lines:
            print(f"{label}: {line}", file=sys.stderr)
    return FINDINGS if found.told.lost or found.told.todo else OK


def _text(source: str) -> str:
    try:
        with sys.stdin.buffer if source == "-" else Path(source).open("rb") as stream:
            data = stream.read(_LARGEST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{source}: {(error.strerror or type(error).__name__).lower()}") from None
    if len(data) > _LARGEST_BYTES:
        shown = "standard input" if source == "-" else source
        raise UsageError(f"{shown}: more than {_LARGEST_BYTES // 2**20} MiB", "give a unit file or a start script")
    return data.decode(errors="surrogateescape")


def _placeholders(data: Any, path: str) -> Iterator[str]:
    """What is left of what `init` wrote: services without a model, which would share the GPUs with this one."""
    from sgfleet.spec.placeholder import MODEL

    services = data.get("services") if isinstance(data, dict) else None
    for name, service in (services if isinstance(services, dict) else {}).items():
        flags = service.get("flags") if isinstance(service, dict) else None
        if isinstance(flags, dict) and flags.get("model-path") == MODEL:
            yield f"{path}: service {name} is the placeholder that init wrote ({MODEL}): take it out, or fill it in"


def _holds(data: Any, found: Imported) -> bool:
    """Whether the host's file has this very service."""
    services = data.get("services") if isinstance(data, dict) else None
    return isinstance(services, dict) and services.get(found.name) == found.spec


def _write(root: Path, host: str, found: Imported) -> None:
    """Add the service to the host's file, or begin that file.

    Raises:
        UsageError: the host's name is none, or there is another service of this name.
    """
    import re

    from sgfleet.cli.placeholder import SERVICE, is_untouched
    from sgfleet.source.edit import EditError, insert
    from sgfleet.source.problems import SourceError
    from sgfleet.source.replace import replace_file
    from sgfleet.source.tree import WorkTree, read_document
    from sgfleet.spec.names import HOST_NAME_PATTERN

    if not re.fullmatch(HOST_NAME_PATTERN, host):
        raise UsageError(f"{host!r} is no name of a host", "lower-case letters, digits and dashes, such as kimi-01")
    path = f"hosts/{host}/host.yaml"
    try:
        if (root / path).is_symlink() or (root / path).exists():
            document = read_document(WorkTree(root), path)
            if is_untouched(document.text, host):
                found.told.notes.append(f"{path}: the placeholder {SERVICE} that init wrote is replaced")
                text = found.yaml(host, "a start of SGLang", root)
            elif _holds(document.data, found):
                print(f"unchanged {path}: service {found.name} is there already, and is the same", file=sys.stderr)
                return
            else:
                text = insert(document, ("services", found.name), found.spec)
                found.told.todo.extend(_placeholders(document.data, path))
        else:
            WorkTree(root).entries(f"hosts/{host}")  # no way through a link
            text = found.yaml(host, "a start of SGLang", root)
        replace_file(root / path, text)
    except EditError as error:
        raise UsageError(f"{path}: {error.message}", "--name gives it another name") from None
    except SourceError as error:
        raise UsageError(f"{path}: {error.findings[0].message}") from None
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or type(error).__name__).lower()}") from None
    print(f"written {path}: service {found.name}", file=sys.stderr)
