"""The files that sgfleet writes. A test looks for modules that write and are not named here."""

from __future__ import annotations

from typing import Final, NamedTuple

from sgfleet.output.manual.markdown import WRITTEN, table


class File(NamedTuple):
    """One file or folder, with what it is, as a sentence without its full stop."""

    path: str
    meaning: str
    by: str
    modules: tuple[str, ...]
    """Modules below sgfleet that do it."""


FILES: Final = (
    File("units/<host>/<service>.service", "The rendered units, committed", "render", ("cli.commands.render",)),
    File(
        "hosts/<host>/host.yaml",
        "Begun by init or import, and changed only by what a person asked for: an option, a service, a release",
        "init, import --write, options --apply, upgrade",
        ("cli.commands.options", "cli.commands.import", "cli.commands.init", "cli.commands.upgrade"),
    ),
    File(
        "fleet.yaml, .pre-commit-config.yaml",
        "The beginning of a repository, written only where they are not there",
        "init",
        ("cli.commands.init",),
    ),
    File(
        "hosts/<host>/facts.yaml",
        "What the host is, and what a start measured",
        "facts, observe --write",
        ("cli.facts_file",),
    ),
    File("schema/*.schema.json", "JSON Schemas for editors", "export", ("cli.commands.export",)),
    File(
        "schema/sglang/<release>.json",
        "The flags of a release, and beside them what several releases share",
        "schema add",
        ("engine.schema_writer", "engine.argv.history", "engine.endpoints"),
    ),
    File("schema/models/<org>--<name>.json", "What a checkpoint is", "model add", ("model.writer",)),
    File("a file that is named", "The table of accuracy as a page", "accuracy --keep", ("cli.commands.accuracy",)),
    File(
        "$TMPDIR/sgfleet-report-*.txt",
        "A report of a bug in sgfleet, without any of your data",
        "any command that fails with 4",
        ("cli.crash",),
    ),
    File(
        "/var/lib/sgfleet",
        "The agent's folder: its mirror of the repository, its state, units by their hash, the log",
        "agent",
        ("agent.durable", "agent.store", "systemd.folder", "systemd.verify"),
    ),
    File(
        "/etc/sgfleet/agent.toml",
        "The host's own limits and where its repository is; written only where it is not there",
        "agent install",
        ("agent.durable",),
    ),
    File(
        "/etc/systemd/system/sgfleet-agent.{service,timer}",
        "The agent's own units; those of services come beside them",
        "agent install",
        ("systemd.folder",),
    ),
    File("the textfile of agent.toml", "Metrics, written when they change", "agent tick", ("agent.durable",)),
)


def files_page() -> str:
    """The page of the reference."""
    rows = [(f"`{each.path}`" if "/" in each.path else each.path, f"{each.meaning}.", f"`{each.by}`") for each in FILES]
    return (
        f"# Files\n\n{WRITTEN}\n\nWhat sgfleet writes; nothing else is touched. Files of the repository are replaced "
        "whole: a reader sees the old one or the new one, and only a file that differs is written. There is no "
        f"configuration of sgfleet outside of the repository, but for the agent's own `/etc/sgfleet/agent.toml`, which "
        f"belongs to the host.\n\n{table(('File', 'What it is', 'Written by'), rows)}\n"
    )
