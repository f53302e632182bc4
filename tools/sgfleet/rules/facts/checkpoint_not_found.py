"""A model's folder that was not found beside others.

## What it does

Looks up `model-path` among the checkpoints in the host's facts. Something is said only where the facts have another
checkpoint in the same parent folder: then somebody has looked there, and this one was not there.

## Why

A mistyped folder is no folder, and SGLang takes it for a model of the hub: after a minute of waiting for the network
the server ends with "not a valid repository". Where the old server was stopped first, nothing serves until then.

## Bad

```yaml
flags:
  model-path: /srv/models/Qwen3-8b
```
```yaml
# facts.yaml
gpus: []
memory: {}
checkpoints:
  - {path: /srv/models/Qwen3-8B}
```

## Good

```yaml
flags:
  model-path: /srv/models/Qwen3-8B
```
```yaml
# facts.yaml
gpus: []
memory: {}
checkpoints:
  - {path: /srv/models/Qwen3-8B}
```
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule
from sgfleet.spec.placeholder import MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("FCT005", "checkpoint-not-found", Severity.WARNING, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """A folder that is not among its neighbours."""
    args, facts = arguments(view), view.facts
    path = args.text("model-path") if args is not None else None
    if args is None or facts is None or not facts.checkpoints or path is None or not path.startswith("/"):
        return
    if path == MODEL:  # SRV013 says what it is
        return
    wanted = posixpath.normpath(path)
    found = [posixpath.normpath(each.path) for each in facts.checkpoints]
    beside = [each for each in found if posixpath.dirname(each) == posixpath.dirname(wanted)]
    if wanted in found:
        if why := facts.unknown.get(f"checkpoints.{path}") or facts.unknown.get(f"checkpoints.{wanted}"):
            yield Problem(
                args.route("model-path"),
                f"{quoted(path)} could not be read on {view.host}: {quoted(why)}",
                help="put the checkpoint right there, or run `sgfleet facts` again",
                based_on=(f"hosts/{view.host}/facts.yaml unknown",),
            )
        return
    if not beside:
        return
    from sgfleet.engine.argv.near import nearest

    near, plural = nearest(wanted, beside), "s" if len(beside) > 1 else ""
    yield Problem(
        args.route("model-path"),
        f"{quoted(path)} was not found on {view.host}: its folder has {len(beside)} other checkpoint{plural}",
        help=f"did you mean {near[0]}?" if near else "put the checkpoint there first, or run `sgfleet facts` again",
        based_on=(f"hosts/{view.host}/facts.yaml checkpoints",),
    )
