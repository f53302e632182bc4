"""Path below the repository's root -> the text of the page, for everything in docs/ that nobody writes by hand."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from sgfleet.cli.grammar import grammar
from sgfleet.cli.reference.environment import VARIABLES, environment_page
from sgfleet.cli.reference.files import FILES, files_page
from sgfleet.cli.reference.formats import formats_page
from sgfleet.cli.reference.terminal import terminal
from sgfleet.output import page
from sgfleet.output.manual import markdown
from sgfleet.output.manual.fields import tables
from sgfleet.output.manual.man import as_man
from sgfleet.output.manual.markdown import WRITTEN
from sgfleet.rules.registry import entries
from sgfleet.source.read import read_text
from sgfleet.spec.models.facts import Facts
from sgfleet.spec.models.fleet import Fleet
from sgfleet.spec.models.host import Host
from sgfleet.spec.models.json_schemas import schemas_of
from sgfleet.spec.models.service import Service

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES: Final = "docs/reference/examples"
MAN: Final = "docs/man/sgfleet.1"

_HOST_HEAD: Final = """\
`hosts/<host>/host.yaml` says what one host serves. People write it. Values of a service go before those of the host's
`defaults`, these before those of [`fleet.yaml`](fleet.md), and these before the tool's own, which are in the tables;
`sgfleet show HOST` says which value comes from where. `flags`, `secrets`, `environment`, `unit` and `start` are put
together by key, everything else is replaced as a whole; null takes an inherited value away.

YAML 1.2 scalars; anchors, aliases, merge keys, tags and keys that stand twice are errors. What flags a release has is
in `schema/sglang/<release>.json`, and `sgfleet argv` answers for a whole command line.
"""
_FACTS_HEAD: Final = """\
`hosts/<host>/facts.yaml` says what one host is. `sgfleet facts` writes it on that host and `sgfleet observe --write`
adds what a start measured; it is committed. Every fact may be unknown: what could not be checked because of it is said
by `sgfleet check`.
"""
_FLEET_HEAD: Final = """\
`fleet.yaml` has the defaults and the policy of all hosts. Both keys may be left out.
"""


def pages(root: Path) -> dict[str, str]:
    """Every page. `root` has schema/output and the examples from which values are shown."""
    commands = grammar()
    return {
        "docs/reference/commands.md": markdown.commands(commands),
        "docs/reference/exit-codes.md": markdown.exit_codes(commands),
        "docs/reference/host.md": _model_page("host.yaml", _HOST_HEAD, *_host(), root),
        "docs/reference/facts.md": _model_page("facts.yaml", _FACTS_HEAD, *schemas_of(Facts), root),
        "docs/reference/fleet.md": _model_page("fleet.yaml", _FLEET_HEAD, *schemas_of(Fleet), root),
        "docs/reference/json.md": formats_page(root, commands),
        "docs/reference/environment.md": environment_page(),
        "docs/reference/files.md": files_page(),
        "docs/reference/rules.md": page.reference(entries().values()),
        MAN: as_man(
            commands,
            version("sgfleet"),
            [(each.name, f"{each.meaning}.") for each in VARIABLES],
            [(each.path, f"{each.meaning}.") for each in FILES],
        ),
        "docs/terminal.svg": terminal(root),
    }


def _host() -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    schema, _ = schemas_of(Host)
    service, definitions = schemas_of(Service)
    schema["properties"]["services"]["additionalProperties"] = {"$ref": "#/$defs/Service"}
    return schema, {**definitions, "Service": service}


def _model_page(
    name: str, head: str, schema: dict[str, Any], definitions: dict[str, dict[str, Any]], root: Path
) -> str:
    text = (root / EXAMPLES / name).read_text(encoding="utf-8")
    example = read_text(text, name).data
    body = tables("Keys", schema, definitions, example)
    return (
        f"# {name}\n\n{WRITTEN}\n\n{head}\n## Example\n\nWith every key that there is, from "
        f"[`examples/{name}`](examples/{name}).\n\n```yaml\n{text}```\n\n{body}\n"
    )
