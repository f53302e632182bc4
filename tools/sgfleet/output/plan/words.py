"""The sentences of a plan that every form for people shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.memory.units import GIB, tokens_within
from sgfleet.plan.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgfleet.findings import Finding
    from sgfleet.memory.load_time import LoadTime
    from sgfleet.plan.records import HostChange, HostRam, Plan, Revision, ServiceChange, ServiceMemory

_COUNTED: Final = {
    Kind.RESTARTED: ("restarts", "restart"),
    Kind.ADDED: ("is added", "are added"),
    Kind.REMOVED: ("is removed", "are removed"),
    Kind.MOVED: ("moves", "move"),
    Kind.RELOADED: ("is reloaded", "are reloaded"),
    Kind.REFRESHED: ("gets new text only", "get new text only"),
    Kind.UNKNOWN: ("cannot be planned", "cannot be planned"),
}


class Kept(NamedTuple):
    """Findings as they are listed: those that are shown, and how many more there are of each code."""

    shown: tuple[Finding, ...]
    more: tuple[tuple[str, int], ...]


def condensed(findings: Iterable[Finding], each_code: int, most: int) -> Kept:
    """The gravest first; of one code only a few, so that one mistake on 200 hosts does not hide another."""
    shown: list[Finding] = []
    left: dict[str, int] = {}
    seen: dict[str, int] = {}
    for each in sorted(findings, key=lambda one: (one.severity.rank, one.order)):
        seen[each.code] = seen.get(each.code, 0) + 1
        if seen[each.code] <= each_code and len(shown) < most:
            shown.append(each)
        else:
            left[each.code] = left.get(each.code, 0) + 1
    return Kept(tuple(shown), tuple(left.items()))


def headline(plan: Plan) -> str:
    """What it comes to, in one line."""
    counts = plan.counts
    said = [
        f"{plural(counts[kind], 'service')} {words[counts[kind] != 1]}"
        for kind, words in _COUNTED.items()
        if counts[kind]
    ]
    if not said:
        return "no change"
    lost = lost_words(plan)
    return ", ".join(said) + (f"; {lost}" if lost else "")


def lost_words(plan: Plan) -> str | None:
    """Capacity that is lost, or None where none is."""
    lost = plan.lost
    if not lost.services:
        return None
    if lost.unknown == lost.services:
        return f"how long {'it loads' if lost.services == 1 else 'they load'} is not known"
    text = f"{span(lost.seconds)} of lost capacity"
    if lost.services > 1:
        text += ", summed"
    if lost.estimated:
        text = f"about {text}"
    if lost.is_least:
        text = f"at least {text}"
    return text + (f" ({lost.unknown} of {lost.services} not known)" if lost.unknown else "")


def load_words(load: LoadTime | None) -> str:
    """How long until it serves."""
    if load is None:
        return "load time not known"
    words = {"observed": "", "at-least": "at least ", "estimated": "about "}[load.origin]
    return f"{words}{span(load.seconds)} of load"


def span(seconds: int) -> str:
    """`45 s`, `10 min`, `3 h 20 min`."""
    if seconds < 90:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours:,} h {rest} min" if rest else f"{hours:,} h"


def plural(number: int, noun: str) -> str:
    """`1 host`, `2 hosts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def revision(side: Revision) -> str:
    """`merge base with origin/main (1a2b3c4d5e6f)`."""
    return (
        side.name if side.commit is None or side.commit.startswith(side.name) else f"{side.name} ({side.commit[:12]})"
    )


def looked_at(plan: Plan) -> str:
    """How many hosts the change can touch, and why those."""
    text = f"{plural(plan.files, 'file')} differ{'s' if plan.files == 1 else ''}"
    hosts = plural(len(plan.hosts), "host")
    text += f"; {hosts} looked at" if plan.causes else f"; {hosts} can change"
    if plan.causes:
        text += f" because of {', '.join(plan.causes[:3])}{' and more' if len(plan.causes) > 3 else ''}"
    if plan.others:
        text += f", {plan.others:,} {'is' if plan.others == 1 else 'are'} the same bytes"
    return text


def no_change(plan: Plan) -> str:
    """Why nothing happens although something may differ."""
    if not plan.files:
        return "no change: both are the same in everything that hosts are made from"
    return "no change: comments, order or defaults may differ, and every unit renders to the same bytes"


def arrow(before: str, after: str) -> str:
    """`a → b`, or only `a` where both are the same."""
    return before if before == after else f"{before} → {after}"


def tokens(memory: ServiceMemory | None) -> str:
    """`159,277`, `180,000 ± 2,000`, or a dash."""
    if memory is None or memory.unknown is not None:
        return "-"
    return tokens_within(memory.kv_tokens, memory.error_tokens)


def pinned(memory: ServiceMemory | None) -> str:
    """Host pools of a service, GiB."""
    return "-" if memory is None or memory.unknown is not None else f"{memory.pinned_bytes / GIB:,.1f}"


def ram_pinned(ram: HostRam | None) -> str:
    """RAM that a host's services pin, GiB. A sum that leaves one of them out is no figure."""
    if ram is None:
        return "-"
    return "not known" if ram.uncounted else f"{ram.pinned_bytes / GIB:,.1f}"


def ram_verdict(ram: HostRam) -> str:
    """What is left of a host's RAM, and whether that is enough."""
    if ram.available_bytes is None or ram.left_bytes is None:
        return "whether it fits is not known: the host's RAM is not"
    reserve = f"policy wants {ram.reserve_bytes / GIB:,.1f}"
    there = "of all its RAM" if ram.assumed else "that are available"
    uncounted = f"not counted: {', '.join(ram.uncounted)}"
    if ram.left_bytes < 0:
        over = f"{-ram.left_bytes / GIB:,.1f} GiB more than the {ram.available_bytes / GIB:,.1f} {there}"
        return f"at least {over}; {uncounted}" if ram.uncounted else over
    all_ = " (all its RAM)" if ram.assumed else ""
    if ram.uncounted:
        others = f"; the others pin {ram.pinned_bytes / GIB:,.1f} GiB" if ram.pinned_bytes else ""
        return (
            f"what is left of {ram.available_bytes / GIB:,.1f} GiB{all_} is not known, {reserve}: {uncounted}{others}"
        )
    text = f"{ram.left_bytes / GIB:,.1f} of {ram.available_bytes / GIB:,.1f} GiB{all_} left, {reserve}"
    return f"{text}: {'fits' if ram.fits else 'does not fit'}"


def verdict_words(service: ServiceChange) -> str:
    """What the budgets say of it afterwards: the gravest sentence, and whether it held before too."""
    after = service.after
    if after is None or after.unknown is not None:
        return "" if after is None else f"not computed: {after.unknown}"
    if after.verdict == "fits" or not after.said:
        return after.verdict
    verdict = "not judged" if after.verdict == "unknown" else after.verdict
    as_before = " (as before)" if service.before is not None and after.said[0] in service.before.said else ""
    return f"{verdict}{as_before}: {after.said[0]}"


def ram_moves(host: HostChange) -> bool:
    """Whether a host's pinned RAM differs, or what it has, or of which services it is known."""
    before, after = host.ram_before, host.ram_after
    figures = [
        None if each is None else (each.pinned_bytes, each.available_bytes, each.uncounted) for each in (before, after)
    ]
    return figures[0] != figures[1] and any(each is not None and each.pinned_bytes for each in (before, after))


def memory_moves(service: ServiceChange) -> bool:
    """Whether a service's figures differ, or what they come to, or one side has none."""
    before, after = service.before, service.after
    if before is None or after is None:
        return before is not after
    figures = [(each.kv_tokens, each.pinned_bytes, each.unknown, each.verdict) for each in (before, after)]
    return figures[0] != figures[1]
