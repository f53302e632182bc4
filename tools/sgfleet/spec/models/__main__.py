"""`python -m sgfleet.spec.models`: write what is kept of the models, beside the code that reads it."""

from __future__ import annotations

from pathlib import Path

from sgfleet.source.replace import replace_file
from sgfleet.spec.models import core_schemas, json_schemas

if __name__ == "__main__":
    for kept in (core_schemas, json_schemas):
        replace_file(Path(kept.PATH), kept.text())
