"""A draft model whose context is shorter than the target's.

## What it does

Compares the context that the target runs with (`context-length`, or its own) with that of the model in
`speculative-draft-model-path`, from 0.4.3.post3 on, where the draft is loaded with the target's. Nothing is said where
`json-model-override-args` may change a context, or `SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN` allows more than a model
has. Where one of the models is only known by its name, or a file of the host may hold that variable, it is a warning;
so it is from 0.4.4 to 0.4.10.post2, which take more by default.

## Why

The draft is held to the same rule as a model of its own: a release that refuses ends once the target's weights are
loaded, minutes after the start. Draft heads were often trained on a few thousand tokens.

## Bad

```yaml
flags:
  model-path: Qwen/Qwen3-Coder-480B-A35B-Instruct
  speculative-algorithm: STANDALONE
  speculative-draft-model-path: Qwen/Qwen3-0.6B
```

## Good

```yaml
environment:
  SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN: 1
flags:
  model-path: Qwen/Qwen3-Coder-480B-A35B-Instruct
  speculative-algorithm: STANDALONE
  speculative-draft-model-path: Qwen/Qwen3-0.6B
```

## See also

`MEM026` context-over-model, the same for the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.memory._context import ALLOWS, OVERRIDES, longer_context
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import MachineView

RULE = Rule("MEM027", "draft-context-too-short", Severity.ERROR, "machine")

_DRAFT, _CONTEXT = "speculative-draft-model-path", "context-length"


def check(view: MachineView) -> Iterator[Problem]:
    """Positions that the target reaches and the draft does not have."""
    args = arguments(view)
    if args is None or view.memory is None or args.said(_DRAFT) is None or args.may_be_said(OVERRIDES):
        return
    from sgfleet.memory.eras import DRAFT_GETS_CONTEXT
    from sgfleet.memory.of_host import Unknown

    fate, release = longer_context(view), view.service.release
    service = view.memory().service(view.name)
    if fate == "meant" or isinstance(service, Unknown) or not DRAFT_GETS_CONTEXT.at(release):
        return
    target, draft = service.load.shape, service.load.draft.shape if service.load.draft is not None else None
    asked = service.settings.context_length
    context = asked if asked is not None else target.context_length
    if draft is None or context is None or draft.context_length is None or context <= draft.context_length:
        return
    known = [draft.source, *([] if asked is not None else [target.source])]
    exact = all(each.match == "exact" for each in known)
    yield Problem(
        args.route(_DRAFT),
        f"the draft has a context of {draft.context_length:,} tokens, and is loaded with the target's {context:,}"
        + (f", which SGLang {release} takes" if fate == "taken" else ""),
        arithmetic=(f"{context:,} > {draft.context_length:,}",),
        help=f"set {ALLOWS} to 1, and fewer drafted tokens are accepted beyond {draft.context_length:,}; or write"
        f" {_CONTEXT} {draft.context_length}",
        based_on=(
            *(each.name if each.match == "exact" else f"{each.name}, by its name" for each in known),
            f"SGLang {release}, srt/configs/model_config.py",
        ),
        related=() if asked is None else ((args.route(_CONTEXT), "the target's context"),),
        severity=None if exact and fate == "refused" and not view.service.environment_files else Severity.WARNING,
    )
