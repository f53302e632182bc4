"""A model outside the folders that the fleet's policy allows.

## What it does

Compares the paths of the model, its tokenizer, the draft model and LoRA adapters with `policy: {allowed-models: }`,
component by component. A path with `..` lies nowhere, and a name of a hub is no folder. An empty list allows any.

## Why

A checkpoint may bring code of its own, and a name of a hub is fetched from the network at every start: hundreds of
GiB, of whatever version is there that day.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
```
```yaml
policy:
  allowed-models: [/srv/models]
```

## Good

```yaml
flags:
  model-path: /srv/models/Qwen3-8B
```
```yaml
policy:
  allowed-models: [/srv/models]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sgfleet.findings import Severity
from sgfleet.rules.policy._paths import lies_in
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import Route, ServiceView

RULE = Rule("POL004", "allowed-model", Severity.ERROR, "service")

_FLAGS = (
    "model-path", "model", "tokenizer-path", "speculative-draft-model-path", "speculative-draft-model", "lora-paths",
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Models from elsewhere."""
    allowed = view.policy.allowed_models
    if not allowed:
        return
    for name in _FLAGS:
        for route, path in _texts(("flags", name), view.service.flags.get(name)):
            if not lies_in(path, allowed):
                if ".." in path.split("/"):
                    message = f"{quoted(path)} has .. in it: where it leads is not decided"
                elif path.startswith("/"):
                    message = f"the policy does not allow {quoted(path)}"
                else:
                    message = f"{quoted(path)} is no folder, and the policy allows folders only"
                yield Problem(
                    route,
                    message,
                    help=f"write a path below {' or '.join(allowed)}",
                    based_on=("fleet.yaml policy.allowed-models",),
                )


def _texts(route: Route, value: Any) -> Iterator[tuple[Route, str]]:
    """The paths in a flag's value: text, `name=path`, or a mapping with `lora_path`."""
    if isinstance(value, str):
        yield route, value if route[1] != "lora-paths" else value.partition("=")[2] or value
    elif isinstance(value, dict) and isinstance(value.get("lora_path"), str):
        yield (*route, "lora_path"), value["lora_path"]
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts((*route, index), item)
