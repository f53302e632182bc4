"""A KV cache of a type that the GPU or the attention backend does not serve.

## What it does

Holds `kv-cache-dtype` against the compute capability in the facts: `nvfp4` runs on 10.x and 12.x, `mxfp8` from 10.0 on.
`fp4_e2m1` is a choice up to 0.5.22, and refused from 0.5.16 on.

And every type of four bits is held against the attention backend, by the model's kind: with latent attention
`flashinfer` serves it, up to 0.5.19 `cutlass_mla`, up to 0.5.15 `trtllm_mla` and `flashmla`; with any other `triton`,
`torch_native`, `flex_attention` and `trtllm_mha`. Beside `fa4` for prefill, `flashmla` and `trtllm_mha` do not decode
it. From 0.5.21 on `nvfp4` chooses its backends itself, and is not judged. Where no backend is given, it warns before
compute capability 10.0, where the release chooses none of these.

## Why

The release asks for the GPU from 0.5.16 on and for the backend from 0.5.7 on when it resolves its arguments
(srt/server_args.py, from 0.5.19 on srt/arg_groups/kv_cache_hook.py and overrides.py), and ends with an error. The old
name of the type is refused later, when the KV pool is made (srt/mem_cache/kv_cache_dtype.py).

## Bad

```yaml
release: "0.5.23"
flags:
  kv-cache-dtype: nvfp4
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 540000000000}
```

## Good

```yaml
release: "0.5.23"
flags:
  kv-cache-dtype: fp8_e4m3
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}
memory: {total-bytes: 540000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.memory import _backends
from sgfleet.rules.memory._model import capability, gpu_name, kinds
from sgfleet.rules.memory._tried import without_remark
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM031", "kv-type-without-kernels", Severity.ERROR, "machine")

_FLAG, _BACKEND = "kv-cache-dtype", "attention-backend"
MAJORS: Final[dict[str, tuple[str, tuple[int, ...]]]] = {
    "nvfp4": ("10.x and 12.x", (10, 11, 12)),
    "mxfp8": ("10.0 and later", (10, 11, 12)),
}
"""KV type -> where it runs, from 0.5.16 on. 11.x is let pass: the wheels do not say what it counts as."""
FOUR_BITS: Final = ("fp4_e2m1", "nvfp4", "fp4_mx_block16")
_ASKED_OF_GPU, _ASKED_OF_BACKEND = "0.5.16", "0.5.7"
_OLD, _NEW, _REFUSES_OLD = "fp4_e2m1", "fp4_mx_block16", "0.5.16"
_CHOOSES_FOR_NVFP4: Final = "0.5.21"


def check(view: MachineView) -> Iterator[Problem]:
    """Types that nothing here reads."""
    args = arguments(view)
    kind = args.text(_FLAG) if args is not None else None
    if args is None or kind is None or (kind not in MAJORS and kind not in FOUR_BITS):
        return
    has, release = capability(view), view.service.release
    runs, majors = MAJORS.get(kind, ("", ()))
    if majors and has is not None and has[0] not in majors and between(release, _ASKED_OF_GPU):
        yield Problem(
            args.route(_FLAG),
            f"a KV cache of {kind} does not work on compute capability {has[0]}.{has[1]} ({gpu_name(view)})",
            arithmetic=(f"SGLang {release} has {kind} on compute capability {runs}",),
            help=_other_type(view, str(args.route(_FLAG)[-1])),
            based_on=(f"hosts/{view.host}/facts.yaml gpus", f"SGLang {release}"),
        )
    elif kind == _OLD and between(release, _REFUSES_OLD):
        yield Problem(
            args.route(_FLAG),
            f"SGLang {release} refuses {_OLD} when it makes the KV pool",
            help=f"write {_NEW}",
            based_on=(f"SGLang {release}, srt/mem_cache/kv_cache_dtype.py",),
        )
    elif kind == "nvfp4" and between(release, _CHOOSES_FOR_NVFP4):
        return
    elif kind in FOUR_BITS and between(release, _ASKED_OF_BACKEND):
        yield from _backend(view, args, kind, has)


def _backend(view: MachineView, args: Arguments, kind: str, has: tuple[int, int] | None) -> Iterator[Problem]:
    """A backend that reads no such rows."""
    found = kinds(view)
    if found is None:
        return
    latent, source = "latent" in found[0], found[1]
    release = view.service.release
    base = args.text(_BACKEND)
    if base is None:
        given = any(args.may_be_said(flag) for flag in (f"prefill-{_BACKEND}", f"decode-{_BACKEND}", _BACKEND))
        if given or has is None or has[0] >= 10 or kind == "nvfp4":
            return
        serve = backends(release, latent=latent)
        message = f"{kind} needs an attention-backend: the release chooses none here that serves it"
        severity = Severity.WARNING
    else:
        prefill, decode = args.text(f"prefill-{_BACKEND}") or base, args.text(f"decode-{_BACKEND}") or base
        if prefill not in (decode, "fa4"):
            return
        asked = decode if prefill == "fa4" else base
        serve = backends(release, latent=latent, beside_fa4=prefill == "fa4")
        if asked in serve:
            return
        message = f"{asked}{' beside fa4' if prefill == 'fa4' else ''} does not serve a KV cache of {kind}"
        severity = None
    decides = f"decode-{_BACKEND}"
    flag = decides if args.said(decides) is not None else _BACKEND
    sound = without_remark(view, flag, [each for each in serve if _backends.refusal(view, flag, each) is None])
    other = _other_type(view, _FLAG)
    yield Problem(
        args.route(_FLAG),
        message,
        arithmetic=(f"SGLang {release} serves it with {', '.join(serve)} for {source}",),
        help=f"write {flag} {' or '.join(str(each) for each in sound)}, or {other}" if sound else other,
        based_on=(source, f"SGLang {release}"),
        severity=severity,
        related=((args.route(_BACKEND), "the backend"),) if base is not None else (),
    )


def backends(release: str, *, latent: bool, beside_fa4: bool = False) -> tuple[str, ...]:
    """Backends that serve four bits, as the release asks for them."""
    if not latent:
        return ("triton", "torch_native", "flex_attention", *(() if beside_fa4 else ("trtllm_mha",)))
    found = ["flashinfer"]
    if between(release, None, "0.5.19"):
        found.append("cutlass_mla")
    if between(release, None, "0.5.15.post1"):
        found += ["trtllm_mla"] if beside_fa4 else ["trtllm_mla", "flashmla"]
    return tuple(found)


def _other_type(view: MachineView, flag: str) -> str:
    values = ("fp8_e4m3", "fp8_e5m2", "auto")
    sound = without_remark(view, flag, values)
    return f"write {flag} {' or '.join(str(value) for value in sound or values)}"
