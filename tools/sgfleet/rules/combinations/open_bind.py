"""A server that anybody who reaches the host may use.

## What it does

Finds a `host` other than the loopback address where neither `api-key` is given nor kept under `secrets:`.

## Why

SGLang's HTTP server has no other lock. Whoever reaches the port may generate, flush caches, and in some releases read
the arguments of the server and load other weights. `host: 0.0.0.0` listens on every network that the machine has.

## Bad

```yaml
flags:
  host: 0.0.0.0
```

## Good

The key is kept on the host.

```yaml
flags:
  host: 0.0.0.0
secrets:
  api-key: CHAT_API_KEY
environment-files: [/etc/sglang/secrets.env]
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.flags.unbindable_host import unbindable
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB043", "open-bind", Severity.WARNING, "service")

_LOOPBACK = re.compile(r"localhost|127\.[0-9.]+|::1|::ffff:127\.[0-9.]+")


def check(view: ServiceView) -> Iterator[Problem]:
    """An address that others reach, and no key."""
    args = arguments(view)
    host = args.text("host") if args is not None else None
    if args is None or host is None or _LOOPBACK.fullmatch(host) or unbindable(host) is not None:
        return
    if args.said("api-key") is not None:
        return
    everywhere = host in ("0.0.0.0", "0", "::", "*", "")  # noqa: S104  # the value that is warned of
    yield Problem(
        args.route("host"),
        f"host {host!a} listens on {'every network of this host' if everywhere else 'a network'} without an API key",
        help="add `secrets: {api-key: VARIABLE}` with an environment file, or bind to 127.0.0.1 behind a proxy",
        based_on=(f"SGLang {view.service.release}: no api-key, no lock",),
    )
