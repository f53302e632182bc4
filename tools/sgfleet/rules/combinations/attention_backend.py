"""An attention backend with a KV cache type or a phase that it does not serve.

## What it does

Finds FA3 with an FP8 KV cache in releases where models with latent attention (DeepSeek, Kimi) break on it, FA4 as the
only backend where it serves prefill alone, and TRT-LLM MLA with a KV cache type that it refuses.

## Why

The release accepts some of these and fails when it captures its graphs, after minutes of loading.

## Bad

```yaml
release: "0.4.5"
flags:
  attention-backend: fa3
  kv-cache-dtype: fp8_e4m3
```

## Good

```yaml
release: "0.4.5"
flags:
  attention-backend: flashinfer
  kv-cache-dtype: fp8_e4m3
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.combinations._rows import Row, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB042", "attention-backend", Severity.ERROR, "service")

_FLAG, _DTYPE = "attention-backend", "kv-cache-dtype"
_TRTLLM = ("fp8_e4m3", "fp4_e2m1", "bf16", "bfloat16", "auto")


def _fp8(args: Arguments) -> bool:
    return (args.text(_DTYPE) or "").startswith("fp8")


ROWS = (
    Row(_FLAG, lambda args: args.text(_FLAG) == "fa3" and _fp8(args),
        lambda args: f"fa3 with kv-cache-dtype {args.text(_DTYPE)} fails for models with latent attention",
        "use flashinfer or triton for such a model, or release 0.4.8.post1", until="0.4.8", others=(_DTYPE,),
        severity=Severity.WARNING),
    Row(_FLAG, lambda args: args.text(_FLAG) == "fa4", "fa4 serves prefill only in SGLang {release}",
        "write `prefill-attention-backend: fa4` in its place", since="0.5.4", until="0.5.7"),
    Row(_FLAG, lambda args: args.text(_FLAG) == "trtllm_mla" and args.text(_DTYPE) not in (None, *_TRTLLM),
        lambda args: f"trtllm_mla does not work with kv-cache-dtype {args.text(_DTYPE)}",
        "use fp8_e4m3 or auto", since="0.5.4", until="0.5.18", others=(_DTYPE,)),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """Backends that do not serve what is asked."""
    return judge(view, ROWS)
