"""What a server realised, held against what its budget promised. Pure.

"Healthy with half the KV cache" is a failed apply, and so is another release. A figure above the promise is fine and
noted. A figure that one side does not know is said: the verdict is then not `sure`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sgfleet.memory.units import GB, gib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.agent.promise import KvTokens, Promise
    from sgfleet.observe.observation import Measured

MEASURED_TOLERANCE: Final = 0.02
"""Between two starts of the same settings: free memory differs by what other processes hold and by alignment."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far below its promise a figure may be, as a share. `least` comes from the host's agent.toml.

    `most` bounds what an estimate may excuse: whatever its error, a pool below half of the estimate is a failed apply.
    """

    least: float = MEASURED_TOLERANCE
    most: float = 0.5


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison with its arithmetic. `kept`, `broken`, `unknown`, or a `note` that decides nothing."""

    weight: Literal["kept", "broken", "unknown", "note"]
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """`ok`: nothing that was promised is broken. `sure`: every promise could be compared."""

    comparisons: tuple[Comparison, ...]

    @property
    def ok(self) -> bool:
        """Whether the apply may count as verified."""
        return not any(each.weight == "broken" for each in self.comparisons)

    @property
    def sure(self) -> bool:
        """Whether each promised figure was known on both sides."""
        return not any(each.weight == "unknown" for each in self.comparisons)

    @property
    def text(self) -> str:
        """One line: what is broken, else what is not known, else what was kept."""
        for weight in ("broken", "unknown", "kept"):
            texts = [each.text for each in self.comparisons if each.weight == weight]
            if texts:
                return "; ".join(texts)
        return "nothing was promised"


def judge(promise: Promise, realised: Measured, tolerance: Tolerance = Tolerance()) -> Verdict:
    """The verdict on a server that answers. `realised` is what its info endpoint (and its journal) say."""
    return Verdict(tuple(_comparisons(promise, realised, tolerance)))


def _comparisons(promise: Promise, realised: Measured, tolerance: Tolerance) -> Iterator[Comparison]:
    yield _release(promise, realised)
    yield from _tokens(promise, realised, tolerance)
    yield from _settings(promise, realised)
    yield from _host_pool(promise, realised, tolerance)
    for each in promise.unknown:
        yield Comparison("unknown", "promise", each)


def _release(promise: Promise, realised: Measured) -> Comparison:
    said = realised.version or realised.release
    if said is None:
        return Comparison("unknown", "release", f"the server does not say its release; {promise.release} is promised")
    if said != promise.release:
        return Comparison("broken", "release", f"SGLang {said} runs, and {promise.release} is promised")
    return Comparison("kept", "release", f"SGLang {said}")


def _tokens(promise: Promise, realised: Measured, tolerance: Tolerance) -> Iterator[Comparison]:
    promised, found = promise.kv_tokens, realised.kv_tokens
    if promised is None:
        if found is not None:
            yield Comparison("note", "kv-tokens", f"{found:,} KV tokens, without a promise to hold them against")
        return
    if found is None:
        yield Comparison(
            "unknown", "kv-tokens", f"the server does not say its KV tokens; {promised.count:,} are promised"
        )
        return
    allowed, why = _allowed(promised, tolerance)
    floor = promised.count - allowed
    share = f"{found / promised.count:.0%} of " if promised.count else ""
    text = f"{found:,} KV tokens, {share}{promised.count:,} ({promised.origin}); at least {floor:,} are wanted ({why})"
    if found < floor:
        yield Comparison("broken", "kv-tokens", text)
        return
    yield Comparison("kept", "kv-tokens", text)
    if found > promised.count + allowed:
        yield Comparison("note", "kv-tokens", f"{found - promised.count:,} KV tokens more than promised")


def _allowed(promised: KvTokens, tolerance: Tolerance) -> tuple[int, str]:
    """How many tokens fewer are taken, and why so many."""
    least = int(promised.count * tolerance.least)
    if promised.origin == "exact":
        return promised.error, f"± {promised.error:,}: a page" if promised.error else "the spec sets them"
    if promised.origin == "measured" or promised.error <= least:
        return least, f"less {tolerance.least:.1%}"
    most = int(promised.count * tolerance.most)
    if promised.error > most:
        return most, f"less {tolerance.most:.0%}, for the estimate may be off by {promised.error:,}"
    return promised.error, f"less {promised.error:,}: the error of the estimate"


def _settings(promise: Promise, realised: Measured) -> Iterator[Comparison]:
    """Settings that the server resolved, by the field names of its release."""
    for name, promised in promise.settings.items():
        if name not in realised.settings:
            yield Comparison("unknown", name, f"the server does not say its {name}; {promised!r} is promised")
            continue
        found = realised.settings[name]
        if found != promised:
            yield Comparison("broken", name, f"{name} is {found!r}, and {promised!r} is promised")
        else:
            yield Comparison("kept", name, f"{name} {found!r}")


def _host_pool(promise: Promise, realised: Measured, tolerance: Tolerance) -> Iterator[Comparison]:
    """The host pool of one rank. Only the journal tells it: without, the settings above are the evidence."""
    promised = promise.host_pool_rank_bytes
    if not promised:
        return
    if realised.host_pool_gb is None:
        yield Comparison("note", "host-pool", f"the host pool of {gib(promised)} a rank is not read back")
        return
    found = int(realised.host_pool_gb * GB)
    share = tolerance.least
    if promise.kv_tokens is not None and promise.kv_tokens.origin == "estimated" and promise.kv_tokens.count:
        share = min(tolerance.most, max(share, promise.kv_tokens.error / promise.kv_tokens.count))
    floor = int(promised * (1 - share))
    text = f"a host pool of {gib(found)} a rank of {gib(promised)}; at least {gib(floor)} are wanted (less {share:.1%})"
    yield Comparison("broken" if found < floor else "kept", "host-pool", text)
