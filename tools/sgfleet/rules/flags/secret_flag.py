"""A secret in clear under `flags:`.

## What it does

Looks for values of flags that hold a secret by their name: `api-key`, `admin-api-key`, `ssl-keyfile-password`, and
whatever a release calls a key, token or password; and for such names inside a mapping or JSON that a flag takes. The
value itself is not shown.

## Why

What stands in a spec stands in every clone of the repository, in its history and in the rendered unit. No release of
SGLang reads its API keys from a file or a variable of its own: they are flags. `secrets:` names the variable, the
host keeps its value in an environment file that only root reads, and systemd puts it on the command line.

## Bad

```yaml
flags:
  api-key: correct-horse-battery-staple
```

## Good

```yaml
secrets:
  api-key: CHAT_API_KEY
environment-files: [/etc/sglang/secrets.env]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.secret_names import holds_secret, names_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route, ServiceView

RULE = Rule("FLG015", "secret-flag", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Values of flags whose name says that they are secret, and of names inside them."""
    for name, value in view.service.flags.items():
        if names_secret(name):
            if holds_secret(value) or (isinstance(value, list | dict) and value):
                yield _in_clear(view, name)
        elif isinstance(value, dict | list):
            yield from (_inside(view, name, route) for route in _named(value, ()))
        elif isinstance(value, str) and value.lstrip().startswith(("{", "[")):
            yield from _in_text(view, name, value)


def _in_clear(view: ServiceView, name: str) -> Problem:
    flag = _declared(view, name)
    variable = flag.replace("-", "_").upper()
    return Problem(
        ("flags", name),
        f"{quoted(name)} is a secret in clear",
        help=f"keep it on the host: `secrets: {{{flag}: {variable}}}` instead of this line, with {variable} in one of"
        " `environment-files`; and replace the value: this one is known",
        based_on=(f"the name {name}",),
        secret=True,
    )


def _declared(view: ServiceView, written: str) -> str:
    """The flag's name as the release declares it, where it is only spelt in another way."""
    name = written.strip("-").replace("_", "-")
    lower = name.lower()
    if view.release is None or name in view.release.by_name:
        return name
    return lower if lower in view.release.by_name else name


def _inside(view: ServiceView, name: str, route: Route) -> Problem:
    """A secret inside JSON has no flag of its own: only the whole of it can come from a variable."""
    inner = quoted(str(route[-1]))
    variable = name.replace("-", "_").upper()
    flag = view.release.by_name.get(name) if view.release is not None else None
    whole = f"keep all of the JSON on the host: `secrets: {{{name}: {variable}}}`, with {variable} in one of"
    return Problem(
        ("flags", name, *route),
        f"{inner} in {quoted(name)} is a secret in clear",
        help=f"{f'{whole} `environment-files`' if flag is not None and flag.type == 'str' else f'remove {inner}'};"
        " and replace the value: this one is known",
        based_on=(f"the name {inner}",),
        secret=True,
    )


def _named(value: Any, route: Route) -> Iterator[Route]:
    """The ways to secrets inside a value."""
    if isinstance(value, dict):
        for key, one in value.items():
            if isinstance(key, str) and names_secret(key) and holds_secret(one):
                yield (*route, key)
            else:
                yield from _named(one, (*route, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _named(one, (*route, index))


def _in_text(view: ServiceView, name: str, text: str) -> Iterator[Problem]:
    """The same for JSON that stands as text."""
    import json

    try:
        found = next(_named(json.loads(text), ()), None)
    except (ValueError, RecursionError):
        return
    if found is not None:
        yield _inside(view, name, found)._replace(route=("flags", name))
