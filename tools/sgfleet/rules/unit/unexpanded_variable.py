"""A variable in the environment that nothing expands.

## What it does

Looks for `$NAME` and `${NAME}` in the values under `environment:`, such as the `$PATH` that a shell script would
have.

## Why

`Environment=` of systemd does not expand anything: the process gets the characters as they stand. A PATH that ends in
`:$PATH` lacks /usr/bin, and what SGLang calls by name (nvidia-smi, a compiler) is not found.

## Bad

```yaml
environment:
  PATH: /opt/sglang/bin:$PATH
```

## Good

```yaml
environment:
  PATH: /opt/sglang/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("UNT001", "unexpanded-variable", Severity.ERROR, "service")

_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def check(view: ServiceView) -> Iterator[Problem]:
    """Values with a variable in them."""
    for name, value in view.service.environment.items():
        if isinstance(value, str) and "$" in value and (found := _VARIABLE.search(value)):
            variable = found[1] or found[2]
            yield Problem(
                ("environment", name),
                f"{found[0]} in {name} stays as it is: systemd expands nothing in Environment=",
                help=f"write {_once(value.replace(found[0], _SYSTEM_PATH))}" if variable == name == "PATH"
                else f"write what {found[0]} stands for",
                based_on=("systemd.exec(5), Environment=",),
            )  # fmt: skip


def _once(path: str) -> str:
    """The folders of a PATH, each where it is looked into first."""
    return ":".join(dict.fromkeys(folder for folder in path.split(":") if folder))
