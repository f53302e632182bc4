"""A text that the parser takes and the server refuses when it starts.

## What it does

Holds the values of flags that have no choices in the parser against the names that the release knows: the speculative
algorithm from 0.5.12, and the log levels of every release.

## Why

In these releases the parser no longer says so. The server does, with a traceback, after it has been imported.

## Bad

```yaml
release: "0.5.12"
flags:
  speculative-algorithm: EAGEL
```

## Good

```yaml
release: "0.5.12"
flags:
  speculative-algorithm: EAGLE
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG016", "late-choice", Severity.ERROR, "service")

ALGORITHMS: Final = {
    "EAGLE": "0.5.12",
    "EAGLE3": "0.5.12",
    "NEXTN": "0.5.12",
    "STANDALONE": "0.5.12",
    "NGRAM": "0.5.12",
    "DFLASH": "0.5.12",
    "FROZEN_KV_MTP": "0.5.12",
    "DSPARK": "0.5.16",
    "UNO": "0.5.20",
}
"""Name, in any case -> the first release without choices in its parser that knows it (srt/speculative/spec_info.py)."""

LEVELS: Final = ("critical", "error", "warning", "info", "debug")
"""Names that both logging and uvicorn know, in this spelling (srt/utils: the level is looked up in both)."""


def check(view: ServiceView) -> Iterator[Problem]:
    """Names that the release does not know."""
    args = arguments(view)
    if args is None:
        return
    release = view.service.release
    given = args.said("speculative-algorithm")
    if given is not None and given.flag.choices is None and isinstance(given.value, str):
        known = [name for name, since in ALGORITHMS.items() if between(release, since)]
        if given.value.upper() not in (*known, "NONE"):
            yield _problem(given.route, given.name, given.value, known, "srt/speculative/spec_info.py", release)
    for name in ("log-level", "log-level-http"):
        given = args.said(name)
        if (
            given is not None
            and isinstance(given.value, str)
            and given.flag.choices is None
            and given.value not in LEVELS
        ):
            yield _problem(given.route, name, given.value, LEVELS, "logging and uvicorn", release)


def _problem(
    route: tuple[str | int, ...], name: str, value: str, known: list[str] | tuple[str, ...], source: str, release: str
) -> Problem:
    from sgfleet.engine.argv.near import nearest

    near = nearest(value, known)
    return Problem(
        route,
        f"SGLang {release} knows no {name} {value!a}",
        help=f"did you mean {near[0]}?" if near else f"write one of {', '.join(known)}",
        based_on=(f"SGLang {release}, {source}",),
    )
