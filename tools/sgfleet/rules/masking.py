"""Keeps secrets out of findings: out of the lines that are shown, and out of every sentence.

A rule says where a secret stands (`Problem.secret`). Its characters are then blotted out in every finding of the same
host, because two findings may show the same line. Each character is replaced by one sign, so that columns stay true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgfleet.findings import Finding, Place

SIGN: Final = "\N{BULLET}"
BLOT: Final = SIGN * 3
"""What stands in a sentence in place of a secret, whatever its length."""

_SHORTEST: Final = 4
"""A shorter text is too common to be searched for in sentences: `1` is no secret that could be kept."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands, and its text when it is known."""

    place: Place
    text: str | None = None


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
