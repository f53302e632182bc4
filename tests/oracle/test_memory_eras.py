"""The table of what changed when, against the sources in every wheel: `make test-oracle`."""

from __future__ import annotations

import json
import re
import zipfile
from functools import lru_cache
from pathlib import PurePosixPath

import pytest

from memory.architectures import eras
from oracle.wheels import ROOT, wheel
from sgfleet.engine import store
from sgfleet.engine.version import in_order
from sgfleet.memory.eras import RULES

pytestmark = pytest.mark.oracle

DATA = ROOT / "tools" / "sgfleet" / "memory"
SOURCES = "sglang/srt/"
VERSIONS = in_order(store.available())
ENTRY = re.compile(r"^EntryClass\s*(?::[^=]+)?=\s*(\[.*?\]|\(.*?\)|\w+)", re.DOTALL | re.MULTILINE)
SIGNED = [(name, era) for name, rule in RULES.items() for era in rule.eras if era.sign is not None]


@lru_cache(maxsize=4)
def sources(release, under=""):
    """Path below sglang/srt -> text, of one wheel."""
    with zipfile.ZipFile(wheel(release)) as archive:
        return {
            name.removeprefix(SOURCES): archive.read(name).decode("utf-8", "replace")
            for name in archive.namelist()
            if name.startswith(SOURCES + under) and name.endswith(".py")
        }


@pytest.mark.parametrize(("name", "era"), SIGNED, ids=[f"{name}-{era.since}" for name, era in SIGNED])
def test_the_sign_is_there_from_its_release_on_and_not_before(name, era):
    assert re.search(era.sign, sources(era.since)[era.source]), f"{era.source} of {era.since} does not say it"
    before = VERSIONS.index(era.since) - 1
    if before >= 0:
        file = PurePosixPath(era.source).name
        older = [path for path, text in sources(VERSIONS[before]).items()
                 if PurePosixPath(path).name == file and re.search(era.sign, text)]  # fmt: skip
        assert not older, f"{VERSIONS[before]} has it already"


@pytest.mark.parametrize("name", RULES)
def test_sources_are_files_of_their_release(name):
    missing = [f"{era.since}: {era.source}" for era in RULES[name].eras if era.source not in sources(era.since)]
    assert not missing


def test_lists_of_architectures_are_the_releases_own():
    text = {}
    for release in VERSIONS:
        with zipfile.ZipFile(wheel(release)) as archive:
            name = f"{SOURCES}configs/model_config.py"
            if name in archive.namelist():
                text[release] = archive.read(name).decode()
    assert eras(text) == json.loads((DATA / "architectures.json").read_text())


def test_first_releases_of_architectures():
    first = {}
    for release in VERSIONS:
        for text in sources(release, "models/").values():
            found = ENTRY.search(text)
            for name in re.findall(r"\b([A-Z]\w+)\b", found.group(1)) if found else ():
                first.setdefault(name, release)
    table = json.loads((DATA / "first_releases.json").read_text())
    assert {name: release for release, names in table.items() for name in names} == first
