"""Write the JSON Schemas of host.yaml, facts.yaml and fleet.yaml, by which editors complete and mark.

They follow from the models of this version and from the releases in schema/sglang/. With --check nothing is written:
what differs is a finding.

Exit codes: 0 written, or with --check nothing differs, 1 with --check something differs, 2 usage.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from sgfleet.cli.common import FINDINGS, OK, UsageError, add_root, root_of

if TYPE_CHECKING:
    import argparse

SUMMARY: Final = "the JSON Schemas for editors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where, and whether to write at all."""
    add_root(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; what differs is a finding")


def run(arguments: argparse.Namespace) -> int:
    """Write the files that differ, or say which do."""
    from sgfleet.output.colour import paint_for
    from sgfleet.output.summary import Summary
    from sgfleet.output.text import Text
    from sgfleet.source.replace import replace_file
    from sgfleet.source.tree import WorkTree
    from sgfleet.spec.export import FOLDER, releases_in, schema_drift, texts

    root = root_of(arguments)
    tree = WorkTree(root)
    releases = releases_in(tree)
    if not releases:
        raise UsageError(f"{root} has no flag schema below schema/sglang/", "call sgfleet schema add RELEASE")
    drift = schema_drift(tree)
    if arguments.check:
        writer, summary = Text(sys.stdout, paint_for(sys.stdout)), Summary()
        summary.count(drift)
        writer.begin()
        writer.add(drift)
        writer.end(summary, ())
        return FINDINGS if drift else OK
    differs = {finding.place.path for finding in drift}
    for name, text in texts(releases).items():
        path = f"{FOLDER}/{name}"
        if path in differs:
            replace_file(root / path, text)
        print(f"{'written' if path in differs else 'unchanged':<10} {path}")
    return OK
