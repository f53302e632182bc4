"""`python -m sgfleet`: the same as the command."""

from sgfleet.cli.main import run

run()
