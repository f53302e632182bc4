"""A repository as a whole: every host of a tree read, checked, rendered; what commands, plan and agent stand on."""

from sgfleet.fleet.lean import import_yaml

import_yaml()
