"""What is known of models: add a checkpoint's facts to schema/models, list them, show one with its bytes a rank.

`add` reads a checkpoint's folder (config.json and the headers of its safetensors files, never their data) or a
config.json alone. Facts from headers are exact; without them bytes are estimated, and their error is said.

Exit codes: 0 done, 1 a checkpoint or model is not known or cannot be read, 2 usage.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgfleet.cli.common import FINDINGS, OK, UsageError, add_format, add_root, root_of
from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    import argparse

    from sgfleet.model.facts import Facts
    from sgfleet.model.find import Found
    from sgfleet.model.parallel import WeightBytes

SUMMARY = "what is known of models: add, list, show"
_GIB = 2**30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The three subcommands."""
    commands = parser.add_subparsers(dest="subcommand", required=True, metavar="add|list|show")
    add = commands.add_parser("add", help="write the facts of checkpoints", allow_abbrev=False)
    add.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="a checkpoint's folder or a config.json")
    add.add_argument("--name", metavar="ORG/NAME", help="the model's name (default: that of the folder or file)")
    listing = commands.add_parser("list", help="the models of which there are facts", allow_abbrev=False)
    show = commands.add_parser("show", help="one model, and its bytes on a rank", allow_abbrev=False)
    show.add_argument("model", metavar="MODEL", help="as in a service's model-path")
    for name, what in (
        ("tp", "tensor parallel"),
        ("pp", "pipeline"),
        ("dp", "attention data parallel"),
        ("ep", "expert parallel"),
    ):
        show.add_argument(f"--{name}", type=int, default=1, metavar="N", help=f"{what} size (default: 1)")
    for command in (add, listing, show):
        add_root(command)
        add_format(command, ("text", "json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    match arguments.subcommand:
        case "add":
            return _add(arguments)
        case "list":
            return _list(arguments)
    return _show(arguments)


def _add(arguments: argparse.Namespace) -> int:
    from sgfleet.model import store
    from sgfleet.model.facts import write_facts
    from sgfleet.model.problem import ModelError
    from sgfleet.model.writer import write

    if arguments.name and len(arguments.sources) > 1:
        raise UsageError("--name is for one checkpoint", "add them one by one")
    folder = root_of(arguments) / store.FOLDER
    report: dict[str, list[Any]] = {"added": [], "changed": [], "unchanged": [], "failed": []}
    for source in arguments.sources:
        if source.name.endswith(".quant.json") and source.with_suffix("").with_suffix(".json") in arguments.sources:
            continue  # read with the configuration that it belongs to
        try:
            facts = _described(source, arguments.name)
            state = write(facts, write_facts(facts), folder)
        except ModelError as error:
            report["failed"].append({"source": str(source), "message": error.message, "file": error.file})
            print(f"error: {error}\nhelp: {error.help}", file=sys.stderr)
            continue
        report[state].append(facts.name)
        if arguments.format == "text":
            print(f"{state:<9} {facts.name}  {_line(facts)}")
    if arguments.format == "json":
        print(json_text({"format": 1, **report}, indent=2))
    return FINDINGS if report["failed"] else OK


def _described(source: Path, name: str | None) -> Facts:
    from sgfleet.model.describe import describe, describe_file
    from sgfleet.model.facts import NAME

    if name is not None and not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a model", "names look like org/name")
    if source.is_dir():
        return describe(source.resolve(), name=name)
    if not source.is_file():
        raise UsageError(f"{source}: no such file or folder")
    return describe_file(source, name=name)


def _line(facts: Facts) -> str:
    shape = facts.shape
    kinds = ", ".join(f"{count} {kind}" for kind, count in shape.counts.items())
    return f"{shape.architecture}: {kinds}" + ("" if facts.pieces is None else ", exact weights")


def _list(arguments: argparse.Namespace) -> int:
    from sgfleet.model import store
    from sgfleet.model.problem import ModelError

    code = OK
    found = []
    try:
        files = store.files(root_of(arguments))
    except ModelError as error:
        print(f"error: {error}\nhelp: {error.help}", file=sys.stderr)
        return FINDINGS
    for path in files.values():
        try:
            found.append(store.read(path))
        except ModelError as error:
            print(f"error: {error}\nhelp: {error.help}", file=sys.stderr)
            code = FINDINGS
    if arguments.format == "json":
        rows = [
            {
                "model": facts.name,
                "architecture": facts.shape.architecture,
                "layers": facts.shape.counts,
                "exact": facts.pieces is not None,
            }
            for facts in found
        ]
        print(json_text({"format": 1, "models": rows}, indent=2))
    else:
        for facts in found:
            print(f"{facts.name:<52} {_line(facts)}")
    return code


def _show(arguments: argparse.Namespace) -> int:
    from sgfleet.model.find import find
    from sgfleet.model.parallel import Parallel
    from sgfleet.model.problem import ModelError

    sizes = (arguments.tp, arguments.pp, arguments.dp, arguments.ep)
    if min(sizes) < 1 or arguments.tp % arguments.dp or arguments.tp % arguments.ep:
        raise UsageError("sizes are at least 1, and --dp and --ep divide --tp")
    try:
        found = find(arguments.model, root_of(arguments))
    except ModelError as error:
        print(f"error: {error}\nhelp: {error.help}", file=sys.stderr)
        return FINDINGS
    weights = found.weights(Parallel(tp=arguments.tp, pp=arguments.pp, attention_dp=arguments.dp, ep=arguments.ep))
    if arguments.format == "json":
        print(json_text({"format": 1, **_as_json(found, weights)}, indent=2))
    else:
        _print(found, weights)
    return OK


def _as_json(found: Found, weights: WeightBytes) -> dict[str, Any]:
    shape = found.shape
    return {
        "model": shape.source.name,
        "match": shape.source.match,
        "architecture": shape.architecture,
        "layers": shape.counts,
        "context_length_tokens": shape.context_length,
        "weights": {
            "exact": weights.exact,
            "error": weights.error,
            "draft_bytes": weights.draft,
            "stages": [
                {
                    "layers": [stage.first_layer, stage.end_layer],
                    "sharded_bytes": stage.sharded,
                    "replicated_bytes": stage.replicated,
                }
                for stage in weights.stages
            ],
            "notes": list(weights.notes),
        },
    }


def _print(found: Found, weights: WeightBytes) -> None:
    shape = found.shape
    alike = f" (asked for {shape.source.asked}; believed to be this one)" if shape.source.match == "similar" else ""
    print(f"{shape.source.name}{alike}")
    kinds = ", ".join(f"{count} {kind}" for kind, count in shape.counts.items())
    print(f"  {shape.architecture}, {len(shape.layers)} layers: {kinds}")
    if shape.context_length is not None:
        print(f"  context {shape.context_length:,} tokens")
    how = "exact" if weights.exact else f"estimated, within {weights.error:.0%}"
    print(f"  weights a rank ({how}):")
    for number, stage in enumerate(weights.stages):
        place = (
            f"stage {number}, layers {stage.first_layer} to {stage.end_layer - 1}: " if len(weights.stages) > 1 else ""
        )
        parts = f"{stage.sharded / _GIB:.2f} divided + {stage.replicated / _GIB:.2f} on every rank"
        print(f"    {place}{stage.total / _GIB:.2f} GiB = {parts}")
    if weights.draft:
        print(f"    MTP layers, when loaded: {weights.draft / _GIB:.2f} GiB more")
    for note in weights.notes:
        print(f"  note: {note}")
