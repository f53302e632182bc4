"""Whole units: the hosts of tests/data, the story's unit, and what must not change them."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
import yaml

from render.hosts import render_text, rendered, write_host
from sgfleet.render.identity import unit_hash
from sgfleet.render.unit_reader import parse_unit
from sgfleet.render.unquoting import read_exec
from support.verify_unit import verify_unit

TESTS = Path(__file__).parents[1]
FLEET = TESTS / "data" / "fleet"
STORY = TESTS / "corpus" / "units" / "kimi-k25-production.service"
UNITS = sorted(FLEET.glob("units/*/*.service"))

MINIMAL = """\
host: box-01
services:
  sglang-a:
    release: "0.5.9"
    python: /opt/e/bin/python3
    flags:
      model-path: /srv/m
"""


def test_the_units_are_golden() -> None:
    """A change of what is rendered shows here and in review; see docs/adr/0003 before you commit one."""
    for host in sorted(path.name for path in (FLEET / "hosts").iterdir()):
        for service, text in rendered(FLEET, host).units.items():
            assert (FLEET / "units" / host / f"{service}.service").read_text() == text
    assert len(UNITS) == sum(len(rendered(FLEET, path.name).units) for path in (FLEET / "hosts").iterdir())


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_has_nothing_against_them(unit: Path) -> None:
    assert verify_unit(unit.read_text(), unit.name) == []


def test_every_line_of_the_storys_unit_that_matters_is_there() -> None:
    story = parse_unit(STORY.read_text())
    ours = parse_unit((FLEET / "units" / "kimi-01" / "sglang-kimi.service").read_text())
    for section in ("Unit", "Service", "Install"):
        for setting in story.settings(section):
            if setting.key in ("Description", "ExecStart", "Type", "TimeoutStartSec"):
                continue  # a text; below; and two that did nothing for the load (docs/adr/0006)
            assert setting.value in ours.values(section, setting.key), setting
    (theirs,), (mine,) = (read_exec(unit.value("Service", "ExecStart") or "") for unit in (story, ours))
    assert mine.argv[:3] == theirs.argv[:3]
    assert flags(mine.argv) == flags(theirs.argv) | {"--hicache-ratio": ("4.0",)}


def flags(argv: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for is_flag, words in itertools.groupby(argv[3:], lambda word: word.startswith("--")):
        if is_flag:
            *bare, last = words
            found.update(dict.fromkeys(bare, ()))
        else:
            found[last] = tuple(words)
            continue
        found[last] = ()
    return found


def test_the_order_of_keys_in_yaml_changes_nothing(tmp_path: Path) -> None:
    original = yaml.safe_load((FLEET / "hosts" / "kimi-01" / "host.yaml").read_text())
    unit = (FLEET / "units" / "kimi-01" / "sglang-kimi.service").read_text()
    (tmp_path / "fleet.yaml").write_text((FLEET / "fleet.yaml").read_text())
    for seed in range(10):
        write_host(tmp_path, yaml.safe_dump(shuffled(original, random.Random(seed)), sort_keys=False), "kimi-01")
        assert rendered(tmp_path, "kimi-01").units["sglang-kimi"] == unit


def shuffled(value: object, chance: random.Random) -> object:
    if not isinstance(value, dict):
        return value
    items = [(key, shuffled(inner, chance)) for key, inner in value.items()]
    chance.shuffle(items)
    return dict(items)


def test_a_comment_in_yaml_changes_nothing(tmp_path: Path) -> None:
    plain = render_text(tmp_path, MINIMAL)
    assert render_text(tmp_path, "# why not\n" + MINIMAL.replace("release:", "# here too\n    release:")) == plain


def test_another_reason_changes_only_the_comment_and_the_specs_hash(tmp_path: Path) -> None:
    plain = render_text(tmp_path, MINIMAL)
    told = render_text(tmp_path, MINIMAL + "    why: because\n")
    assert told != plain
    assert unit_hash(told) == unit_hash(plain)
    assert unit_hash(render_text(tmp_path, MINIMAL + "    user: llm\n")) != unit_hash(plain)


def test_a_number_keeps_its_spelling(tmp_path: Path) -> None:
    for written in ("4.0", "4.00", "4", "4e0"):
        unit = render_text(
            tmp_path, MINIMAL + f"      enable-hierarchical-cache: true\n      hicache-ratio: {written}\n"
        )
        assert f"--hicache-ratio {written}\n" in unit


def test_the_unit_carries_the_hash_of_its_own_lines() -> None:
    for unit in UNITS:
        text = unit.read_text()
        assert parse_unit(text).value("Unit", "X-Sgfleet-Unit") == unit_hash(text)


def test_a_reason_cannot_become_a_setting(tmp_path: Path) -> None:
    unit = render_text(tmp_path, MINIMAL + '    why: "x\\nExecStartPre=/bin/evil\\rExecStop=/bin/evil"\n')
    assert [setting.key for setting in parse_unit(unit).settings("Service") if "Exec" in setting.key] == ["ExecStart"]


def test_secrets_stand_in_the_releases_order_and_unexpanded(tmp_path: Path) -> None:
    unit = render_text(
        tmp_path, MINIMAL + "    environment-files: [/etc/s.env]\n    secrets: {api-key: A, admin-api-key: B}\n"
    )
    lines = [line.strip(" \\") for line in unit.splitlines()]
    assert lines.index("--api-key ${A}") + 1 == lines.index("--admin-api-key ${B}")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("    secrets: {nope: A}\n", "no flag nope"),
        ("    secrets: {trust-remote-code: A}\n", "takes no value"),
        ("      api-key: x\n    secrets: {api-key: A}\n", "set in flags as well"),
        ("      nope: 1\n", "no flag nope"),
        ('    environment: {A: "\\ufffe"}\n', "U+FFFE"),
        ('      served-model-name: "\\ufdd0"\n', "noncharacter"),
    ],
)
def test_what_no_unit_can_carry_is_a_finding(tmp_path: Path, more: str, words: str) -> None:
    write_host(tmp_path, MINIMAL + more)
    result = rendered(tmp_path)
    assert not result.units
    assert [finding.code for finding in result.findings] == ["RND005"]
    assert words in result.findings[0].message
    assert result.known == {"sglang-a"}


def test_a_release_without_a_schema_has_no_unit(tmp_path: Path) -> None:
    write_host(tmp_path, MINIMAL)
    from sgfleet.render.host import render_host
    from sgfleet.source.tree import WorkTree
    from sgfleet.spec.repository import Repository

    result = render_host(Repository(WorkTree(tmp_path)).host("box-01"), lambda _: None)
    (finding,) = result.findings
    assert "no flag schema of SGLang 0.5.9" in finding.message
    assert finding.place.line == 4
