"""What a secret looks like by itself, wherever it stands: tokens of known services, private keys, passwords in URLs."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@cache
def _shape() -> re.Pattern[str]:
    named = (f"(?P<s{index}>{shape})" for index, (_, shape) in enumerate(_SHAPES))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(named)})")


@cache
def _url_password() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9+.-]*://[^\s/:@]*:(?!\$)([^\s/@]+)@", re.IGNORECASE)


def kind_of_secret(text: str) -> str | None:
    """What secret a text holds by its shape ("a Hugging Face token"), None for none."""
    if len(text) >= _SHORTEST and (found := _shape().search(text)):
        return next(_SHAPES[int(name[1:])][0] for name, part in found.groupdict().items() if part is not None)
    if "://" in text and "@" in text and _url_password().search(text):
        return "a password in a URL"
    return None


def shaped_spans(text: str) -> Iterator[tuple[int, int]]:
    """From where to where secrets stand in a text by their shape."""
    if len(text) >= _SHORTEST:
        yield from (found.span() for found in _shape().finditer(text))
    if "://" in text and "@" in text:
        yield from (found.span(1) for found in _url_password().finditer(text))
