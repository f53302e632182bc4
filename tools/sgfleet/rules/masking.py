"""Keeps secrets out of findings: out of the lines that are shown, and out of every sentence.

What a secret is, names, places and shapes tell (spec/secrecy.py), and rules may say so of any other value
(`Problem.secret`). Its characters are blotted out in every finding of the same host, because two findings may show the
same line. Each character is replaced by one sign, so that columns stay true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.spec.secrecy import comment_spans, secret_spans, secrets_in
from sgfleet.spec.secret_words import SHORTEST, SHORTEST_OWN, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sgfleet.findings import Finding, Place
    from sgfleet.source.document import Document, Route

SIGN: Final = "\N{BULLET}"
BLOT: Final = SIGN * 3
"""What stands in a sentence in place of a secret, whatever its length."""


class Secret(NamedTuple):
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
        for start, end in secret_spans(place.text):
            where = place._replace(column=start + 1, end_line=place.line, end_column=end + 1)
            yield Secret(where, place.text[start:end])


def _blot(place: Place, secret: Place) -> Place:
    """`place` with the part of its line that belongs to the secret blotted out."""
    if place.text is None or place.path != secret.path or not secret.line <= place.line <= secret.end_line:
        return place
    start = secret.column - 1 if place.line == secret.line else 0
    end = secret.end_column - 1 if place.line == secret.end_line else len(place.text)
    end = max(start, min(end, len(place.text)))
    return place._replace(text=_spotted(place.text, start, end))


def _spotted(text: str, start: int, end: int) -> str:
    return text[:start] + SIGN * (end - start) + text[end:]


def _words(secrets: Iterable[Secret]) -> list[str]:
    """What must not occur in a sentence, the longest first, so that no part of a longer one is left over."""
    words = set()
    for secret in secrets:
        place = secret.place
        written = (
            place.text[place.column - 1 : place.end_column - 1] if place.text and place.line == place.end_line else ""
        )
        for word in (secret.text or "", written, written.strip("\"'")):
            if len(word) >= SHORTEST:
                words.add(word)
    return sorted(words, key=len, reverse=True)


def _meets(place: Place, secret: Place) -> bool:
    """Whether a finding is about the lines that a secret stands in."""
    first, last = place.line, max(place.line, place.end_line)
    return place.path == secret.path and first <= secret.end_line and secret.line <= last


def mask(findings: Sequence[Finding], secrets: Sequence[Secret]) -> list[Finding]:
    """The findings with every secret blotted out wherever it would be shown."""
    words = _words(secrets)

    def place(shown: Place) -> Place:
        if shown.text is None:
            return shown
        for start, end in comment_spans(shown.text):
            shown = shown._replace(text=_spotted(shown.text or "", start, end))
        for secret in secrets:
            shown = _blot(shown, secret.place)
        for word in words:  # the same secret once more, under another name
            if shown.text is not None and word in shown.text:
                shown = shown._replace(text=shown.text.replace(word, SIGN * len(word)))
        return shown

    return [_masked(finding, words, secrets, place) for finding in findings]


def _masked(
    finding: Finding, words: Sequence[str], secrets: Sequence[Secret], place: Callable[[Place], Place]
) -> Finding:
    own = [
        each.text
        for each in secrets
        if each.text and SHORTEST_OWN <= len(each.text) < SHORTEST and _meets(finding.place, each.place)
    ]

    def sentence(text: str) -> str:
        return without(text, words, own, BLOT)

    return finding._replace(
        message=sentence(finding.message),
        place=place(finding.place),
        arithmetic=tuple(map(sentence, finding.arithmetic)),
        help=None if finding.help is None else sentence(finding.help),
        based_on=tuple(map(sentence, finding.based_on)),
        related=tuple((place(where), sentence(words_)) for where, words_ in finding.related),
        route=tuple(sentence(step) if isinstance(step, str) else step for step in finding.route),
        waived=None if finding.waived is None else sentence(finding.waived),
    )
