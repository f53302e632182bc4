"""A rule's page of the manual for a reader: at a terminal, in the documentation, in a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.output.colour import plain
from sgfleet.output.json_answer import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.output.colour import Paint
    from sgfleet.rules.registry import Entry

FORMAT: Final = 1
"""Version of the JSON form."""


def as_text(entry: Entry, paint: Paint = plain) -> str:
    """One page at a terminal: examples indented, fences left out."""
    rule, page = entry.rule, entry.page
    parts = [f"{paint(str(rule.severity), f'{rule.severity}[{rule.code}]')} {paint('strong', rule.name)}", page.summary]
    for heading, text in _sections(entry):
        parts += [paint("strong", heading), _indented(text)]
    return "\n\n".join(parts) + "\n"


def as_list(entries: Iterable[Entry], paint: Paint = plain) -> str:
    """A line for each rule."""
    known = list(entries)
    longest = max((len(entry.rule.name) for entry in known), default=0)
    return "".join(
        f"{paint('strong', entry.rule.code)}  {paint(str(entry.rule.severity), f'{entry.rule.severity:<7}')}  "
        f"{entry.rule.name:<{longest}}  {entry.page.summary}\n"
        for entry in known
    )


def as_markdown(entry: Entry) -> str:
    """One page as a section of a longer document."""
    rule, page = entry.rule, entry.page
    parts = [f"## {rule.code} {rule.name}", f"**{page.summary}** Severity: {rule.severity}."]
    for heading, text in _sections(entry):
        parts += [f"### {heading}", text]
    return "\n\n".join(parts) + "\n"


def reference(entries: Iterable[Entry]) -> str:
    """All pages as one document, family by family: docs/reference/rules.md."""
    known = sorted(entries, key=lambda entry: entry.rule.code)
    rows = "".join(
        f"| [{rule.code}](#{rule.code.lower()}-{rule.name}) | {rule.name} | {rule.severity} | {entry.page.summary} |\n"
        for entry in known
        for rule in (entry.rule,)
    )
    head = (
        "# Rules\n\n"
        "Written by `sgfleet explain --all --format markdown`. The text of each rule is the docstring of its module\n"
        "in `tools/sgfleet/rules/`; its examples are run by the tests.\n\n"
        "| Code | Name | Severity | What it says |\n|---|---|---|---|\n"
    )
    return head + rows + "\n" + "\n".join(as_markdown(entry) for entry in known)


def as_json(entries: Iterable[Entry]) -> str:
    """Pages for a program: `{"format": 1, "rules": [...]}`."""
    return json_text({"format": FORMAT, "rules": [_data(entry) for entry in entries]}, indent=2) + "\n"


def _data(entry: Entry) -> dict[str, Any]:
    rule, page = entry.rule, entry.page
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": str(rule.severity),
        "stage": rule.stage,
        "family": entry.family,
        "waivable": rule.waivable,
        "summary": page.summary,
        "what": page.what,
        "why": page.why,
        "bad": [example.text for example in page.bad],
        "good": [example.text for example in page.good],
        "see_also": page.see_also,
    }


def _sections(entry: Entry) -> list[tuple[str, str]]:
    page = entry.page
    sections = [("What it does", page.what), ("Why", page.why)]
    for bad, good in zip(page.bad, page.good, strict=True):
        sections += [("Bad", bad.text), ("Good", good.text)]
    if page.see_also is not None:
        sections.append(("See also", page.see_also))
    return sections


def _indented(text: str) -> str:
    """Prose by two, what stands in fences by four."""
    lines, fenced = list[str](), False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif line.strip():
            lines.append((" " * 4 if fenced else " " * 2) + line)
        else:
            lines.append("")
    return "\n".join(lines)
