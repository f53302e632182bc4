"""Findings as SARIF 2.1.0 (OASIS), for code scanning: rules with their manual, regions, fingerprints, suppressions."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TextIO
from urllib.parse import quote

from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sgfleet.findings import Finding, Place
    from sgfleet.output.summary import Failure, Summary
    from sgfleet.rules.registry import Entry

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_ROOT: Final = "%SRCROOT%"
"""The symbol that consumers resolve to the repository's root."""

_FINGERPRINT: Final = "sgfleet/v1"


class Sarif:
    """Writes one run as the findings come; the rules that it needed follow at its end.

    `manual` holds the rules by code. Only those with a result are described, each once.
    """

    def __init__(self, stream: TextIO, version: str, manual: Mapping[str, Entry]) -> None:
        self._stream = stream
        self._version = version
        self._manual = manual
        self._separator = ""
        self._index: dict[str, int] = {}
        self._seen: Counter[str] = Counter()

    def begin(self) -> None:
        """The head of the document and of its only run."""
        self._stream.write(
            f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{"columnKind": "unicodeCodePoints", "results": ['
        )

    def add(self, findings: Sequence[Finding]) -> None:
        """The findings of one host; waived ones are suppressed results."""
        for finding in findings:
            index = self._index.setdefault(finding.code, len(self._index))
            print_ = fingerprint(finding)
            self._seen[print_] += 1
            data = result(finding, index, f"{print_}:{self._seen[print_]}")
            self._stream.write(f"{self._separator}\n{json_text(data)}")
            self._separator = ","

    def end(self, summary: Summary, failures: Sequence[Failure], /) -> None:
        """Rules, how the run went, and the tail."""
        rules = [describe(code, self._manual.get(code)) for code in self._index]
        driver = {"name": "sgfleet", "version": self._version, "rules": rules}
        notifications = [
            {
                "level": "error",
                "message": {"text": f"the check failed on {each.subject}: {each.error}"},
                **({"associatedRule": {"id": each.code}} if each.code else {}),
            }
            for each in failures
        ]
        invocation = {"executionSuccessful": not failures, "toolExecutionNotifications": notifications}
        roots = {_ROOT: {"description": {"text": "the root of the repository that was checked"}}}
        numbers = {"hosts": summary.hosts, "services": summary.services}
        rest = {
            "tool": {"driver": driver},
            "invocations": [invocation],
            "originalUriBaseIds": roots,
            "properties": numbers,
        }
        self._stream.write(f"\n], {json_text(rest)[1:]}]}}\n")


def fingerprint(finding: Finding) -> str:
    """The identity of a finding: its rule, whom it concerns, and where in the document it stands.

    Lines above may come and go. Where no route is known, the line's own text (without secrets) takes its part.
    """
    place = finding.place
    where = finding.route or ((place.text or "").strip(),)
    identity = [finding.code, finding.host, finding.service, place.path, *where]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32]


def result(finding: Finding, index: int, print_: str) -> dict[str, Any]:
    """One result. What a person reads is in its message; what a program wants is in its properties too."""
    lines = [finding.message, *finding.arithmetic]
    if finding.based_on:
        lines.append(f"from: {', '.join(finding.based_on)}")
    if finding.help is not None:
        lines.append(f"help: {finding.help}")
    data: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": str(finding.severity),
        "message": {"text": "\n".join(lines)},
        "locations": [{"physicalLocation": _location(finding.place)}],
        "partialFingerprints": {_FINGERPRINT: print_},
        "properties": {
            "host": finding.host,
            "service": finding.service,
            "route": list(finding.route),
            "basedOn": list(finding.based_on),
        },
    }
    if finding.related:
        data["relatedLocations"] = [
            {"id": number, "physicalLocation": _location(place), "message": {"text": words}}
            for number, (place, words) in enumerate(finding.related, start=1)
        ]
    if finding.waived is not None:
        data["suppressions"] = [{"kind": "inSource", "justification": finding.waived}]
    return data


def describe(code: str, entry: Entry | None) -> dict[str, Any]:
    """One rule: the pages of its manual, as far as there is one."""
    if entry is None:
        return {"id": code}
    page = entry.page
    return {
        "id": code,
        "name": entry.rule.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.what},
        "help": {"text": page.why, "markdown": f"{page.what}\n\n{page.why}"},
        "defaultConfiguration": {"level": str(entry.rule.severity)},
        "properties": {"family": entry.family},
    }


def _location(place: Place) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": quote(_bytes(place.path)), "uriBaseId": _ROOT}}
    if place.line:
        location["region"] = {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        }
        if place.text is not None:
            location["contextRegion"] = {"startLine": place.line, "snippet": {"text": place.text}}
    return location


def _bytes(path: str) -> bytes:
    """A file's name as the file system has it, which need not be UTF-8; a lone surrogate that is no byte stays one."""
    try:
        return path.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return path.encode(errors="surrogatepass")
