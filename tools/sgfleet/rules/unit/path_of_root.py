"""A path in root's home for a service that does not run as root.

## What it does

Looks for /root in `python`, `working-directory` and the paths of models where `user` is not root.

## Why

/root is closed to others. systemd cannot execute the interpreter (status 203) or enter the folder (200), and a model
below it is not found.

## Bad

```yaml
user: sglang
python: /root/ml-env/bin/python3
```

## Good

```yaml
user: sglang
python: /opt/ml-env/bin/python3
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route, ServiceView

RULE = Rule("UNT013", "path-of-root", Severity.WARNING, "service")

_FLAGS = (
    "model-path",
    "model",
    "tokenizer-path",
    "speculative-draft-model-path",
    "speculative-draft-model",
    "chat-template",
)


def check(view: ServiceView) -> Iterator[Problem]:
    """Paths below /root."""
    if view.service.user != "root":
        for route, path in _paths(view):
            if path == "/root" or path.startswith("/root/"):
                yield Problem(
                    route,
                    f"{quoted(path)} is root's own: {view.service.user} cannot read it",
                    help="move it out of /root, or write `user: root`",
                    based_on=("the mode of /root, 0700",),
                    related=((("user",), "the account"),),
                )


def _paths(view: ServiceView) -> Iterator[tuple[Route, str]]:
    service = view.service
    yield ("python",), service.python
    if service.working_directory is not None:
        yield ("working-directory",), service.working_directory
    for name in _FLAGS:
        value = service.flags.get(name)
        if isinstance(value, str):
            yield ("flags", name), value
