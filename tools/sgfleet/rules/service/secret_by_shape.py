"""Text that has the shape of a secret.

## What it does

Looks for tokens of known services (Hugging Face, GitHub, AWS, OpenAI and others), JSON web tokens, private keys and
passwords in URLs: in the values of flags and variables, and in `why`. The text is not shown.

## Why

A token that is pasted into a path, a JSON value or an explanation is as public as one under its own name.

## Bad

```yaml
flags:
  model-path: https://reader:correct-horse@models.example/qwen3
```

## Good

```yaml
flags:
  model-path: /srv/models/qwen3
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.findings import Severity
from sgfleet.rules.credentials import texts
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.secret_names import names_secret
from sgfleet.spec.secret_shapes import kind_of_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route, ServiceView

RULE = Rule("SRV009", "secret-by-shape", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Texts that are a secret wherever they stand."""
    service = view.service
    places: list[tuple[Route, Any]] = [
        (("flags", name), value) for name, value in service.flags.items() if not names_secret(name)
    ]
    places += [(("environment", name), value) for name, value in service.environment.items() if not names_secret(name)]
    places += [(("secrets", name), variable) for name, variable in service.secrets.items()]
    if service.why:
        places.append((("why",), service.why))
    for start, value in places:
        for route, text in texts(start, value):
            kind = kind_of_secret(text)
            if kind is not None:
                yield Problem(
                    route,
                    f"this looks like {kind}",
                    help="keep it on the host, in one of `environment-files`, and replace it: this one is known",
                    based_on=("its shape",),
                    secret=True,
                )
