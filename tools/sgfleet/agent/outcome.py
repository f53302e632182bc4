"""What a pass came to, for people and for whoever starts it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.agent.seen import Word
from sgfleet.agent.state import HostState, Shown

if TYPE_CHECKING:
    from collections.abc import Iterator

PENDING, BLOCKED, BROKEN = 10, 20, 40
CODES: Final = {
    Word.STEADY.value: 0,
    Word.BLOCKED.value: BLOCKED,
    Word.ROLLED_BACK.value: 30,
    Word.BROKEN.value: BROKEN,
}
"""State of a service -> exit code; every other state is pending. Of several services the highest counts."""


class Outcome(NamedTuple):
    """`code`: see CODES. `lines`: one for each thing that a person should know. `state`: what is remembered now."""

    code: int
    lines: tuple[str, ...]
    state: HostState


def outcome_of(state: HostState, host: str) -> Outcome:
    """The state of a host after a pass, told."""
    lines, codes = [], [0]
    for reason in (
        state.refused[1] if state.refused else None,
        state.trouble,
        state.offline[1] if state.offline else None,
    ):
        if reason is not None:
            lines.append(f"{host}: {reason}" + (f"; {reason.help}" if reason.help else ""))
            codes.append(BLOCKED)
    for name, each in sorted(state.services.items()):
        if each.shown is not None:
            codes.append(CODES.get(each.shown.word, PENDING))
            reason = each.shown.reason
            lines.append(f"{name}: {each.shown.word}" + (f": {reason}" if reason else ""))
    return Outcome(max(codes), tuple(lines), state)


def of_the_host(before: HostState, after: HostState, now_seconds: float) -> Iterator[tuple[Shown, str]]:
    """What became of main itself: a commit that is refused is told although nothing changes on the host."""
    for word, was, now, commit in (
        ("refused", before.refused and before.refused[1], after.refused and after.refused[1], _refused(after)),
        ("unusable", before.trouble, after.trouble, after.head),
        ("offline", before.offline and before.offline[1], after.offline and after.offline[1], after.head),
    ):
        if now is not None and (was is None or was.code != now.code or _refused(before) != _refused(after)):
            yield Shown(word, now, now_seconds), commit
        elif now is None and was is not None:
            yield Shown("taken" if word == "refused" else f"{word} no more", None, now_seconds), after.head


def _refused(state: HostState) -> str:
    return state.refused[0] if state.refused is not None else ""
