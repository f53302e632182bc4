"""A rule's docstring -> its page in the manual.

The first paragraph is the summary: one line that ends in a full stop. Then come headings, in this order:

    ## What it does     what is compared with what
    ## Why              what happens on the host when nobody says so
    ## Bad              one example that yields the finding
    ## Good             the same example, put right
    ## See also         optional: a list of codes and documents

"Bad" and "Good" may come several times, in pairs. What such a section holds in ```yaml fences is one example; every
fence is one file of it, named by a comment in its first line (`# host.yaml`, `# fleet.yaml`, `# facts.yaml`) or known
by its keys. tests/rules/examples.py says how an example is completed to a repository. Where no YAML can show the point
(a file's encoding, a link, a rendered unit), a section is prose alone, and a test elsewhere names the code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADINGS: Final = ("What it does", "Why", "Bad", "Good", "See also")
_REQUIRED: Final = HEADINGS[:4]
_FENCE: Final = re.compile(r"^```(?:yaml|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class ManualError(ValueError):
    """A docstring that is not in the manual's form; the message says what is amiss."""


@dataclass(frozen=True, slots=True)
class Example:
    """The text of one "Bad" or "Good" section, and the files in it."""

    text: str

    @property
    def files(self) -> tuple[str, ...]:
        """The YAML of each fence, in order, exactly as it stands there."""
        return tuple(match[1] for match in _FENCE.finditer(self.text))


@dataclass(frozen=True, slots=True)
class Page:
    """One rule's page."""

    summary: str
    what: str
    why: str
    bad: tuple[Example, ...]
    good: tuple[Example, ...]
    see_also: str | None = None


def _sections(body: str) -> Iterator[tuple[str, str]]:
    """Heading -> text, in order; a `## ` inside a fence is a comment of the example and no heading."""
    heading, lines, fenced = "", list[str](), False
    for line in body.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("## ") and not fenced:
            yield heading, "\n".join(lines).strip("\n")
            heading, lines = line.removeprefix("## ").strip(), []
        else:
            lines.append(line)
    if fenced:
        raise ManualError("a ``` fence is not closed")
    yield heading, "\n".join(lines).strip("\n")


def page(docstring: str | None) -> Page:
    """The page that a rule's docstring is.

    Raises:
        ManualError: a part is missing, unknown, empty or in the wrong place.
    """
    if not docstring:
        raise ManualError("there is no docstring")
    (_, summary), *sections = _sections(docstring.strip())
    if not summary or "\n" in summary or not summary.endswith("."):
        raise ManualError("the docstring starts with a summary: one line that ends in a full stop")
    names = [name for name, _ in sections]
    if unknown := [name for name in names if name not in HEADINGS]:
        raise ManualError(f"unknown heading {unknown[0]!r}: the headings are {', '.join(HEADINGS)}")
    if missing := [name for name in _REQUIRED if name not in names]:
        raise ManualError(f"the heading {missing[0]!r} is missing")
    if empty := [name for name, text in sections if not text.strip()]:
        raise ManualError(f"nothing under {empty[0]!r}")
    pairs = names[2:-1] if names[-1] == "See also" else names[2:]
    if names[:2] != ["What it does", "Why"] or pairs != ["Bad", "Good"] * (len(pairs) // 2):
        raise ManualError(f"the headings come in this order: {', '.join(HEADINGS)}; Bad and Good in pairs")
    texts = dict(sections)
    return Page(
        summary=summary,
        what=texts["What it does"],
        why=texts["Why"],
        bad=tuple(Example(text) for name, text in sections if name == "Bad"),
        good=tuple(Example(text) for name, text in sections if name == "Good"),
        see_also=texts.get("See also"),
    )
