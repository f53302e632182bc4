"""Whether a name says that a secret stands under it: of a flag, of a variable, of a key inside JSON."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""`HF_TOKEN`, `api-key`, `API KEY` and `apiKey` by their words."""

_ALONE: Final = frozenset((
    "apikey", "credential", "credentials", "passcode", "passphrase", "passwd", "password", "secret",
))  # fmt: skip
"""Words that say it by themselves, when nothing but a number follows."""
_WITH_OTHERS: Final = frozenset(("pass", "pat", "pwd"))
"""Words that say it behind another one: DB_PASS. PWD alone is the folder that a process stands in."""
_KEYS: Final = frozenset((
    "access", "account", "admin", "api", "auth", "encryption", "license", "master", "private", "secret", "signing",
))  # fmt: skip
"""Words that make a secret of the `key` behind them; a key of JSON is none."""
_TOKENS_OF_TEXT: Final = frozenset((
    "audio", "begin", "bos", "cls", "draft", "end", "eos", "first", "image", "input", "inter", "last", "mask", "max",
    "min", "new", "next", "num", "output", "pad", "per", "sep", "special", "start", "stop", "think", "tool", "unk",
    "video",
))  # fmt: skip
"""Words that make a piece of text of the `token` behind them: what a model reads and writes."""
_BEHIND: Final = frozenset({"id", "value"})
"""Words that may follow: AWS_ACCESS_KEY_ID."""

_MISTAKEN: Final = ("apikey", "adminapikey", "password", "passphrase", "hftoken", "accesstoken", "secret")
"""Names that people mistype; without their dashes."""
_ALIKE: Final = 0.8


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


@cache
def names_secret(name: str) -> bool:
    """Whether a flag or a variable of this name holds a secret: `api-key`, `HF_TOKEN`, `AWS_SECRET_ACCESS_KEY`.

    Not `max-total-tokens`, `eos_token` or `API_KEY_FILE`: they count tokens, name a piece of text, or say where.
    """
    words = _words(name)
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _BEHIND):
        words.pop()
    if not words:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _ALONE:
        return True
    if last == "token":
        return before not in _TOKENS_OF_TEXT
    return (last in _WITH_OTHERS and before != "") or (last == "key" and before in _KEYS)


@cache
def may_hold_secret(name: str) -> bool:
    """Whether a value under this name is better not shown: also `key`, `auth` and `tokens`' neighbours, and `api-keyy`.

    For what is printed, not for what is reported: what is hidden for nothing costs less than what is shown once.
    """
    if names_secret(name):
        return True
    words = _words(name)
    if not words:
        return False
    if any(word in _ALONE for word in words) or words[-1] in {"auth", "key", "pass", "bearer"}:
        return True
    plain = "".join(words)
    return any(_alike(plain, known) for known in _MISTAKEN)


def _alike(word: str, known: str) -> bool:
    from difflib import SequenceMatcher

    if abs(len(word) - len(known)) > 2 or word == "tokens":
        return False
    return SequenceMatcher(None, word, known, autojunk=False).ratio() >= _ALIKE


_SHORTEST_NUMBER: Final = 100_000
"""A smaller number is a count (BYTES_PER_TOKEN), and no secret that would keep anybody out."""
_REFERENCE: Final = re.compile(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})")


def holds_secret(value: Any) -> bool:
    """Whether something that a secret's name stands for is there: text or a number, but no reference to a variable."""
    if isinstance(value, str):
        return bool(value.strip()) and _REFERENCE.fullmatch(value.strip()) is None
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= _SHORTEST_NUMBER
