"""A service that has no rendered unit under units/.

## What it does

Looks for `units/<host>/<service>.service` for each service of each host.

## Why

The agent installs what is committed. A service whose unit is not in the commit is not on the host, though its
spec is on main.

## Bad

The host.yaml of kimi-01 names `sglang-kimi`, and units/kimi-01/ is empty.

## Good

`sgfleet render` was run, and `units/kimi-01/sglang-kimi.service` is in the commit.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="RND001", name="missing-unit", severity=Severity.ERROR, stage="render")
