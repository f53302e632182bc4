"""hosts/<host>/facts.yaml for the commands that write it: read, held against its model, put in place at once."""

from __future__ import annotations

import datetime
import os
from typing import TYPE_CHECKING, Any

from sgfleet.cli.common import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.facts.probe import Probe
    from sgfleet.source.document import Document
    from sgfleet.spec.models.facts import Facts


def moment() -> str:
    """Now, as facts.yaml writes it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class FactsFile:
    """The facts of one host. `root` is None where there is no repository: then there is nothing to read.

    Raises:
        UsageError: the file is there, and is wrong: it is not changed before a person has mended it.
    """

    def __init__(self, root: Path | None, host: str) -> None:
        self.root = root
        self.host = host
        self.path = f"hosts/{host}/facts.yaml"
        self.document, self.facts = self._read()

    @property
    def known(self) -> dict[str, Any]:
        """What the file says, as plain data."""
        return {} if self.document is None else self.document.data

    def with_probe(self, found: Probe, *, replaced: bool = False) -> str:
        """The file's text with what a probe has read; of a machine that was `replaced`, nothing older stays."""
        from sgfleet.facts.merge import merged

        return self._text(merged(self.known, found, moment(), replaced=replaced))

    def with_observed(self, service: str, observation: dict[str, Any]) -> str:
        """The file's text with what a service's start-up said."""
        return self._text({"observed": {**(self.known.get("observed") or {}), service: observation}})

    def write(self, text: str) -> None:
        """Put it in place.

        Raises:
            UsageError: it cannot be written.
        """
        from sgfleet.source.replace import replace_file

        if self.root is None:
            raise UsageError("there is no repository to write to", "give --root DIR or --stdout")
        target = self.root / self.path
        if target.is_symlink() or target.parent.is_symlink():
            raise UsageError(f"{self.path} is a symbolic link, or a way through one", "put the file itself there")
        try:
            replace_file(target, text)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {(error.strerror or str(error)).lower()}") from error

    def _text(self, sections: dict[str, Any]) -> str:
        from sgfleet.facts.file import LayoutError, written
        from sgfleet.spec.schema_line import schema_line

        head = {"format": 1, "host": self.host}
        try:
            first = schema_line(self.path, self.root)
            text = written(self.document, {**head, **sections}, path=self.path, first=first)
        except LayoutError as error:
            help_ = "give --stdout, and put what it prints into the file by hand"
            raise UsageError(f"{self.path} cannot be changed: {error}", help_) from error
        self._held(text)
        return text

    def _read(self) -> tuple[Document | None, Facts | None]:
        from sgfleet.source.problems import SourceError
        from sgfleet.source.tree import WorkTree

        if self.root is None or not os.path.lexists(self.root / self.path):
            return None, None
        try:
            return self._held(WorkTree(self.root).read(self.path))
        except SourceError as error:
            raise self._wrong(error.findings[0].message, error.findings[0].place.line) from None

    def _held(self, text: str | bytes) -> tuple[Document, Facts | None]:
        from sgfleet.source.read import read_text
        from sgfleet.spec.host_spec import HostSpec, read_facts

        document = read_text(text, self.path)
        spec = HostSpec(self.host)
        read_facts(spec, document)
        if spec.findings:
            raise self._wrong(spec.findings[0].message, spec.findings[0].place.line)
        return document, spec.facts

    def _wrong(self, message: str, line: int) -> UsageError:
        return UsageError(f"{self.path}:{line}: {message}", f"mend it first: sgfleet check {self.host}")
