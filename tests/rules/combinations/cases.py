"""Flags that releases were asked about, and what they said: the record that rules about flags are held against."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from sgfleet.engine.argv.words import flags_to_argv
from sgfleet.engine.version import key

HERE = Path(__file__).parent
VERDICTS = HERE / "verdicts.json"
CASES = yaml.safe_load((HERE / "cases.yaml").read_text())
"""Name -> {flags, environment, later, unseen}; the file says what they mean."""


def words_of(release, case):
    """The command line of a case, None where the release has not all of its flags."""
    line = flags_to_argv(release, case["flags"])
    return None if line.problems else list(line.words)


def spans():
    """(name of a case, first release, last release, verdict) for all that is recorded."""
    for name, runs in json.loads(VERDICTS.read_text()).items():
        for first, last, verdict in runs:
            yield name, first, last, verdict


def recorded(version):
    """Name of a case -> what the release said."""
    place = key(version)
    return {name: verdict for name, first, last, verdict in spans() if key(first) <= place <= key(last)}
