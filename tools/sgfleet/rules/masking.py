"""Keeps secrets out of findings: out of the lines that are shown, and out of every sentence.

What a secret is, names tell (`api-key`, `HF_TOKEN`: spec/secrecy.py), and rules may say so of any other value
(`Problem.secret`). Its characters are blotted out in every finding of the same host, because two findings may show the
same line. Each character is replaced by one sign, so that columns stay true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sgfleet.spec.secrecy import names_secret, secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sgfleet.findings import Finding, Place
    from sgfleet.source.document import Document, Route

SIGN: Final = "\N{BULLET}"
BLOT: Final = SIGN * 3
"""What stands in a sentence in place of a secret, whatever its length."""

_SHORTEST: Final = 8
"""Only a text of this length is searched for where it does not stand as a secret: `none` and `auto` are words."""

_ASSIGNMENT: Final = re.compile(r"""(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]++)["']?\s*+[:=]\s*+(?=\S)""")
"""A name is looked at once, from its first sign on: one long hostile word would take the square of its length."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands, up to its last line, and its text when it is known."""

    place: Place
    text: str | None = None


def secret_at(document: Document, route: Route) -> Secret:
    """The value at the end of the route, which is a secret."""
    value: Any = document.data
    for step in route:
        value = value[step]
    return Secret(document.extent(route), value if isinstance(value, str) else None)


def secrets_of(document: Document) -> list[Secret]:
    """What is secret in a document by the name that it stands under."""
    return [Secret(place, text) for place, text in secrets_in(document)]


def secrets_of_line(place: Place) -> Iterator[Secret]:
    """What looks like a secret in the line of a place: for a file that could not be read as a document."""
    if place.text is not None:
        for match in _ASSIGNMENT.finditer(place.text):
            if names_secret(match[1]):
                end = len(place.text.rstrip())
                yield Secret(
                    replace(place, column=match.end() + 1, end_line=place.line, end_column=end + 1),
                    place.text[match.end() : end],
                )
                return


def _blot(place: Place, secret: Place) -> Place:
    """`place` with the part of its line that belongs to the secret blotted out."""
    if place.text is None or place.path != secret.path or not secret.line <= place.line <= secret.end_line:
        return place
    start = secret.column - 1 if place.line == secret.line else 0
    end = secret.end_column - 1 if place.line == secret.end_line else len(place.text)
    end = max(start, min(end, len(place.text)))
    return replace(place, text=place.text[:start] + SIGN * (end - start) + place.text[end:])


def _words(secrets: Iterable[Secret]) -> list[str]:
    """What must not occur in a sentence, the longest first, so that no part of a longer one is left over."""
    words = set()
    for secret in secrets:
        place = secret.place
        written = (
            place.text[place.column - 1 : place.end_column - 1] if place.text and place.line == place.end_line else ""
        )
        for word in (secret.text or "", written, written.strip("\"'")):
            if len(word) >= _SHORTEST:
                words.add(word)
    return sorted(words, key=len, reverse=True)


def mask(findings: Sequence[Finding], secrets: Sequence[Secret]) -> list[Finding]:
    """The findings with every secret blotted out wherever it would be shown."""
    if not secrets:
        return list(findings)
    words = _words(secrets)

    def place(shown: Place) -> Place:
        for secret in secrets:
            shown = _blot(shown, secret.place)
        for word in words:  # the same secret once more, under another name
            if shown.text is not None and word in shown.text:
                shown = replace(shown, text=shown.text.replace(word, SIGN * len(word)))
        return shown

    def sentence(text: str) -> str:
        for word in words:
            text = text.replace(word, BLOT)
        return text

    return [
        replace(
            finding,
            message=sentence(finding.message),
            place=place(finding.place),
            arithmetic=tuple(map(sentence, finding.arithmetic)),
            help=None if finding.help is None else sentence(finding.help),
            based_on=tuple(map(sentence, finding.based_on)),
            related=tuple((place(where), sentence(words_)) for where, words_ in finding.related),
            waived=None if finding.waived is None else sentence(finding.waived),
        )
        for finding in findings
    ]
