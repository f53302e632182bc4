"""Conditions on flags alone, as rows of a table: from which release to which, what is broken, what to say.

Every range of releases was found by running the start-up checks of each release on the flags (tests/oracle holds them
against it). A row whose range has ended is kept: hosts stay on old releases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sgfleet.rules.arguments import Arguments, arguments, between
from sgfleet.rules.rule import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.findings import Severity
    from sgfleet.rules.rule import ServiceView

Text = str | Callable[[Arguments], str]


class Row(NamedTuple):
    """One thing that releases object to.

    `flag` is what the finding points at; the row is looked at only where the service gives it. `broken` decides.
    `message` completes "SGLang RELEASE ..." unless it is a function. `module` is the file of the release that checks,
    `module_23` the one from `moved` on.
    """

    flag: str
    broken: Callable[[Arguments], bool]
    message: Text
    help: Text | None = None
    since: str | None = None
    until: str | None = None
    sums: Callable[[Arguments], str] | None = None
    others: tuple[str, ...] = ()
    severity: Severity | None = None
    hook: str = "validation_hook"
    moved: str = "0.5.19"


def judge(view: ServiceView, rows: Iterable[Row]) -> Iterator[Problem]:
    """The rows that a service breaks in its release."""
    args = arguments(view)
    if args is None:
        return
    release, declared = view.service.release, args.release.by_name
    for row in rows:
        flag = declared.get(row.flag)
        if flag is None or flag.dest not in args.given:  # most rows, of which there are hundreds a service
            continue
        given = args.said(row.flag)
        if given is None or not between(release, row.since, row.until) or not row.broken(args):
            continue
        message = row.message if isinstance(row.message, str) else row.message(args)
        yield Problem(
            given.route,
            message.format(release=release),
            arithmetic=() if row.sums is None else (row.sums(args),),
            help=row.help if row.help is None or isinstance(row.help, str) else row.help(args),
            based_on=(f"SGLang {release}, {source(release, row.hook, row.moved)}",),
            related=tuple((args.route(name), "the other flag") for name in row.others if args.said(name)),
            severity=row.severity,
        )


def source(release: str, hook: str, moved: str = "0.5.19") -> str:
    """The file of a release that checks: one file for everything, then one for each subject."""
    return f"srt/arg_groups/{hook}.py" if between(release, moved) else "srt/server_args.py"


def without_radix_cache(args: Arguments, *beside: str) -> str:
    """How to turn the radix cache off, with other lines beside it: what is built on the cache goes with it."""
    lines = " and ".join(f"`{line}`" for line in ("disable-radix-cache: true", *beside))
    return f"add {lines}" + (" and remove enable-hierarchical-cache" if args.on("enable-hierarchical-cache") else "")


def host_pool(args: Arguments) -> bool:
    """Whether anything keeps a pool in host RAM, which the `hicache-` flags are about."""
    return (
        args.on("enable-hierarchical-cache")
        or args.on("disaggregation-decode-enable-offload-kvcache")
        or args.text("disaggregation-decode-retraction-backup") == "host_pool"
        or args.on("enable-unified-cache-external-linker")
        or args.on("enable-hisparse")
        or args.on("enable-hierarchical-sparse-attention")
    )


def speculative(args: Arguments) -> str | None:
    """The speculative algorithm in capitals, None for none."""
    name = args.text("speculative-algorithm")
    return None if name is None or name.upper() == "NONE" else name.upper()


def attention_dp(args: Arguments) -> int:
    """Ways of data-parallel attention: 1 where there is none."""
    if args.has("attn-dp-size"):
        ways = args.integer("attn-dp-size") or 1
        if ways > 1 or not args.on("enable-dp-attention"):
            return ways
    if not args.on("enable-dp-attention"):
        return 1
    if between(args.release.version, None, "0.4.4"):
        return args.integer("tp-size") or 1
    return args.integer("dp-size") or 1
