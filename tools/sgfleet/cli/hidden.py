"""A verdict on a command line without the secrets that stand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.engine.argv.outcome import Parsed
from sgfleet.engine.argv.parser import parser_of
from sgfleet.spec.secrecy import HIDDEN, without_secrets
from sgfleet.spec.secret_names import may_hold_secret
from sgfleet.spec.secret_words import SHORTEST, SHORTEST_OWN, without

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.engine.argv.outcome import Outcome
    from sgfleet.engine.release import Release


def shown_words(release: Release, words: Sequence[str]) -> list[str]:
    """The words of a command line with `HIDDEN` in place of secrets: values of secret flags, secrets inside values."""
    places = dict(_secrets(release, words))
    secrets = {words[index][start:] for index, start in places.items()}
    shown = [HIDDEN if word in secrets and len(word) >= SHORTEST_OWN else word for word in words]
    for index, start in places.items():
        shown[index] = f"{words[index][:start]}{HIDDEN}"
    return list(without_secrets(shown))


def shown_outcome(release: Release, words: Sequence[str], outcome: Outcome, *, inside: bool) -> Outcome:
    """The outcome without values of secret flags. `inside`: and without what looks like a secret in other values."""
    secrets = {words[index][start:] for index, start in _secrets(release, words)} - {""}
    if isinstance(outcome, Parsed):
        named = [each for each in outcome.given if may_hold_secret(each.flag.name)]
        secrets |= {each.value for each in named if isinstance(each.value, str) and each.value}
        if not secrets and not inside:
            return outcome
        flags = {each.flag.dest for each in named}
        values = {name: HIDDEN if may_hold_secret(name) else value for name, value in outcome.values.items()}
        namespace = {dest: HIDDEN if dest in flags else value for dest, value in outcome.namespace.items()}
        notes = tuple(
            note._replace(message=_sentence(note.message, secrets), help=_sentence(note.help, secrets))
            for note in outcome.notes
        )
        return outcome._replace(values=without_secrets(values) if inside else values, namespace=namespace, notes=notes)
    message = _sentence(outcome.message, secrets)
    return outcome._replace(message=message, help=_sentence(outcome.help, secrets))


def _sentence(text: Any, secrets: set[str]) -> Any:
    if text is None:
        return None
    long = sorted((word for word in secrets if len(word) >= SHORTEST), key=len, reverse=True)
    return without(text, long, [word for word in secrets if len(word) < SHORTEST], HIDDEN)


def _secrets(release: Release, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Which words are secret, and from which character on: all behind an option that holds one."""
    parser = parser_of(release)
    secret = False
    for index, word in enumerate(words):
        if not word.startswith("--"):
            if secret:
                yield index, 0
            continue
        option, equals, _ = word.partition("=")
        names = {option, *(each for each in parser.options if each.startswith(option) and option != "--")}
        secret = any(map(may_hold_secret, names)) if len(names) < _FEW else may_hold_secret(option)
        if secret and equals:
            yield index, len(option) + 1
            secret = False


_FEW = 12
"""So many options may begin with a word that was cut short; a shorter word says nothing of what it holds."""
