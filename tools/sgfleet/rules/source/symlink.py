"""A symbolic link in place of a file or folder.

## What it does

Symbolic links below hosts/ and units/ are never followed, wherever they lead.

## Why

On a host the agent reads the repository as root: a link could show it any file of the machine, and two hosts must
not share a file by accident.

## Bad

hosts/kimi-02/host.yaml is a link to ../kimi-01/host.yaml.

## Good

Both hosts have a file; what they share stands in fleet.yaml.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC016", name="symlink", severity=Severity.ERROR, stage="source")
