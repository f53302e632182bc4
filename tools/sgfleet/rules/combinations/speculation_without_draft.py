"""EAGLE without a draft model, for a model that has none of its own.

## What it does

Finds `speculative-algorithm` EAGLE or NEXTN without `speculative-draft-model-path` where the model's facts know of no
layers of its own that could draft. Architectures of which some checkpoints have such layers are not judged. Before
0.4.6.post3 it is an error, whatever the model has; with the one exception that 0.4.6.post2 knows, DeepSeek V3.

## Why

From 0.4.6.post3 on a release takes the target's own path in place of the missing one (`from_server_args` in
srt/configs/model_config.py). For a model with layers of its own that predict several tokens that is what is meant:
these layers are loaded. Any other model is loaded a second time, as its own draft: twice the weights, and every draft
costs as much as the answer.

Earlier releases take nothing in its place, except that 0.4.6.post2 sets it for `DeepseekV3ForCausalLM`
(srt/server_args.py). The draft's worker reads a configuration from no path (`TpModelWorker` in
srt/managers/tp_worker.py, `check_gguf_file` in srt/hf_transformers_utils.py, 0.4.1.post4 to 0.4.6.post2), and the start
ends after the target's weights have been loaded.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  speculative-algorithm: EAGLE
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA H200, memory-mib: 143771, compute-capability: "9.0"}
memory: {total-bytes: 540000000000}
```

## Good

```yaml
flags:
  model-path: Qwen/Qwen3-32B
  speculative-algorithm: EAGLE
  speculative-draft-model-path: /srv/models/qwen3-32b-eagle
```
```yaml
# facts.yaml
gpus:
  - {index: 0, name: NVIDIA H200, memory-mib: 143771, compute-capability: "9.0"}
memory: {total-bytes: 540000000000}
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments, between
from sgfleet.rules.combinations._rows import speculative
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.arguments import Arguments
    from sgfleet.rules.rule import MachineView

RULE = Rule("CMB047", "speculation-without-draft", Severity.WARNING, "machine")

_FLAG, _DRAFT = "speculative-algorithm", "speculative-draft-model-path"
_SETS_ONE, _SET = "0.4.6.post2", "DeepseekV3ForCausalLM"
"""The release, and the only architecture, for which the path is set by itself."""


def check(view: MachineView) -> Iterator[Problem]:
    """A model that would be loaded as its own draft."""
    args = arguments(view)
    if args is None or speculative(args) not in ("EAGLE", "NEXTN") or args.may_be_said(_DRAFT):
        return
    from sgfleet.memory.draft import TAKES_TARGET, may_draft
    from sgfleet.memory.of_host import Unknown

    takes_target = between(view.service.release, TAKES_TARGET)
    if not takes_target and not between(view.service.release, _SETS_ONE):
        yield _nothing_to_draft(view, args)
        return
    if view.memory is None:
        return
    service = view.memory().service(view.name)
    if isinstance(service, Unknown):
        return
    shape = service.load.shape
    if not takes_target:
        if shape.architecture != _SET:
            yield _nothing_to_draft(view, args)
        return
    if may_draft(shape):
        return
    yield Problem(
        args.route(_FLAG),
        f"{speculative(args)} drafts with a model of its own, and there is no {_DRAFT}: the target is loaded twice",
        arithmetic=(f"{shape.source.name} has no layers that draft ({shape.architecture})",),
        help=f"add {_DRAFT}, or remove {args.route(_FLAG)[-1]}",
        based_on=(shape.source.name, f"SGLang {view.service.release}, srt/configs/model_config.py"),
    )


def _nothing_to_draft(view: MachineView, args: Arguments) -> Problem:
    """A release that takes no model in place of the missing one."""
    release = view.service.release
    return Problem(
        args.route(_FLAG),
        f"{speculative(args)} in SGLang {release} does not start without {_DRAFT}",
        help=f"add {_DRAFT}, or remove {args.route(_FLAG)[-1]}",
        based_on=(f"SGLang {release}, srt/managers/tp_worker.py",),
        severity=Severity.ERROR,
    )
