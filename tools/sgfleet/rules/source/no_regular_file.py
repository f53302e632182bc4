"""Something that is no file in the place of a file.

## What it does

Refuses a folder, a named pipe, a socket or a device where a file is read, and anything but a folder where the
repository has a folder. Nothing of it is opened for reading: a pipe would make the check wait forever.

## Why

Nobody puts such a thing into a repository on purpose.

## Bad

hosts/kimi-01/host.yaml is a folder.

## Good

hosts/kimi-01/host.yaml is a file.
"""

from sgfleet.findings import Severity
from sgfleet.rules.rule import Rule

RULE = Rule(code="SRC023", name="no-regular-file", severity=Severity.ERROR, stage="source")
