"""A plan on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.output.plan.groups import groups_of
from sgfleet.output.plan.words import (
    arrow,
    condensed,
    headline,
    looked_at,
    memory_moves,
    no_change,
    pinned,
    plural,
    ram_moves,
    ram_pinned,
    ram_verdict,
    revision,
    tokens,
    verdict_words,
)
from sgfleet.output.visible import visible
from sgfleet.plan.records import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sgfleet.findings import Finding
    from sgfleet.output.colour import Paint
    from sgfleet.output.plan.groups import Group
    from sgfleet.plan.records import HostChange, Plan, Reason

DIFF_LINES: Final = 14
GROUPS: Final = 40
FINDINGS: Final = 20
OF_A_CODE: Final = 5
_MARKS: Final = {Kind.ADDED: "+", Kind.REMOVED: "-", Kind.MOVED: ">", Kind.UNKNOWN: "?"}
_STYLES: Final = {Kind.RESTARTED: "warning", Kind.REMOVED: "error", Kind.UNKNOWN: "error", Kind.ADDED: "help"}


def as_text(plan: Plan, paint: Paint) -> str:
    """All of it."""
    return "\n".join(_lines(plan, paint)) + "\n"


def _lines(plan: Plan, paint: Paint) -> Iterator[str]:
    yield f"{visible(revision(plan.before))} → {visible(revision(plan.after))}"
    yield paint("faint", visible(looked_at(plan)))
    groups = groups_of(plan.services)
    for group in groups[:GROUPS]:
        yield ""
        yield from _group(group, paint)
    if len(groups) > GROUPS:
        yield ""
        yield f"and {len(groups) - GROUPS:,} more changes: --format json has all of them"
    yield from _hosts(plan, paint)
    yield from _findings("new", plan.all_new, paint)
    yield from _findings("gone", plan.all_gone, paint)
    if kept := plan.all_kept:
        yield ""
        yield paint("faint", f"{plural(len(kept), 'finding')} that both sides have: sgfleet check --units")
    yield ""
    yield paint("strong", headline(plan) if groups else no_change(plan))
    if plan.errors:
        yield paint("error", f"it cannot be applied: {plural(plan.errors, 'error')}")


def _group(group: Group, paint: Paint) -> Iterator[str]:
    first = group.first
    what = group.what if group.load is None else f"{group.what}, {group.load}"
    subject = paint("strong", visible(group.subject))
    yield f"{_MARKS.get(first.kind, '~')} {subject} {paint(_STYLES.get(first.kind, 'note'), what)}"
    for reason in group.reasons:
        yield f"    {_reason(reason, paint)}"
    if memory_moves(first):
        yield f"    {_memory(group)}"
        yield from (f"    memory: {visible(words)}" for words in (verdict_words(first),) if words)
    if group.load_detail is not None:
        yield paint("faint", f"    load {visible(group.load_detail)}")
    if first.kind in {Kind.ADDED, Kind.REMOVED}:
        return  # a whole unit tells no more than that it comes or goes
    if first.diff and group.diff_of != group.subject:
        yield paint("faint", f"    the unit of {visible(group.diff_of)}:")
    for line in first.diff[:DIFF_LINES]:
        yield "      " + paint({"+": "help", "-": "error"}.get(line[:1], "faint"), visible(line))
    if len(first.diff) > DIFF_LINES:
        yield paint("faint", f"      … {len(first.diff) - DIFF_LINES} more lines of the unit")


def _reason(reason: Reason, paint: Paint) -> str:
    where = f"  {paint('faint', visible(reason.path))}" if reason.path is not None else ""
    return f"{visible(str(reason))}{where}"


def _memory(group: Group) -> str:
    before, after = group.first.before, group.first.after
    words = f"KV pool {arrow(tokens(before), tokens(after))} tokens"
    if any(each is not None and each.pinned_bytes for each in (before, after)):
        words += f", host pools {arrow(pinned(before), pinned(after))} GiB"
    return words


def _hosts(plan: Plan, paint: Paint) -> Iterator[str]:
    """RAM of the hosts where it moves, and what could not be read."""
    moved = [f"  {visible(host.name)}: {_ram(host)}" for host in plan.hosts if ram_moves(host)]
    if moved:
        yield ""
        yield paint("strong", "host RAM pinned, GiB")
        yield from _first(moved, "  ")
    yield from _first(
        [f"{paint('note', 'note')}: {visible(f'{host.name}: {note}')}" for host in plan.hosts for note in host.notes]
    )
    if plan.causes:
        return
    quiet = {host.name: [each.name for each in host.services if each.kind is Kind.UNTOUCHED] for host in plan.hosts}
    said = [visible(f"{host}: no change to {', '.join(names)}") for host, names in quiet.items() if names]
    yield from (paint("faint", line) for line in _first(said))


def _first(lines: list[str], indent: str = "") -> Iterator[str]:
    yield from lines[:FINDINGS]
    if len(lines) > FINDINGS:
        yield f"{indent}and {len(lines) - FINDINGS:,} more hosts"


def _ram(host: HostChange) -> str:
    sides = ram_pinned(host.ram_before), ram_pinned(host.ram_after)
    verdict = f"; {visible(ram_verdict(host.ram_after))}" if host.ram_after is not None else ""
    return f"{' → '.join(sides)}{verdict}"


def _findings(word: str, findings: Collection[Finding], paint: Paint) -> Iterator[str]:
    if not findings:
        return
    yield ""
    yield paint("strong", f"{plural(len(findings), 'finding')} {'is' if len(findings) == 1 else 'are'} {word}")
    kept = condensed(findings, OF_A_CODE, FINDINGS)
    for each in kept.shown:
        code = paint(str(each.severity), f"{each.severity}[{each.code}]")
        yield f"  {code} {visible(each.message)}  {paint('faint', visible(str(each.place)))}"
        if each.help is not None and word == "new":
            yield f"    {paint('help', 'help')}: {visible(each.help)}"
    for name, number in kept.more:
        yield f"  and {number:,} more of {name}"
