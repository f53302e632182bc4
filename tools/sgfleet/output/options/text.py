"""The options on a terminal: a table that fits 100 columns, then each with cost, risk and patch."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from sgfleet.memory.units import GIB, tokens_within
from sgfleet.output.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.options.option import Option, ServiceOptions
    from sgfleet.options.reload import Reload
    from sgfleet.options.situation import Capacity
    from sgfleet.output.colour import Paint

WIDTH: Final = 100
TITLE: Final = 48


def as_text(of: ServiceOptions, paint: Paint) -> str:
    """Everything about one service."""
    return "\n".join(_service(of, paint)) + "\n"


def _service(of: ServiceOptions, paint: Paint) -> Iterator[str]:
    yield paint("strong", f"{of.host}/{of.name}")
    if of.headline:
        yield from _wrapped(of.headline, "  ")
    if of.unknown is not None or of.now is None:
        yield from _wrapped(f"not computed: {of.unknown}", "  ")
        if of.help is not None:
            yield f"  {paint('help', 'help')}: {of.help}"
        return
    yield from _now(of, of.now)
    yield ""
    if of.options:
        yield paint(
            "faint", f"{'':4}{'option':<{TITLE}}{'GPU tokens':>12}{'RAM tokens':>12}{'RAM GiB':>9}{'left':>7}  risk"
        )
        yield _row("", "now", of.now, "")
        for number, option in enumerate(of.options, 1):
            risk = option.move.risk.word + (" *" if option.move.accuracy else "")
            yield _row(str(number), option.move.title, option.capacity, risk)
        if any(option.move.accuracy for option in of.options):
            yield paint("faint", "    * answers may change")
        yield paint("faint", f"    {_restart(of)}")
    else:
        yield "  There is no option that gains tokens and fits."
    for number, option in enumerate(of.options, 1):
        yield ""
        yield from _option(number, option, of.now, paint)
    if of.ruled:
        yield ""
        yield paint("strong", "not possible from here, or no gain")
        for each in of.ruled:
            what = "not judged: " if each.unknown else ""
            yield from _wrapped(f"{each.title}: {what}{each.reason}", "  ")
    if of.options:
        yield ""
        yield f"sgfleet options {of.host}/{of.name} --apply N writes option N; then sgfleet render {of.host}"
    for note in of.notes:
        yield from (paint("faint", line) for line in _wrapped(note, "  "))


def _now(of: ServiceOptions, now: Capacity) -> Iterator[str]:
    tokens = tokens_within(now.gpu_tokens, now.error_tokens)
    yield f"  now: {tokens} KV tokens on the GPUs ({now.origin}), {now.ram_tokens:,} in RAM"
    said = (
        f"the longest request that fits has {now.request_tokens:,} tokens: RAM keeps prefixes and does not raise that"
    )
    if of.context_tokens and of.context_tokens > now.request_tokens:
        said += f" (the model could take {of.context_tokens:,})"
    yield from _wrapped(said, "  ")
    if of.requests:
        each = now.gpu_tokens // of.requests
        yield f"  {of.requests} requests run at once at most: {each:,} tokens each when all are there"
    if of.reload is not None:
        yield from _reload(of.reload)


def _reload(reload: Reload) -> Iterator[str]:
    from_ram = f"{reload.rank_bytes / GIB:.2f} GiB a rank, about {_seconds(reload.reload_seconds)} from RAM"
    if reload.compute_seconds is not None:
        from_ram += f", about {_seconds(reload.compute_seconds)} to compute again"
    else:
        from_ram += f"; computing is faster only above {reload.even_tokens_a_second:,.0f} tokens/s of prefill"
    text = f"a prefix of {reload.tokens:,} tokens: {from_ram} (estimated: {'; '.join(reload.assumptions)})"
    yield from _wrapped(text, "  ")


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def _row(number: str, title: str, capacity: Capacity, risk: str) -> str:
    left = "-" if capacity.ram_left_bytes is None else f"{capacity.ram_left_bytes / GIB:,.0f}"
    short = title if len(title) < TITLE else title[: TITLE - 2] + "…"
    return (
        f"{number:>3} {short:<{TITLE}}{capacity.gpu_tokens:>11,}{capacity.ram_tokens:>11,}"
        f"{capacity.ram_bytes / GIB:>9,.1f}{left:>6}  {risk}"
    ).rstrip()


def _restart(of: ServiceOptions) -> str:
    if of.start_seconds is None:
        return "every option needs a restart of the service; how long a start takes is not known"
    least = "at least " if of.at_least else ""
    return f"every option needs a restart of the service: {least}{of.start_seconds:,} s of loading, as observed"


def _option(number: int, option: Option, now: Capacity, paint: Paint) -> Iterator[str]:
    move, capacity = option.move, option.capacity
    yield paint("strong", f"{number:>3} {move.title}")
    tokens = tokens_within(capacity.gpu_tokens, capacity.error_tokens)
    gpu = f"GPU {tokens} ({_change(now.gpu_tokens, capacity.gpu_tokens)}, {capacity.origin})"
    ram = f"RAM {capacity.ram_tokens:,} ({_change(now.ram_tokens, capacity.ram_tokens)})"
    request = f"longest request {capacity.request_tokens:,}"
    yield from _wrapped(f"tokens: {gpu}; {ram}; {request}", "    ")
    for word, texts in (("cost", move.costs), (f"risk ({move.risk.word})", option.risks)):
        for text in dict.fromkeys(texts):
            yield from _wrapped(f"{word}: {text}", "    ")
    if move.accuracy is not None:
        yield from _wrapped(f"accuracy may change: {move.accuracy}", "    ")
    for note in option.patch.notes:
        yield from _wrapped(f"patch: {note}", "    ")
    yield paint("faint", f"    {option.patch.path}")
    for line in option.patch.lines:
        yield f"    {visible(line)}"


def _change(before: int, after: int) -> str:
    if before == after:
        return "as now"
    if not before:
        return f"+{after:,}"
    return f"{(after - before) / before:+.0%}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        visible(text), WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
    )
