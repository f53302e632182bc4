"""Check: the spec still holds on the host as it is now.

The same rules as `sgfleet check`, with what was read of the machine just now in the place of the committed facts: a
host that lost a memory module since, or got another GPU, is not the one that a reviewer saw. Errors about this service,
about the host as a whole and about fleet.yaml count. What the fleet has waived, or made less than an error, does not.
"""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import TYPE_CHECKING

from sgfleet.agent.reason import Reason
from sgfleet.findings import Severity
from sgfleet.fleet.memories import Memories
from sgfleet.fleet.obstacles import obstacles
from sgfleet.rules.host_check import check_files, check_host
from sgfleet.rules.registry import checks
from sgfleet.rules.weighing import misfits

if TYPE_CHECKING:
    from sgfleet.agent.admission.situation import Situation
    from sgfleet.findings import Finding


def check(situation: Situation) -> Reason | None:
    """The first error, with its place."""
    workspace, fleet = situation.workspace, situation.workspace.repository.fleet
    found = [*situation.spec.findings, *obstacles(workspace, situation.spec)]
    spec = replace(situation.spec, facts=situation.facts, findings=found)
    today = datetime.datetime.now(datetime.UTC).date()
    checked = check_host(spec, fleet, workspace.release, today, Memories(workspace).of(spec))
    if checked.crashes:
        crash = checked.crashes[0]
        text = f"the rule {crash.code} failed on {crash.subject}: {crash.error} in {crash.frames[-1]}"
        return Reason("check-failed", text, "this is a bug of sgfleet: report it")
    whole = check_files(fleet, [*fleet.findings, *misfits(fleet.policy.severity, fleet.locate)]).findings
    of_host = {each.rule.code for each in checks()["host"]}
    for finding in (*whole, *checked.findings):
        concerns = finding.service in {None, situation.name} or finding.code in of_host
        if concerns and finding.severity is Severity.ERROR and finding.waived is None:
            return _reason(finding)
    return None


def _reason(finding: Finding) -> Reason:
    sums = f" ({'; '.join(finding.arithmetic)})" if finding.arithmetic else ""
    text = f"{finding.place.path}:{finding.place.line or 1}: {finding.message} [{finding.code}]{sums}"
    return Reason("spec", text, finding.help)
