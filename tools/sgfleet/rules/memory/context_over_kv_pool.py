"""A context that does not fit into the KV pool.

## What it does

Compares `context-length` with the KV tokens that the budget comes to, or that a start was observed to have. Where only
the model's own context length says more, it is a note.

## Why

A request as long as the context that is promised can then never be served: it is cut or refused, though the flag says
that it fits.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  context-length: 40960
  mem-fraction-static: 0.45
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-8B
  context-length: 40960
  mem-fraction-static: 0.85
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 270000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.memory._budget import gib, known, sources
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM004", "context-over-kv-pool", Severity.WARNING, "machine")


def check(view: MachineView) -> Iterator[Problem]:
    """One request of the whole context."""
    found = known(view)
    if found is None:
        return
    budget, asked = found.budget, found.service.settings.context_length
    context = asked or found.service.load.shape.context_length
    limit = found.service.settings.max_total_tokens
    if not context or not 0 < budget.tokens < context or (asked and limit and limit < asked):
        return
    origin = "measured" if budget.measured_tokens else "computed"
    from sgfleet.memory.units import tokens_within

    surely = budget.tokens + budget.error_tokens < context
    yield Problem(
        found.args.route("context-length"),
        f"one request of {context:,} tokens {'does' if surely else 'may'} not fit into"
        f" {tokens_within(budget.tokens, budget.error_tokens)} KV tokens",
        arithmetic=(
            f"KV pool {gib(budget.pools.kv_bytes)} a rank, {origin}",
            f"a whole context takes {gib(context * budget.pools.bytes_a_token)}",
        ),
        help=_help(budget.tokens - budget.error_tokens),
        based_on=(*sources(view, budget), *(() if asked else ("the model's own context length",))),
        severity=None if asked else Severity.NOTE,
    )


def _help(tokens: int) -> str:
    larger = "a higher mem-fraction-static, more GPUs or an FP8 KV cache make the pool larger"
    return f"a context-length up to {tokens:,} fits; {larger}" if tokens > 0 else larger
