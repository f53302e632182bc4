"""Experts on several GPUs, with something that they need and do not have.

## What it does

Holds the flags of mixture-of-experts models against each other: load balancing (`enable-eplb`), two-batch overlap,
the all-to-all backend, the kernels (`moe-runner-backend`) with their quantisation and expert sizes, and
`moe-dense-tp-size`.

## Why

SGLang exits with an AssertionError, some of them empty, when it resolves its arguments.

## Bad

```yaml
flags:
  tp-size: 8
  enable-eplb: true
```

## Good

```yaml
flags:
  tp-size: 8
  ep-size: 8
  enable-eplb: true
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.arguments import between
from sgfleet.rules.combinations._rows import Row, attention_dp, judge
from sgfleet.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import Problem, ServiceView

RULE = Rule("CMB022", "expert-parallelism", Severity.ERROR, "service")

_RUNNER, _A2A = "moe-runner-backend", "moe-a2a-backend"
_FORCING = ("deepep", "mooncake", "nixl", "mori", "ascend_fuseep", "flashinfer", "megamoe")
"""All-to-all backends with which the release sets ep-size to tp-size."""


_OLD_FLAGS = ("enable-ep-moe", "enable-deepep-moe")
"""What turned expert parallelism on before 0.4.10.post2, and until 0.5.2 as well."""


def _old(args: Arguments) -> bool:
    return any(args.on(name) for name in _OLD_FLAGS)


def _no_a2a(args: Arguments) -> bool:
    return args.text(_A2A) in (None, "none") and not args.on("enable-deepep-moe")


def _one_group(args: Arguments) -> bool:
    return (args.integer("ep-size") or 1) == 1 and args.text(_A2A) not in _FORCING and not _old(args)


def _partial_dp(args: Arguments) -> bool:
    """FlashInfer's all-to-all without one way of attention data parallelism for each rank."""
    tp = args.integer("tp-size")
    return args.text(_A2A) == "flashinfer" and tp is not None and attention_dp(args) != tp


def _runs(args: Arguments, runner: str, *quantizations: str | None) -> bool:
    """The runner is set and the quantisation is none of those that it knows; None stands for no `quantization`."""
    return args.text(_RUNNER) == runner and args.text("quantization") not in quantizations


class Kernel(NamedTuple):
    """In which releases a runner knows which quantisations; None stands for no `quantization`."""

    runner: str
    quantizations: tuple[str | None, ...]
    releases: tuple[str, str | None]

    @property
    def row(self) -> Row:
        """What is said of the others."""
        return Row(
            _RUNNER,
            lambda args: _runs(args, self.runner, *self.quantizations),
            lambda args: f"{self.runner} does not work with {_quantization(args)} in SGLang {{release}}",
            f"quantization may be {', '.join(filter(None, self.quantizations))}; or use moe-runner-backend auto",
            since=self.releases[0],
            until=self.releases[1],
            others=("quantization",),
            hook="moe_hook",
        )


_CUTLASS, _TRTLLM = "flashinfer_cutlass", "flashinfer_trtllm"
_KERNELS = (
    Kernel(_CUTLASS, ("modelopt_fp4",), ("0.5.1", "0.5.5.post3")),
    Kernel(_CUTLASS, ("modelopt_fp4", "modelopt_fp8", "nvfp4_online", None), ("0.5.6", None)),
    Kernel(_TRTLLM, ("modelopt_fp4", "fp8"), ("0.5.2", "0.5.4.post1")),
    Kernel(_TRTLLM, ("modelopt_fp4", "fp8", "modelopt_fp8"), ("0.5.4.post2", "0.5.6.post2")),
    Kernel(_TRTLLM, ("modelopt_fp4", "fp8", "modelopt_fp8", "compressed-tensors", None), ("0.5.7", "0.5.13.post1")),
    Kernel(_TRTLLM, ("modelopt_fp4", "fp8", "modelopt_fp8", "modelopt_mixed", "compressed-tensors", "nvfp4_online",
                     "mxfp8", "mxfp4", None), ("0.5.14", None)),
)  # fmt: skip


def _exchange(*runners: str, since: str, until: str | None = None) -> Row:
    """The runners that take what FlashInfer's all-to-all brings."""
    return Row(
        _A2A,
        lambda args: args.text(_A2A) == "flashinfer" and args.text(_RUNNER) not in runners,
        f"moe-a2a-backend flashinfer needs moe-runner-backend {' or '.join(runners)}",
        lambda args: _runner_help(args, runners),
        since=since,
        until=until,
        others=(_RUNNER,),
        hook="moe_hook",
    )


def _runner_help(args: Arguments, runners: tuple[str, ...]) -> str:
    """The first of the runners that works with the quantisation too."""
    for runner in runners:
        kernels = [row for row in _KERNELS if row.runner == runner and between(args.release.version, *row.releases)]
        if all(args.text("quantization") in row.quantizations for row in kernels):
            return f"write `{_RUNNER}: {runner}`"
    return f"remove {_A2A}: no such runner works with {_quantization(args)}"


def _quantization(args: Arguments) -> str:
    name = args.text("quantization")
    return "no quantization" if name is None else f"quantization {name}"


ROWS = (
    Row("enable-eplb", lambda args: not _old(args), "enable-eplb needs enable-ep-moe or enable-deepep-moe",
        "add `enable-ep-moe: true`", since="0.4.9.post5", until="0.4.10.post1"),
    Row("enable-eplb", _one_group, "enable-eplb needs ep-size above 1",
        lambda args: f"write `ep-size: {args.integer('tp-size')}`" if (args.integer("tp-size") or 1) > 1
        else "remove enable-eplb: one rank has no experts to balance", since="0.4.10.post2", hook="moe_hook"),
    Row("enable-two-batch-overlap", _no_a2a, "enable-two-batch-overlap needs a moe-a2a-backend",
        "add `moe-a2a-backend: deepep`", since="0.5.7", until="0.5.14"),
    Row("enable-two-batch-overlap", lambda args: _no_a2a(args) and attention_dp(args) == 1,
        "enable-two-batch-overlap needs a moe-a2a-backend, or attention data parallelism",
        "add `moe-a2a-backend: deepep`", since="0.5.15"),
    _exchange("flashinfer_cutlass", since="0.5.9", until="0.5.12.post1"),
    _exchange("flashinfer_cutlass", "flashinfer_cutedsl", since="0.5.13", until="0.5.14"),
    _exchange("flashinfer_cutlass", "flashinfer_cutedsl", "flashinfer_trtllm_routed", since="0.5.15", until="0.5.18"),
    _exchange("flashinfer_cutlass", "flashinfer_cutedsl", "flashinfer_trtllm", "flashinfer_trtllm_routed", "deep_gemm",
              since="0.5.19"),
    Row(_A2A, _partial_dp, "moe-a2a-backend flashinfer needs attention data parallelism over all of tp-size",
        lambda args: f"add `enable-dp-attention: true` and `dp-size: {args.integer('tp-size')}`",
        since="0.5.13", until="0.5.21", others=("tp-size", "dp-size"), hook="moe_hook"),
    Row(_A2A, _partial_dp, "moe-a2a-backend flashinfer needs attention data parallelism over all of tp-size",
        lambda args: f"add `attn-dp-size: {args.integer('tp-size')}`", since="0.5.22", until="0.5.22",
        others=("tp-size", "attn-dp-size"), hook="moe_hook"),
    *(kernel.row for kernel in _KERNELS),
    Row(_RUNNER, lambda args: args.text(_RUNNER) == "flashinfer_cutlass"
        and args.integer("tp-size") is not None
        and args.integer("ep-size") not in (None, 1, args.integer("tp-size")) and args.text(_A2A) not in _FORCING,
        "flashinfer_cutlass needs ep-size 1 or the tp-size", lambda args: f"write ep-size {args.integer('tp-size')}",
        since="0.5.6", others=("ep-size",), hook="moe_hook"),
    Row(_RUNNER, lambda args: args.text(_RUNNER) == "cutlass" and args.text("quantization") == "fp8"
        and (args.integer("ep-size") or 1) > 1,
        "moe-runner-backend cutlass with FP8 needs ep-size 1", "remove ep-size, or use another runner",
        since="0.5.4.post3", others=("ep-size",), hook="moe_hook"),
    Row("moe-dense-tp-size", lambda args: args.integer("moe-dense-tp-size") not in (None, 1),
        "moe-dense-tp-size can only be 1", "write 1, or remove it", since="0.4.5.post2", until="0.5.12.post1"),
    Row("moe-dense-tp-size", lambda args: args.integer("moe-dense-tp-size") not in (None, 1, args.integer("tp-size")),
        "moe-dense-tp-size can only be 1 or the tp-size", "write 1, or remove it", since="0.5.13"),
    Row("speculative-moe-runner-backend",
        lambda args: args.text("speculative-moe-runner-backend") == "flashinfer_trtllm",
        "flashinfer_trtllm does not run draft models", "use triton", since="0.5.7", until="0.5.11"),
)  # fmt: skip


def check(view: ServiceView) -> Iterator[Problem]:
    """What experts need."""
    return judge(view, ROWS)
