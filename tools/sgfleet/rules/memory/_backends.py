"""Attention backends that a release asserts for single architectures, whatever the kind of attention.

Read from the wheels 0.4.9.post4 to 0.5.23: srt/server_args.py, from 0.5.19 on srt/arg_groups/model_hook.py; for
gated delta nets srt/layers/attention/attention_registry.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.memory._model import capability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgfleet.model.shape import ModelShape
    from sgfleet.rules.rule import MachineView

BASE: Final = "attention-backend"
_PHASES: Final = (f"prefill-{BASE}", f"decode-{BASE}")


class Own(NamedTuple):
    """What some architectures take, and in which releases it is asserted."""

    architectures: tuple[str, ...]
    """None of them: a gated delta net on compute capability 10.x, whatever its name."""
    since: str
    until: str | None = None
    takes: Mapping[str, str | None] = {}
    """Backend -> the first release that takes it (None: all here). Empty where only some are refused."""
    but: tuple[str, ...] = ()
    """What is refused where all else is taken."""
    split: str | None = None
    """From which release on the backends of prefill and decode are asked for, and not `attention-backend` itself."""
    chooses: str | None = None
    """From which release on the flag may be left out; None: in none."""
    windowed: bool = False
    """Only with windows."""

    def refuses(self, backend: str, release: str) -> bool:
        """Whether the release ends with this backend."""
        if not self.takes:
            return backend in self.but
        return backend not in self.taken(release)

    def taken(self, release: str) -> tuple[str, ...]:
        """What the release takes; empty where it only refuses some."""
        return tuple(each for each, since in self.takes.items() if since is None or between(release, since))


_BOTH: Final = {"triton": None, "trtllm_mha": None}
ROWS: Final = (
    Own(
        ("GptOssForCausalLM",),
        "0.5.1",
        takes={
            **_BOTH,
            "fa3": None,
            "fa4": "0.5.3.post1",
            "ascend": "0.5.8",
            "aiter": "0.5.10",
            "intel_xpu": "0.5.11",
            "intel_amx": "0.5.13",
        },
        split="0.5.3.post1",
        chooses="0.5.1",
    ),
    Own(
        ("Llama4ForConditionalGeneration", "Llama4ForCausalLM"),
        "0.4.9.post4",
        takes={
            "fa3": None,
            "aiter": "0.5.1",
            "triton": "0.5.2",
            "trtllm_mha": "0.5.4.post1",
            "intel_xpu": "0.5.5.post1",
            "ascend": "0.5.10",
        },
        # Up to 0.5.5.post3 the default is chosen after the flag has been asserted.
        chooses="0.5.6",
    ),
    Own(
        ("Gemma4ForConditionalGeneration", "Gemma4ForCausalLM", "Gemma4UnifiedForConditionalGeneration"),
        "0.5.13",
        takes={
            **_BOTH,
            "intel_xpu": None,
            "ascend": "0.5.14",
            "intel_amx": "0.5.18",
            "aiter": "0.5.20",
            "fa4": "0.5.22",
        },
        split="0.5.13",
        chooses="0.5.13",
    ),
    Own(
        ("Exaone4ForCausalLM", "ExaoneMoEForCausalLM"),
        "0.5.9",
        takes={**_BOTH, "fa3": None},
        windowed=True,
    ),
    Own(("Olmo2ForCausalLM",), "0.5.4", but=("flashinfer",), chooses="0.5.4"),
    Own(("NemotronHForCausalLM",), "0.5.7", "0.5.18", but=("triton",), chooses="0.5.7"),
    Own(("Lfm2ForCausalLM",), "0.5.9", but=("triton",), chooses="0.5.9"),
    Own(("Lfm2MoeForCausalLM",), "0.5.17", but=("triton",), chooses="0.5.17"),
)
"""Backends of other makers' devices are let pass where the release lists them."""

_DELTA_MAJOR: Final = 10
DELTA_NETS: Final = (
    Own((), "0.5.3", "0.5.3", takes=_BOTH),
    Own((), "0.5.3.post1", "0.5.5.post1", takes={"triton": None}),
    Own((), "0.5.5.post2", "0.5.9", takes=_BOTH),
    Own((), "0.5.10", "0.5.15.post1", takes={**_BOTH, "fa4": None, "flashinfer": None}, chooses="0.5.10"),
    Own((), "0.5.16", "0.5.20", takes={**_BOTH, "fa4": None}, split="0.5.18", chooses="0.5.16"),
)
"""Gated delta nets (Qwen3-Next, Qwen3.5) on compute capability 10.x. Later ones refuse there what other rules
know. Up to 0.5.9 it was not read what the release chooses itself."""


def own(view: MachineView) -> tuple[tuple[Own, ...], str]:
    """The rows that hold for the service's model, and its architecture; none where it is not known."""
    args = arguments(view)
    if args is None or view.memory is None or args.text("device") not in (None, "cuda"):
        return (), ""
    if args.may_be_said("json-model-override-args"):
        return (), ""
    from sgfleet.memory.of_host import Unknown

    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return (), ""
    shape, release = service.load.shape, view.service.release
    rows = [each for each in ROWS if _is_of(each, shape)]
    if any(kind.state is not None and kind.state.form == "gdn" for kind in shape.layers):
        has = capability(view)
        rows += DELTA_NETS if has is not None and has[0] == _DELTA_MAJOR else ()
    return tuple(each for each in rows if between(release, each.since, each.until)), shape.architecture


def refusal(view: MachineView, flag: str, backend: str) -> tuple[Own, str] | None:
    """The row that does not take a flag's backend, and the architecture; None where nothing is against it."""
    rows, architecture = own(view)
    args, release = arguments(view), view.service.release
    if args is None:
        return None
    overridden = all(args.text(phase) is not None for phase in _PHASES)
    for each in rows:
        by_phase = each.split is not None and between(release, each.split)
        asked = by_phase or flag == BASE
        # Of delta nets, 0.5.16 and later do not ask for a flag that both others override; earlier ones are let pass.
        idle = flag == BASE and overridden and (by_phase or not each.architectures)
        if asked and not idle and each.refuses(backend, release):
            return each, architecture
    return None


def may_be_left_out(view: MachineView, flag: str) -> bool:
    """Whether the release, without this flag, chooses a backend that it then takes."""
    rows, args = own(view)[0], arguments(view)
    if not rows or args is None:
        return True
    # Where one of the others is given alone, these releases ask before they have chosen.
    others = [each for each in (BASE, *_PHASES) if each != flag and args.text(each) is not None]
    if others and BASE not in others:
        return False
    return all(each.chooses is not None and between(view.service.release, each.chooses) for each in rows)


def _is_of(row: Own, shape: ModelShape) -> bool:
    from sgfleet.model.layer import Attention

    if shape.architecture not in row.architectures:
        return False
    return not row.windowed or any(isinstance(each, Attention) and each.window for each in shape.mixers)
