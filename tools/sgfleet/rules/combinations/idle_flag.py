"""A flag that does nothing because of another one.

## What it does

Finds flags of a feature that is not turned on (the hierarchical cache, speculative decoding, LoRA, disaggregation,
load balancing of experts), and flags of a feature that another one turns off (CUDA graphs).

## Why

The server starts and says nothing. Somebody has turned a knob and waits for its effect.

## Bad

```yaml
flags:
  hicache-ratio: 4.0
```

## Good

```yaml
flags:
  enable-hierarchical-cache: true
  hicache-ratio: 4.0
```
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.combinations._rows import Row, host_pool, judge, speculative
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import ServiceView

RULE = Rule("CMB044", "idle-flag", Severity.WARNING, "service")


class Feature(NamedTuple):
    """Flags that begin with one of `prefixes` (or are one of `also`) need `active`; `wanted` says what that takes.

    A flag that got another name in a later release stands under both: `also` is held against the first name alone.
    """

    prefixes: tuple[str, ...]
    active: Callable[[Arguments], bool]
    wanted: str | Callable[[Arguments], str]
    also: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


def _graphs_off(args: Arguments, phase: str) -> str | None:
    """What turns the graphs of a phase off, None where they are on or where it cannot be said.

    Up to 0.5.13 there are graphs of decoding, which one switch turns off. From then on both phases have a backend,
    which goes before the switches, and a configuration in JSON, which goes before everything.
    """
    backend = f"cuda-graph-backend-{phase}"
    if args.may_be_said("cuda-graph-config") or (phase != "decode" and not args.has(backend)):
        return None
    chosen = args.said(backend)
    if chosen is not None:
        return f"{chosen.name} {chosen.value}" if chosen.value == "disabled" else None
    if args.may_be_said(backend):
        return None
    return next((name for name in (f"disable-{phase}-cuda-graph", "disable-cuda-graph") if args.on(name)), None)


def _graphs(phase: str, *flags: str) -> Feature:
    return Feature((), lambda args: _graphs_off(args, phase) is None,
                   lambda args: f"CUDA graphs, which {_graphs_off(args, phase)} turns off", also=flags)  # fmt: skip


FEATURES: Final = (
    Feature(("hicache-",), host_pool, "enable-hierarchical-cache"),
    Feature(("hicache-storage-",), lambda args: args.text("hicache-storage-backend") is not None,
            "hicache-storage-backend", but=("hicache-storage-backend",)),
    Feature(("speculative-",), lambda args: speculative(args) is not None, "speculative-algorithm",
            but=("speculative-algorithm",)),
    Feature((), lambda args: args.on("enable-lora") or bool(args.value("lora-paths")), "enable-lora or lora-paths",
            also=("max-lora-rank", "max-loras-per-batch", "max-loaded-loras", "lora-target-modules", "lora-backend",
                  "lora-eviction-policy", "max-lora-chunk-size")),
    Feature(("disaggregation-",), lambda args: args.text("disaggregation-mode") in ("prefill", "decode"),
            "disaggregation-mode prefill or decode",
            but=("disaggregation-mode", "disaggregation-decode-enable-offload-kvcache",
                 "disaggregation-decode-retraction-backup", "disaggregation-ib-device")),
    Feature(("eplb-",), lambda args: args.on("enable-eplb"), "enable-eplb"),
    Feature((), lambda args: args.on("log-requests"), "log-requests",
            also=("log-requests-level", "log-requests-format", "log-requests-target")),
    Feature((), lambda args: args.on("enable-torch-compile"), "enable-torch-compile", also=("torch-compile-max-bs",)),
    Feature((), lambda args: args.on("enable-priority-scheduling"), "enable-priority-scheduling",
            also=("schedule-low-priority-values-first", "priority-scheduling-preemption-threshold")),
    Feature(("prompt-tokens-buckets", "generation-tokens-buckets", "bucket-"), lambda args: args.on("enable-metrics"),
            "enable-metrics", also=("enable-metrics-for-all-schedulers",)),
    Feature((), lambda args: args.text("moe-a2a-backend") not in (None, "none") or args.on("enable-deepep-moe"),
            "moe-a2a-backend deepep", also=("deepep-mode", "deepep-config")),
    Feature((), lambda args: (args.integer("dp-size") or 1) > 1 or (args.integer("attn-dp-size") or 1) > 1,
            "dp-size above 1", also=("load-balance-method",)),
    Feature((), lambda args: args.integer("chunked-prefill-size") != -1,
            "chunked prefill, which chunked-prefill-size -1 turns off", also=("enable-mixed-chunk",)),
    Feature((), lambda args: not args.on("disable-cuda-graph"), "CUDA graphs, which disable-cuda-graph turns off",
            also=("enable-profile-cuda-graph", "disable-cuda-graph-padding")),
    _graphs("decode", "cuda-graph-max-bs", "cuda-graph-bs", "cuda-graph-max-bs-decode", "cuda-graph-bs-decode"),
    _graphs("prefill", "piecewise-cuda-graph-max-tokens", "piecewise-cuda-graph-tokens", "cuda-graph-max-bs-prefill",
            "cuda-graph-bs-prefill", "cuda-graph-max-seq-len-prefill", "cuda-graph-prefill-max-context"),
)  # fmt: skip


ROWS: Final = (
    Row("schedule-policy", lambda args: args.text("schedule-policy") in ("lpm", "dfs-weight")
        and args.on("disable-radix-cache"),
        lambda args: f"schedule-policy {args.text('schedule-policy')} becomes fcfs without the radix cache",
        "write fcfs, or remove disable-radix-cache", others=("disable-radix-cache",)),
)  # fmt: skip
"""Values without effect."""


def check(view: ServiceView) -> Iterator[Problem]:
    """Flags without effect."""
    yield from judge(view, ROWS)
    args = arguments(view)
    if args is None:
        return
    active: dict[int, bool] = {}
    for given in args.given.values():
        for number in _features(given.flag.name):
            feature = FEATURES[number]
            if number not in active:
                active[number] = feature.active(args) or _nobody_knows(args, feature)
            if not active[number]:
                wanted = feature.wanted if isinstance(feature.wanted, str) else feature.wanted(args)
                yield Problem(
                    given.route,
                    f"{given.name} has no effect without {wanted}",
                    "key",
                    help=f"remove {given.name}, or turn on {wanted.partition(',')[0]}",
                    based_on=(f"SGLang {view.service.release}",),
                )
                break


def _nobody_knows(args: Arguments, feature: Feature) -> bool:
    """Whether a flag that would turn the feature on is given, in a way that another rule finds wrong."""
    declared, wanted = args.release.by_name, feature.wanted
    return bool(args.open) and any(
        word in declared and declared[word].dest in args.open
        for word in (wanted if isinstance(wanted, str) else wanted(args)).replace(",", "").split()
    )


@cache
def _features(name: str) -> tuple[int, ...]:
    """Which features a flag belongs to."""
    return tuple(
        number
        for number, feature in enumerate(FEATURES)
        if name not in feature.but and (name in feature.also or any(map(name.startswith, feature.prefixes)))
    )
