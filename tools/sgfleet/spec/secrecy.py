"""Which parts of a text or document must not be shown: by name, place and shape, before anything else is known.

A value is secret under a name that says so, under `secrets:` where the name of a variable should stand, in the place
of a file's or variable's name, and wherever it has the shape of one. Rules that know more of a service find more
(`Problem.secret`); this is what is known of a file that could not even be read as services.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.spec.secret_names import holds_secret, may_hold_secret
from sgfleet.spec.secret_shapes import shaped_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgfleet.findings import Place
    from sgfleet.source.document import Document, Part, Route

HIDDEN: Final = "(hidden)"
"""What a program's answer has in place of a secret."""

_PIECE: Final = re.compile(r"""[^\s"',}\]]+""")
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_FILE: Final = re.compile(
    r"[^=]*/[^=]*|[A-Za-z0-9_-]*\.(?:cfg|conf|config|env|environment|ini|list|secrets?|sh|txt|vars)"
)
"""A path, or the name of a file alone: what a secret has not."""
_COMMENT: Final = re.compile(r"(?:^|\s)#(.*)")
_SAID: Final = re.compile(r"[A-Za-z0-9_.-]+(?= *\S)")


class Hidden(NamedTuple):
    """Something in a document that is not shown: the way to it, which side of the entry it is, and its text.

    Where only a piece of the text is the secret, `text` is the piece; the whole is hidden all the same.
    """

    route: Route
    part: Part
    text: str


@cache
def _names() -> tuple[re.Pattern[str], ...]:
    """`name: `, `name=` and `--name `, up to where the value begins; compiled when first asked.

    A name is looked at once, from its first sign on: one long hostile word would take the square of its length.
    """
    return (
        re.compile(r"""(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]++)["']?\s*+[:=]\s*+["']?(?=\S)"""),
        re.compile(r"""(?<![A-Za-z0-9_-])--([A-Za-z][A-Za-z0-9_-]*+)["']?(?:[\s,]++["']?|=["']?)(?=[^\s-])"""),
    )


def begins(text: str) -> Iterator[int]:
    """Where values begin that are secret by the name before them: `api-key: x`, `HF_TOKEN=x`, `--api-key x`."""
    for pattern in _names() if "=" in text or ":" in text or "--" in text else ():
        for found in pattern.finditer(text):
            if may_hold_secret(found[1]) and not text.startswith("$", found.end()):
                yield found.end()


def secret_spans(text: str) -> list[tuple[int, int]]:
    """From where to where a line of text holds secrets. Behind a name that says so, it is all of the rest."""
    spans = list(shaped_spans(text))
    if first := min(begins(text), default=0):
        spans.append((first, len(text.rstrip())))
    return spans


def announces_secret(line: str) -> bool:
    """Whether a line of a command ends with the name of an option whose value, on the next line, is a secret."""
    word = line.rstrip(" \t\\").rpartition(" ")[2]
    return word.startswith("--") and "=" not in word and may_hold_secret(word)


def comment_spans(line: str) -> list[tuple[int, int]]:
    """The same for a line of YAML whose values are known: what its comment tells, and what has a secret's shape."""
    spans = list(shaped_spans(line))
    if "#" in line and (found := _COMMENT.search(line)):
        for word in _SAID.finditer(line, found.start(1)):
            if may_hold_secret(word[0]):
                return [*spans, (word.end(), len(line.rstrip()))]
    return spans


def secrets_in(document: Document) -> list[tuple[Place, str]]:
    """What is secret in a document, and where: no output shows it."""
    found = []
    for each in hidden_in(document.data):
        place = document.extent(each.route) if each.part == "value" else document.place(each.route, "key")
        found.append((place, each.text))
    return found


def hidden_in(data: Any, route: Route = (), *, secret: bool = False) -> Iterator[Hidden]:
    """What is secret in plain data. `secret`: all of it is."""
    if isinstance(data, dict):
        yield from _in_mapping(data, route, secret=secret)
    elif isinstance(data, list | tuple):
        before: Any = None
        for index, value in enumerate(data):
            named = (
                isinstance(before, str) and before.startswith("--") and "=" not in before and may_hold_secret(before)
            )
            yield from hidden_in(value, (*route, index), secret=secret or named)
            before = value
    elif secret:
        if holds_secret(data):
            yield Hidden(route, "value", str(data))
    elif isinstance(data, str):
        yield from (Hidden(route, "value", piece) for piece in _pieces(data))


def _in_mapping(data: dict[str, Any], route: Route, *, secret: bool) -> Iterator[Hidden]:
    for key, value in data.items():
        for piece in _pieces(key):
            yield Hidden((*route, key), "key", piece)
        if key == "secrets":
            yield from _references(value, (*route, key))
        elif key == "environment-files":
            yield from _where(value, (*route, key), lambda text: _FILE.fullmatch(text) is None)
        elif key == "environment" and not isinstance(value, dict):
            yield from hidden_in(value, (*route, key), secret=True)
        elif secret or may_hold_secret(key) or isinstance(value, dict | list | tuple):
            yield from hidden_in(value, (*route, key), secret=secret or may_hold_secret(key))
        elif isinstance(value, str):  # most of a file: without a generator for each
            for piece in _pieces(value):
                yield Hidden((*route, key), "value", piece)


def without_secrets(data: Any) -> Any:
    """Plain data with `HIDDEN` in place of every value and every name that is a secret."""
    hidden = {(each.route, each.part) for each in hidden_in(data)}
    return _without(data, (), hidden) if hidden else data


def _without(data: Any, route: Route, hidden: set[tuple[Route, Part]]) -> Any:
    if (route, "value") in hidden:
        return HIDDEN
    if isinstance(data, dict):
        return {
            HIDDEN if ((*route, key), "key") in hidden else key: _without(value, (*route, key), hidden)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [_without(value, (*route, index), hidden) for index, value in enumerate(data)]
    return data


def _is_option(word: Any) -> bool:
    return isinstance(word, str) and word.startswith("--") and "=" not in word and may_hold_secret(word)


def _references(value: Any, route: Route) -> Iterator[Hidden]:
    """Under `secrets:` stand names of variables; whatever else stands there may be the secret itself."""
    if isinstance(value, dict):
        for key, one in value.items():
            if isinstance(one, int | float) and not isinstance(one, bool):  # however small: no name is a number
                yield Hidden((*route, key), "value", str(one))
            yield from _where(one, (*route, key), lambda text: _VARIABLE.fullmatch(text) is None)
    else:
        yield from hidden_in(value, route, secret=True)


def _where(value: Any, route: Route, is_wrong: Callable[[str], bool]) -> Iterator[Hidden]:
    if isinstance(value, str):
        yield from hidden_in(value, route, secret=is_wrong(value))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _where(item, (*route, index), is_wrong)
    else:
        yield from hidden_in(value, route, secret=True)


@lru_cache(maxsize=4096)
def _pieces(text: str) -> tuple[str, ...]:
    """The secrets inside a text that is none as a whole. Hosts of a fleet have most of their texts in common."""
    named = (found[0] for start in begins(text) if (found := _PIECE.match(text, start)))
    return (*named, *(text[start:end] for start, end in shaped_spans(text)))
