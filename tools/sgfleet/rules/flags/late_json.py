"""JSON that the parser lets pass and the server cannot use when it starts.

## What it does

Reads the text of every flag that the server itself reads as JSON, such as `json-model-override-args`,
`model-loader-extra-config` and `kv-events-config`, and looks whether it is JSON and of the form that is used: an
object, or a list where several values are meant. Where a release also takes the name of a file, a name is left alone.

## Why

To the parser these flags are text. The server reads them later, some only after the weights are loaded, and fails
with a traceback. A mapping in YAML becomes JSON by itself and cannot be mistyped.

## Bad

```yaml
flags:
  json-model-override-args: "{max_position_embeddings: 131072}"
```

## Good

```yaml
flags:
  json-model-override-args: {max_position_embeddings: 131072}
```
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Given
    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG018", "late-json", Severity.ERROR, "service")

_JSON_TYPES: Final = frozenset(("json.loads", "json_list_type"))

_OFF_WHEN_EMPTY: Final = frozenset((
    "deepep-config", "hicache-storage-backend-extra-config", "kv-events-config", "limit-mm-data-per-request",
    "model-loader-extra-config", "preferred-sampling-params", "radix-eviction-policy-config",
))  # fmt: skip
"""The server takes empty text, and an empty value, for nothing given."""

_NOT_ALWAYS_JSON: Final = {
    "deepep-config": "0.4.6.post5",
    "disaggregation-ib-device": "0.5.6",
    "init-expert-location": "0.4.6.post5",
    "mooncake-ib-device": "0.5.6",
}
"""Flags that take other text than JSON as well (a file, a name) -> the first release that reads JSON there.

Sources: srt/layers/moe/token_dispatcher/deepep.py, srt/eplb/expert_location.py, mooncake_transfer_engine.py."""

_FILE: Final = ("hicache-storage-backend-extra-config", "@", "0.5.9")
"""This flag takes `@file` from this release on (srt/mem_cache/hiradix_cache.py)."""

_MODALITIES: Final = ("image", "video", "audio")


def check(view: ServiceView) -> Iterator[Problem]:
    """JSON that is none, or of another form."""
    args = arguments(view)
    if args is None:
        return
    for given in args.given.values():
        flag = given.flag
        if flag.takes_json or flag.type in _JSON_TYPES or flag.name in _NOT_ALWAYS_JSON:
            yield from _late(view, given)


def _late(view: ServiceView, given: Given) -> Iterator[Problem]:
    name, value, release = given.flag.name, given.value, view.service.release
    if value is None or _passes(name, value, release):
        return
    if isinstance(value, str) and given.flag.type not in _JSON_TYPES:
        try:
            value = json.loads(value)
        except RecursionError:
            yield _problem(given, release, "is nested too deeply", None)
            return
        except ValueError as error:
            yield _problem(given, release, "holds no JSON", _help(given, error))
            return
    wanted = list if given.flag.type == "json_list_type" else dict
    if not isinstance(value, wanted):
        form = "a list" if wanted is list else "a mapping"
        yield _problem(given, release, f"takes {form} in JSON, not {_kind(value)}", f"write {form}, not text")
    elif name == "limit-mm-data-per-request" and (odd := [key for key in value if key not in _MODALITIES]):
        yield _problem(given, release, f"has no {quoted(str(odd[0]))}", f"write one of {', '.join(_MODALITIES)}")


def _passes(name: str, value: Any, release: str) -> bool:
    """Whether the value is none that the server reads as JSON."""
    if value in ("", [], {}) and name in _OFF_WHEN_EMPTY:
        return True
    if not isinstance(value, str):
        return False
    if name in _NOT_ALWAYS_JSON:
        return not value.lstrip().startswith(("{", "[")) or not between(release, _NOT_ALWAYS_JSON[name])
    return name == _FILE[0] and value.startswith(_FILE[1]) and between(release, _FILE[2])


def _help(given: Given, error: ValueError) -> str:
    """Where the JSON ends to be JSON, and how to write it without JSON."""
    place = f"; it ends to be JSON at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
    return f"write a mapping, such as `{given.name}: {{key: value}}`{place}"


def _problem(given: Given, release: str, what: str, help_: str | None) -> Problem:
    return Problem(
        given.route, f"{quoted(given.name)} {what}", help=help_, based_on=(f"what SGLang {release} reads as JSON",)
    )


def _kind(value: Any) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "a mapping"}
    return kinds.get(type(value), "null")
