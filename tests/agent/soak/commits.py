"""What people do to main, at random, and what a host must make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator


class Content(NamedTuple):
    """What a commit says of the one service. `text` and `number` are of no service: a comment, and another file."""

    kind: str = "good"
    number: int = 0
    text: str = "begin"
    other: int = 0

    @property
    def key(self) -> tuple[str, int]:
        """Two contents with the same key render to the same process."""
        return self.kind, self.number


class Step(NamedTuple):
    """`contents` are committed one after another before the agent looks. `signer`: ann or stranger.

    `back`: the branch is set so many commits back first, as a forced push does. `impatient`: the agent begins with the
    first of them before the next comes.
    """

    event: str
    contents: tuple[Content, ...]
    signer: str = "ann"
    back: int = 0
    impatient: bool = False


BAD_KINDS = ("bad-flag", "crashes", "too-big")
NEVER_TRIED = "bad-flag"
"""It cannot be rendered: whoever committed it went around the hook."""
WEIGHTS = {
    "good": 6,
    "bad-flag": 2,
    "crashes": 2,
    "too-big": 2,
    "comment": 3,
    "same-bytes": 3,
    "revert": 4,
    "revert-of-revert": 2,
    "stranger": 2,
    "force-push": 2,
    "burst": 2,
    "while-it-loads": 2,
}


def steps(chance: random.Random, count: int) -> Iterator[Step]:
    """Steps of `count` commits in all, the first of them good. Main's own history is what was signed and not forced."""
    number = 1
    history = [Content(number=number)]
    yield Step("good", (history[0],))
    made = 1
    undone: Content | None = None
    while made < count:
        event = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        now = history[-1]
        number += 1
        contents = (_content(event, now, number, history, undone),)
        if event in {"burst", "while-it-loads"}:
            second = now if chance.random() < 0.3 else Content(number=number)
            contents = (Content(number=number + 1), second)
            number += 1
        contents = contents[: count - made]
        made += len(contents)
        foreign = event in {"stranger", "force-push"}
        back = min(len(history) - 1, chance.randint(1, 3)) if event == "force-push" else 0
        if event == "force-push" and not back:
            event, foreign = "good", False
        undone = now if event == "revert" else None
        if not foreign:
            history += contents
        yield Step(event, contents, "stranger" if event == "stranger" else "ann", back, event == "while-it-loads")


def _content(event: str, now: Content, number: int, history: list[Content], undone: Content | None) -> Content:
    match event:
        case "bad-flag" | "crashes" | "too-big":
            return Content(event, number)
        case "comment":
            return now._replace(text=f"said {number}")
        case "same-bytes":
            return now._replace(other=number)
        case "revert":
            return history[-2] if len(history) > 1 else now
        case "revert-of-revert":
            return undone or now
    return Content(number=number)


class Expected:
    """The host as it must be: what runs, and what is not tried again."""

    def __init__(self) -> None:
        self.verified: tuple[str, int] | None = None
        self.wanted: tuple[str, int] | None = None
        self.failed: set[tuple[str, int]] = set()

    @property
    def code(self) -> frozenset[int]:
        """The exit codes that a pass may have where nothing is left to do."""
        if self.wanted is None or self.wanted not in self.failed:
            return frozenset({0})
        return frozenset({20 if self.wanted[0] == NEVER_TRIED else 30})

    def after(self, step: Step) -> tuple[frozenset[int], frozenset[int]]:
        """(exit codes, numbers of starts) that may come of a step, once the agent is at its end with it."""
        if step.signer == "stranger" or step.back:
            return frozenset(max(20, code) for code in self.code), frozenset({0})
        wanted = self.wanted = step.contents[-1].key
        if wanted[0] in BAD_KINDS:
            known = wanted in self.failed or wanted[0] == NEVER_TRIED
            self.failed.add(wanted)
            return self.code, frozenset({0 if known else 2})  # it, and what was verified again
        # A load that is superseded may have been begun: each of the units is started once at most.
        more = 1 if step.impatient and len(step.contents) > 1 else 0
        fewest = 0 if wanted == self.verified else 1
        self.verified = wanted
        return self.code, frozenset(range(fewest, 1 + more + 1)) if fewest or more else frozenset({0})
