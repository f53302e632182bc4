"""FP8 KV rows: twice the tokens in the same memory, where GPU, model and attention backend allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.memory.era import Era, Rule
from sgfleet.model.layer import CompressedAttention, LatentAttention
from sgfleet.options.move import Move, Risk, Ruled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.options.situation import Situation

FLAG: Final = "kv-cache-dtype"
FP8: Final = "fp8_e4m3"
_NATIVE: Final = (8, 9)
"""The first compute capability with FP8 arithmetic."""
_ACCURACY: Final = "rows are rounded to 8 bits: measure your own tasks before and after"

LATENT_COPIES: Final = {
    "flashinfer": Rule(
        "whether flashinfer makes a copy in the model's type of a whole layer's FP8 pool at each step",
        Era("0.4.3.post3", value=False, source="layers/attention/flashinfer_mla_backend.py"),
        Era(
            "0.4.6.post5",
            value=True,
            source="layers/attention/flashinfer_mla_backend.py",
            sign=r"get_key_buffer\(layer\.layer_id\)\.to\(\s*q",
        ),
    ),
    "fa3": Rule(
        "whether fa3 makes a copy in the model's type of a whole layer's FP8 pool at each step",
        Era("0.4.4.post2", value=False, source="layers/attention/flashattention_backend.py"),
        Era(
            "0.4.8.post1",
            value=True,
            source="layers/attention/flashattention_backend.py",
            sign=r"get_key_buffer\(layer\.layer_id\)\.to\(\s*q",
        ),
    ),
}
"""Backends for latent attention (MLA) that do not read FP8 rows: by backend, from which release on they convert."""
_READS_FP8_LATENT: Final = frozenset({"triton", "trtllm_mla", "flashmla"})
_READS_FP8: Final = frozenset({"flashinfer", "fa3", "triton", "trtllm_mha"})


def moves(now: Situation) -> Iterator[Move | Ruled]:
    """The change of type alone, and with another backend where the present one is a poor match."""
    budget, shape = now.budget, now.service.load.shape
    if budget.resolved.element_bytes == 1:
        yield Ruled("FP8 KV", f"rows are {budget.resolved.kv_dtype} already")
        return
    if any(isinstance(mixer, CompressedAttention) for mixer in shape.mixers):
        yield Ruled("FP8 KV", "this model's rows have a form of their own")
        return
    capability = now.service.hardware.capability
    if capability is None:
        yield Ruled("FP8 KV", "the GPU's compute capability is not known: sgfleet facts reads it", unknown=True)
        return
    if capability < _NATIVE:
        has = f"{capability[0]}.{capability[1]}"
        yield Ruled("FP8 KV", f"the GPU's compute capability is {has}; FP8 arithmetic begins with 8.9")
        return
    latent = any(isinstance(mixer, LatentAttention) and mixer.indexer is None for mixer in shape.mixers)
    yield from _latent(now) if latent else _plain(now)


def _plain(now: Situation) -> Iterator[Move | Ruled]:
    backend = _backend(now)
    known = backend is None or backend in _READS_FP8
    risks = () if known else (f"not known how {backend} reads FP8 rows: try it first",)
    yield _move({FLAG: FP8}, "FP8 KV", risks, Risk.MEDIUM if known else Risk.HIGH)


def _latent(now: Situation) -> Iterator[Move | Ruled]:
    backend = _backend(now)
    rule = LATENT_COPIES.get(backend or "")
    if rule is not None and rule.at(now.release.version):
        yield _move({FLAG: FP8}, f"FP8 KV ({backend})", (_copy(now, str(backend)),), Risk.HIGH)
        other = "trtllm_mla" if now.service.hardware.major == 10 else "triton"
        flags = {FLAG: FP8, "attention-backend": other}
        for phase in ("prefill-attention-backend", "decode-attention-backend"):
            if getattr(now.settings, f"attention_{phase.partition('-')[0]}") is not None:
                flags[phase] = other
        risk = f"another attention kernel ({other}, which reads FP8 rows as they are): measure speed before and after"
        yield _move(flags, f"FP8 KV ({other})", (risk,), Risk.MEDIUM)
    elif backend is None or backend in _READS_FP8_LATENT:
        yield _move({FLAG: FP8}, "FP8 KV", (), Risk.MEDIUM)
    else:
        risk = f"not known how {backend} reads FP8 rows of latent attention: try it first"
        yield _move({FLAG: FP8}, "FP8 KV", (risk,), Risk.HIGH)


def _copy(now: Situation, backend: str) -> str:
    """What the copies cost: every layer's whole pool is read and written anew at each step."""
    layers = max(1, now.budget.cell.full_layers)
    row = now.budget.cell.full_allocated // layers
    tokens = now.budget.tokens * 2
    one, step = tokens * row, tokens * layers * (row + row // 2)
    return (
        f"{backend} copies each layer's whole FP8 pool to the model's type at every step: {one / 2**30:.2f} GiB of"
        f" work space, {step / 1e9:.0f} GB moved a step and rank"
    )


def _backend(now: Situation) -> str | None:
    """The backend that decodes; None where the release chooses."""
    return now.settings.attention_decode or now.settings.attention


def _move(flags: dict[str, str], title: str, risks: tuple[str, ...], risk: Risk) -> Move:
    scales = "a checkpoint without KV scales is read with scale 1"
    return Move("fp8-kv", title, flags, risk, (scales,), risks, _ACCURACY)
