"""Does it serve what was promised: health, one real generation, what it realised, and no sign of dying in its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sgfleet.agent.gate import Tolerance, judge
from sgfleet.agent.reason import Reason
from sgfleet.agent.seen import Gate
from sgfleet.agent.server import PROBING, HttpServer, ask_url

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sgfleet.agent.brief import Brief
    from sgfleet.agent.server import Probing, Server


class Probed(NamedTuple):
    """`gate` for the planner; `pause_seconds` before the next probe; `kv_tokens` as realised, where it is known."""

    gate: Gate
    pause_seconds: float
    kv_tokens: int | None = None


def server_of(brief: Brief, probing: Probing, root: Path | None = None) -> Server:
    """The server that a brief describes.

    Raises:
        UnknownEndpointsError: this sgfleet does not know the release's endpoints.
    """
    from sgfleet.agent.secret_file import value_of
    from sgfleet.engine.endpoints import load

    key = brief.address.key

    def read_key() -> str | None:
        if key is None:
            return None
        return key.text if key.text is not None or key.variable is None else value_of(key.variable, key.files)

    return HttpServer(brief.address, load(brief.release, root), read_key, probing)


def probe(
    brief: Brief | None,
    log: Callable[[], str | None],
    tolerance: float,
    kv_tokens: int | None,
    probing: Probing = PROBING,
) -> Probed:
    """Ask once. `log` gives the first sign of dying in the unit's journal; `kv_tokens` is what a verified start had."""
    if brief is None:
        text = "what to ask this server is not known: its unit was not made from a commit that is here"
        return Probed(Gate(None, Reason("no-brief", text)), probing.after_not_ready)
    if not brief.promise.serves or brief.address.other_front is not None:
        if brief.health_url is not None:
            return _by_url(brief.health_url, log, probing)
        why = brief.address.other_front or "this process answers no requests: another host of its group does"
        if dying := log():
            return Probed(Gate(False, Reason("log", dying)), probing.healthy)
        return Probed(Gate(True, Reason("not-asked", f"only its process is watched: {why}")), probing.healthy)
    from sgfleet.engine.endpoints import UnknownEndpointsError

    try:
        server = server_of(brief, probing)
    except UnknownEndpointsError as error:
        return Probed(Gate(False, Reason("endpoints", str(error))), probing.after_not_ready)
    return _asked(server, brief, log, Wish(tolerance, kv_tokens, probing))


def _by_url(url: str, log: Callable[[], str | None], probing: Probing) -> Probed:
    """A process with other endpoints than the release's: what its spec names is asked."""
    answer = ask_url(url, probing)
    if not answer.ok:
        return Probed(Gate(None, Reason(f"url-{answer.kind}", answer.text)), probing.pause(answer))
    if dying := log():
        return Probed(Gate(False, Reason("log", dying)), probing.healthy)
    return Probed(Gate(True, Reason("url", f"{url}: 200")), probing.healthy)


class Wish(NamedTuple):
    """What the answers are held against, and how long they may take."""

    tolerance: float
    kv_tokens: int | None
    probing: Probing


def _asked(server: Server, brief: Brief, log: Callable[[], str | None], wish: Wish) -> Probed:
    from sgfleet.observe.server_info import looks_like, measure

    for what, call in (("health", server.health), ("generate", server.generate), ("info", server.info)):
        answer = call()
        if answer.ok:
            continue
        reason = Reason(f"{what}-{answer.kind}", answer.text)
        if answer.status in {401, 403}:
            return Probed(Gate(False, reason._replace(help="see secrets: and environment-files: of the spec")), 0.0)
        return Probed(Gate(None, reason), wish.probing.pause(answer))
    if brief.health_url is not None and not (well := ask_url(brief.health_url, wish.probing)).ok:
        return Probed(Gate(None, Reason(f"url-{well.kind}", well.text)), wish.probing.pause(well))
    if not isinstance(answer.data, dict) or not looks_like(answer.data):
        return Probed(Gate(False, Reason("info-wrong", "what it says of itself is not what SGLang says")), 0.0)
    measured = measure(answer.data)
    verdict = judge(brief.promise.with_measured(wish.kv_tokens), measured, Tolerance(least=wish.tolerance))
    if not verdict.ok:
        return Probed(Gate(False, Reason("promise", verdict.text)), wish.probing.healthy, measured.kv_tokens)
    if dying := log():
        return Probed(Gate(False, Reason("log", dying)), wish.probing.healthy, measured.kv_tokens)
    return Probed(Gate(True, Reason("serves", verdict.text)), wish.probing.healthy, measured.kv_tokens)
