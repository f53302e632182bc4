"""What a secret looks like: by the name of the flag or variable that holds it, and by its own shape."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route

_WORDS: Final = "API[_-]?KEY|(?:ACCESS|SECRET|PRIVATE)[_-]KEY|SECRET|TOKEN|PASSWD|PASSWORD|PASSPHRASE|CREDENTIALS?"
_NAME: Final = re.compile(rf"(?:\A|[_-])(?:{_WORDS})(?:[_-](?:ID|VALUE|\d))?\Z|\AAPIKEY\Z", re.IGNORECASE)
_SHORTEST_NUMBER: Final = 100_000
"""A smaller number is a count (BYTES_PER_TOKEN), and no secret that would keep anybody out."""

_SHAPES: Final = (
    ("a Hugging Face token", r"hf_[A-Za-z0-9]{20,}"),
    ("an API key", r"sk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}"),
    ("a GitHub token", r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"),
    ("a GitLab token", r"glpat-[A-Za-z0-9_-]{20,}"),
    ("an AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    ("a Google API key", r"AIza[A-Za-z0-9_-]{35}"),
    ("a Slack token", r"xox[abprs]-[A-Za-z0-9-]{10,}"),
    ("an NVIDIA API key", r"nvapi-[A-Za-z0-9_-]{20,}"),
    ("a Weights & Biases key", r"wandb_v1_[A-Za-z0-9_-]{20,}"),
    ("a JSON web token", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("a private key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
)
_SHORTEST: Final = 16
"""No shape is shorter, and most texts in a spec are."""
_REFERENCE: Final = re.compile(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})")


@cache
def _shape() -> re.Pattern[str]:
    named = (f"(?P<s{index}>{shape})" for index, (_, shape) in enumerate(_SHAPES))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(named)})")


@cache
def _url_password() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:(?!\$)[^\s/@]+@", re.IGNORECASE)


@cache
def names_secret(name: str) -> bool:
    """Whether a flag or a variable of this name holds a secret: `api-key`, `HF_TOKEN`, `AWS_SECRET_ACCESS_KEY`."""
    return _NAME.search(name) is not None


def holds_secret(value: Any) -> bool:
    """Whether something that a secret's name stands for is there: text or a number, but no reference to a variable."""
    if isinstance(value, str):
        return bool(value.strip()) and _REFERENCE.fullmatch(value.strip()) is None
    return isinstance(value, int) and not isinstance(value, bool) and value >= _SHORTEST_NUMBER


def kind_of_secret(text: str) -> str | None:
    """What secret a text holds by its shape ("a Hugging Face token"), None for none."""
    if len(text) >= _SHORTEST and (found := _shape().search(text)):
        return next(_SHAPES[int(name[1:])][0] for name, part in found.groupdict().items() if part is not None)
    if "://" in text and "@" in text and _url_password().search(text):
        return "a password in a URL"
    return None


def texts(route: Route, value: Any) -> Iterator[tuple[Route, str]]:
    """Every text in a value, with the way to it."""
    if isinstance(value, str):
        yield route, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts((*route, key), item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from texts((*route, index), item)
