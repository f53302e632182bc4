"""The plan as a function of two trees: properties, and what an agent without files of its own gets."""

from __future__ import annotations

import datetime
from functools import partial
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plan.repository import DATA, KIMI, MIXED, Fleet
from sgfleet.findings import Place
from sgfleet.fleet.workspace import Workspace
from sgfleet.plan.make import Planner
from sgfleet.plan.records import Kind, Plan, Revision
from sgfleet.plan.revisions import workspaces
from sgfleet.plan.scope import WATCHED, scope_of
from sgfleet.source.git import IsolatedGit
from sgfleet.source.git_range import changed_paths
from sgfleet.source.problems import SourceError, problem
from sgfleet.source.tree import Entry
from sgfleet.source.tree import Kind as Is
from support.repository import git

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TODAY = datetime.date(2026, 1, 1)
FILES = {path.relative_to(DATA).as_posix(): path.read_text() for path in sorted(DATA.rglob("*")) if path.is_file()}


class Files:
    """A tree of texts."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def entries(self, folder: str) -> tuple[Entry, ...]:
        """See `Tree`."""
        below = [path.removeprefix(f"{folder}/") for path in self.files if not folder or path.startswith(f"{folder}/")]
        return tuple(sorted({Entry(path.split("/")[0], Is.FOLDER if "/" in path else Is.FILE) for path in below}))

    def read(self, path: str) -> bytes:
        """See `Tree`."""
        if path not in self.files:
            raise SourceError([problem("SRC022", "there is no such file", Place(path))])
        return self.files[path].encode()


def plan(before: dict[str, str], after: dict[str, str]) -> Plan:
    """What differs between two sets of files."""
    differing = [path for path in {*before, *after} if before.get(path) != after.get(path)]
    sides = Workspace(DATA, Files(before)), Workspace(DATA, Files(after))
    return Planner(*sides, TODAY).plan(scope_of(differing), (Revision("a", None), Revision("b", None)))


EDITS = [
    (KIMI, "hicache-ratio: 4.0", "hicache-ratio: 3.0"),
    (KIMI, "port: 30000", "port: 30001"),
    (KIMI, "timeout-stop-sec: 60s", "timeout-stop-sec: 61s"),
    (KIMI, "Prefix cache fourfold", "Prefix cache"),
    (KIMI, "services:", "services: ["),
    (MIXED, "sglang-draft:", "sglang-other:"),
    (MIXED, "gpus: [2]", "gpus: [1]"),
    (MIXED, "model-path: /srv/models/Qwen3-8B", "model-path: nobody/knows-this"),
    ("fleet.yaml", "restart-sec: 30s", "restart-sec: 31s"),
    ("fleet.yaml", "host-ram: 48GiB", "host-ram: 200GiB"),
    ("fleet.yaml", "defaults:", "defaults: 5 #"),
    ("units/kimi-01/sglang-kimi.service", "Nice", "nice"),
    ("units/kimi-01/sglang-kimi.service", "KillMode=control-group\n", ""),
]


def edited(chosen: list[tuple[str, str, str]]) -> dict[str, str]:
    """The files after some edits."""
    files = dict(FILES)
    for path, old, new in chosen:
        files[path] = files[path].replace(old, new)
    return files


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(EDITS), unique=True, max_size=5))
def test_nothing_differs_from_itself_whatever_is_wrong_with_it(chosen: list[tuple[str, str, str]]) -> None:
    """Also where every host is looked at."""
    files = edited(chosen)
    sides = Workspace(DATA, Files(files)), Workspace(DATA, Files(dict(files)))
    found = Planner(*sides, TODAY).plan(scope_of(["fleet.yaml"]), (Revision("a", None), Revision("b", None)))
    assert not [each for each in found.changed if each.kind is not Kind.UNKNOWN]
    assert found.all_new == found.all_gone == ()
    assert found.lost.services == 0


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(EDITS), unique=True, max_size=4), st.lists(st.sampled_from(EDITS), unique=True, max_size=4)
)
def test_what_is_new_one_way_is_gone_the_other(
    one: list[tuple[str, str, str]], other: list[tuple[str, str, str]]
) -> None:
    forth, back = plan(edited(one), edited(other)), plan(edited(other), edited(one))
    assert sorted(map(str, forth.all_new)) == sorted(map(str, back.all_gone))
    assert sorted(map(str, forth.all_gone)) == sorted(map(str, back.all_new))
    assert {each.subject for each in forth.services} == {each.subject for each in back.services}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_the_order_of_flags_is_no_change(data: st.DataObject) -> None:
    lines = FILES[KIMI].splitlines(keepends=True)
    first = lines.index("    flags:\n") + 1
    last = lines.index("    environment:\n")
    shuffled = data.draw(st.permutations(lines[first:last]))
    files = FILES | {KIMI: "".join([*lines[:first], *shuffled, *lines[last:]])}
    found = plan(FILES, files)
    assert found.changed == ()
    assert found.all_new == found.all_gone == ()


def test_an_agent_plans_from_a_bare_mirror_and_reads_the_schemas_of_the_commit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], schema: Path
) -> None:
    fleet = Fleet.new(tmp_path / "fleet", capsys)
    fleet.write("schema/sglang/0.5.9.json", schema.joinpath("0.5.9.json").read_text())
    first = fleet.commit()
    fleet.edit("schema/sglang/0.5.9.json", '"hicache-ratio"', '"hicache-share"')
    fleet.edit(KIMI, "hicache-ratio: 4.0", "hicache-share: 4.0")
    fleet.render()
    second = fleet.commit()
    git(tmp_path, "clone", "-q", "--bare", str(fleet.root), "mirror.git")
    mirror = IsolatedGit(tmp_path / "mirror.git")
    scope = scope_of(changed_paths(partial(mirror), first, second, WATCHED))
    sides = workspaces(mirror, first, second, root=mirror.folder, library=scope.library)
    found = Planner(*sides, TODAY).plan(scope, (Revision("first", first), Revision("second", second)))
    assert [(each.subject, each.kind) for each in found.changed] == [("kimi-01/sglang-kimi", Kind.RESTARTED)]
    assert {str(reason) for reason in found.changed[0].reasons} >= {"hicache-share set to 4.0"}
    assert any("--hicache-share 4.0" in line for line in found.changed[0].diff)


def test_a_bug_of_ours_on_one_host_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from sgfleet.plan import side

    real = side.check_host

    def check(spec, *rest):  # type: ignore[no-untyped-def]  # stands in for check_host
        if spec.name == "kimi-01":
            raise ZeroDivisionError
        return real(spec, *rest)

    monkeypatch.setattr(side, "check_host", check)
    found = plan(FILES, edited([EDITS[0], EDITS[5]]))
    assert {crash.subject for crash in found.crashes} == {"kimi-01"}
    assert {each.kind for each in found.changed} == {Kind.MOVED}
