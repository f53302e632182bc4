"""A flag that no release of SGLang has.

## What it does

Looks up every name under `flags:` and `secrets:` in the release's schema. Names that are a flag's in another
spelling, cut short, or taken from another release have rules of their own.

## Why

SGLang's parser refuses a command line with an unknown flag: the service exits with status 2 after several seconds,
and with `restart: always` it does so for ever.

## Bad

```yaml
flags:
  tensor-paralel-size: 8
```

## Good

```yaml
flags:
  tensor-parallel-size: 8
```

## See also

`FLG002` abbreviated-flag, `FLG003` underscored-flag, `FLG004` dashed-flag, `FLG005` flag-of-another-release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.engine.meant import COMPARED, is_variable
from sgfleet.findings import Severity
from sgfleet.rules.flags._names import instead, undeclared
from sgfleet.rules.quoting import quoted
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.flags._names import Name
    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG001", "unknown-flag", Severity.ERROR, "service")


def check(view: ServiceView) -> Iterator[Problem]:
    """Names that are in no release."""
    for name in undeclared(view):
        if name.fault == "unknown" and view.release is not None and not _elsewhere(name.written, view.service.release):
            yield Problem(
                name.route,
                f"SGLang {view.service.release} has no flag {quoted(name.written)}",
                "key",
                help=_help(view, name),
                based_on=(f"schema/sglang/{view.service.release}.json",),
            )


def _elsewhere(written: str, release: str) -> bool:
    from sgfleet.engine.argv.advice import elsewhere_of

    return elsewhere_of(f"--{written.lstrip('-').replace('_', '-')}", release) is not None


def _help(view: ServiceView, name: Name) -> str:
    if is_variable(name.written) and not name.meant:
        if name.written in _DEVICES:
            return "remove it, and list the GPUs in `gpus:` of the service: the renderer sets it from there"
        return f"an environment variable stands under `environment:` of the service: put {quoted(name.written)} there"
    if not name.compared:
        return f"remove it, unless it is a slip: only the first {COMPARED} unknown names are compared with the flags"
    if not name.meant:
        return "remove it: no flag of this release comes near"
    return instead(view, name.written, name.meant[:1], f"did you mean {' or '.join(name.meant)}?")


_DEVICES: Final = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
