"""A plan as a comment on a pull request: short however many hosts it moves, details folded.

The first line names the comment, so that whoever posts it can find and replace it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sgfleet.output.plan.groups import groups_of
from sgfleet.output.plan.words import (
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
    from sgfleet.output.plan.groups import Group
    from sgfleet.plan.records import HostChange, Plan

MARK: Final = "<!-- sgfleet plan -->"
ROWS: Final = 20
OF_A_CODE: Final = 5
DIFFS: Final = 5
DIFF_LINES: Final = 40
REASONS: Final = 6
_LONGEST: Final = 300
_GRAVE: Final = frozenset({Kind.RESTARTED, Kind.REMOVED, Kind.UNKNOWN})


def as_markdown(plan: Plan) -> str:
    """The comment."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    groups = groups_of(plan.services)
    yield MARK
    yield f"### sgfleet plan: {headline(plan)}"
    if plan.errors:
        yield ""
        yield f"**It cannot be applied: {plural(plan.errors, 'error')}.**"
    yield ""
    yield f"{_safe(revision(plan.before))} → {_safe(revision(plan.after))}. {_safe(looked_at(plan))}."
    if not groups:
        yield ""
        yield f"{no_change(plan).capitalize()}."
    else:
        yield from _changes(groups)
        yield from _memory(groups, plan)
    yield from _notes(plan)
    yield from _findings("New findings", plan.all_new, folded=False)
    yield from _findings("Findings that are gone", plan.all_gone, folded=True)
    yield from _diffs(groups)
    yield from _sources(groups)


def _changes(groups: list[Group]) -> Iterator[str]:
    yield ""
    yield "| service | what happens | why |"
    yield "|---|---|---|"
    for group in groups[:ROWS]:
        first = group.first
        what = f"**{group.what}**" if first.kind in _GRAVE else group.what
        if group.load is not None:
            what += f", {group.load}"
        reasons = [_safe(str(each)) for each in first.reasons[:REASONS]]
        if len(first.reasons) > REASONS:
            reasons.append(f"and {len(first.reasons) - REASONS} more")
        yield f"| {_safe(group.subject)} | {what} | {'<br>'.join(reasons)} |"
    if len(groups) > ROWS:
        yield f"| and {len(groups) - ROWS:,} more | | |"


def _memory(groups: list[Group], plan: Plan) -> Iterator[str]:
    rows = []
    for group in groups:
        before, after = group.first.before, group.first.after
        if not memory_moves(group.first):
            continue
        verdict = _safe(verdict_words(group.first))
        rows.append(f"| {_safe(group.subject)}: KV tokens | {tokens(before)} | {tokens(after)} | {verdict} |")
        if any(each is not None and each.pinned_bytes for each in (before, after)):
            rows.append(f"| {_safe(group.subject)}: host pools, GiB | {pinned(before)} | {pinned(after)} | |")
    for host in plan.hosts:
        rows += _ram(host)
    if not rows:
        return
    yield ""
    yield "| memory | before | after | |"
    yield "|---|---:|---:|---|"
    yield from rows[:ROWS]
    if len(rows) > ROWS:
        yield f"| and {len(rows) - ROWS:,} more | | | |"


def _ram(host: HostChange) -> Iterator[str]:
    if ram_moves(host):
        before, after = host.ram_before, host.ram_after
        sides = f"{ram_pinned(before)} | {ram_pinned(after)}"
        verdict = "" if after is None else _safe(ram_verdict(after))
        yield f"| {_safe(host.name)}: host RAM pinned, GiB | {sides} | {verdict} |"


def _notes(plan: Plan) -> Iterator[str]:
    notes = [f"- {_safe(host.name)}: {_safe(note)}" for host in plan.hosts for note in host.notes]
    if notes:
        yield ""
        yield from notes[:ROWS]
        if len(notes) > ROWS:
            yield f"- and {len(notes) - ROWS:,} more"


def _findings(title: str, findings: Collection[Finding], *, folded: bool) -> Iterator[str]:
    if not findings:
        return
    yield ""
    yield f"<details><summary>{title}: {len(findings):,}</summary>" if folded else f"{title}: {len(findings):,}"
    yield ""
    kept = condensed(findings, OF_A_CODE, ROWS)
    for each in kept.shown:
        yield f"- **{each.severity}** {each.code} {_safe(each.message)} ({_code(str(each.place))})"
        if each.help is not None and not folded:
            yield f"  - {_safe(each.help)}"
    for name, number in kept.more:
        yield f"- and {number:,} more of {name}"
    if folded:
        yield ""
        yield "</details>"


def _diffs(groups: list[Group]) -> Iterator[str]:
    shown = [group for group in groups if group.first.diff and group.first.kind is not Kind.REMOVED]
    for group in shown[:DIFFS]:
        diff = group.first.diff
        yield ""
        yield f"<details><summary>Unit of {_safe(group.diff_of)}</summary>"
        yield ""
        # A fence longer than any run of its sign inside: no text of a unit can end it.
        fence = "`" * max(3, 1 + max((len(run) for line in diff for run in _runs(line)), default=0))
        yield f"{fence}diff"
        yield from map(visible, diff[:DIFF_LINES])
        if len(diff) > DIFF_LINES:
            yield f"@@ {len(diff) - DIFF_LINES} more lines @@"
        yield fence
        yield ""
        yield "</details>"
    if len(shown) > DIFFS:
        yield ""
        yield f"{plural(len(shown) - DIFFS, 'more unit')} differ: `sgfleet plan --format json` has all of them."


def _sources(groups: list[Group]) -> Iterator[str]:
    """What load times were taken from."""
    details = dict.fromkeys(each.load_detail for each in groups[:ROWS] if each.load_detail is not None)
    if details:
        yield ""
        yield f"<sub>Load times: {_safe('; '.join(list(details)[:3]))}.</sub>"


def _runs(line: str) -> list[str]:
    import re

    return re.findall("`+", line)


def _code(text: str) -> str:
    return f"`{visible(text).replace('`', chr(39))}`"


def _safe(text: str) -> str:
    """Text that stays text: no table cell, tag, link, mention or emphasis begins in it."""
    text = visible(text)
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    for sign in "\\|`*_[]":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("@", "&#64;").replace("#", "&#35;")
