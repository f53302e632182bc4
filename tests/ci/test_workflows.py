"""Workflows and the template: pinned, with the least permissions, and no code of a pull request beside a token."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEMPLATE = ROOT / "templates/gitlab/sgfleet.yml"
USES = re.compile(r"uses: (?P<action>[\w./-]+)@(?P<commit>[0-9a-f]{40})  # v\d+\.\d+\.\d+$")


def read(path: Path) -> dict:
    return yaml.load(path.read_text(), yaml.BaseLoader)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_with_their_version_beside(path):
    lines = [line.strip() for line in path.read_text().splitlines() if "uses:" in line]
    assert lines
    for line in lines:
        assert USES.search(line), line


def test_an_action_has_one_pin():
    found = {}
    for path in WORKFLOWS:
        for match in USES.finditer("\n".join(line.rstrip() for line in path.read_text().splitlines())):
            assert found.setdefault(match["action"], match["commit"]) == match["commit"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_permissions_are_said_and_jobs_end(path):
    workflow = read(path)
    assert "permissions" in workflow
    assert "pull_request_target" not in workflow["on"]
    for job in workflow["jobs"].values():
        assert int(job["timeout-minutes"]) <= 90
        for step in job["steps"]:
            assert not re.search(r"\$\{\{[^}]*(title|body|head\.ref|head_ref)", step.get("run", "")), (
                "text of strangers in a shell"
            )


def test_no_code_of_a_pull_request_runs_beside_a_token_that_writes():
    jobs = read(ROOT / ".github/workflows/plan.yml")["jobs"]
    assert jobs["plan"]["permissions"] == {"contents": "read"}
    for job in jobs.values():
        writes = "write" in job["permissions"].values()
        (checkout,) = (step["with"] for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@"))
        assert checkout["persist-credentials"] == "false"
        if writes:
            assert checkout["ref"] == "${{ github.event.pull_request.base.sha }}"
            assert "head.repo.full_name == github.repository" in job["if"]
        else:
            assert "GITHUB_TOKEN" not in str(job)


@pytest.mark.parametrize("path", [ROOT / ".github/workflows/plan.yml", TEMPLATE], ids=lambda path: path.name)
def test_scripts_that_are_called_are_there(path):
    called = set(re.findall(r"tools/ci/[a-z.]+", path.read_text())) - {"tools/ci"}
    assert {"tools/ci/plan", "tools/ci/comment.py"} <= called
    assert all((ROOT / name).is_file() for name in called)


def test_the_template_has_its_two_jobs():
    jobs = read(TEMPLATE)
    plan, comment = jobs["sgfleet-plan"], jobs["sgfleet-comment"]
    assert plan["artifacts"]["when"] == "always"
    assert plan["artifacts"]["reports"] == {"codequality": "sgfleet-plan/code-quality.json"}
    assert comment["needs"] == ["sgfleet-plan"]
    (rule,) = comment["rules"]
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in rule["if"]
    assert any("git show FETCH_HEAD:tools/ci/comment.py" in line for line in comment["script"])
    assert not any(re.search(r"python3 tools/", line) for line in comment["script"]), "the change's own script"
