"""What a repository declares: hosts, services, facts and fleet."""

from sgfleet.spec.lean import import_core, without_plugins

without_plugins()
import_core()
