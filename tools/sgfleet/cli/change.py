"""`--set FLAG=VALUE` and `--release R`: a change that is tried on paper."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sgfleet.cli.common import UsageError
from sgfleet.cli.releases import load_release

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from sgfleet.engine.release import Release
    from sgfleet.fleet.workspace import Workspace
    from sgfleet.rules.rule import Problem


def add_change(parser: argparse.ArgumentParser) -> None:
    """`--set`, which may be repeated, and `--release`."""
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        default=[],
        metavar="FLAG=VALUE",
        help="with this flag instead; an empty value takes it away",
    )
    parser.add_argument("--release", metavar="R", help="with this release of SGLang instead")


class Change(NamedTuple):
    """What is different. A flag that is set to None is not given."""

    flags: Mapping[str, Any] = MappingProxyType({})
    release: str | None = None

    def __bool__(self) -> bool:
        """Whether anything is changed."""
        return bool(self.flags) or self.release is not None

    def applied(self, flags: Mapping[str, Any], release: Release) -> dict[str, Any]:
        """A service's flags with the change, under whatever name of a flag it has them.

        Raises:
            UsageError: the release has no such flag, or the flag takes no such value.
        """
        from sgfleet.engine.argv.values import check_value

        changed = dict(flags)
        for name, value in self.flags.items():
            flag = release.by_name.get(name)
            if flag is None:
                raise UsageError(f"SGLang {release.version} has no flag {name!r}", _instead(release, name))
            problem = check_value(flag, value, name) or next(_read_later(name, value, release), None)
            if problem is not None:
                raise UsageError(*_unquoted(name, value, problem.message, problem.help))
            for other in flag.names:
                changed.pop(other, None)
            if value is not None:
                changed[name] = value
        return changed


def change_of(changes: Sequence[str], release: str | None, workspace: Workspace) -> Change:
    """The change that a call asks for.

    Raises:
        UsageError: an argument is no FLAG=VALUE, or there is no such release.
        FindingsError: the release's schema is damaged.
    """
    if release is not None:
        load_release(release, workspace.root)
    return Change(dict(map(_pair, changes)), release)


def _instead(release: Release, name: str) -> str:
    from sgfleet.engine.meant import meant_by

    found = meant_by(release, name)
    shown = found.names[:_SHOWN]
    more = f" or one of {len(found.names) - _SHOWN} more" if len(found.names) > _SHOWN else ""
    return f"did you mean {' or '.join(shown)}{more}?" if shown else "no flag of this release comes near"


_SHOWN: Final = 6


def _pair(text: str) -> tuple[str, Any]:
    from sgfleet.source.scalars import NumberRangeError, resolve
    from sgfleet.spec.secrecy import HIDDEN, secret_spans

    name, equals, value = text.partition("=")
    name = name.strip().removeprefix("--")
    if not name or not equals:
        shown = HIDDEN if secret_spans(f"--{text.removeprefix('--')}") else text
        raise UsageError(f"--set {shown}: not FLAG=VALUE", "such as --set hicache-ratio=4")
    try:
        return name, resolve(value)
    except NumberRangeError as error:
        raise UsageError(f"--set {name}: {error}") from error


def _read_later(name: str, value: Any, release: Release) -> Iterator[Problem]:
    """What no server could read of a value that the parser lets pass, or work with. The value alone decides."""
    from sgfleet.rules.flags import late_choice, late_json, out_of_range
    from sgfleet.rules.rule import ServiceView
    from sgfleet.spec import valid

    beside = {"SGLANG_GRPC_PORT": "1"}  # otherwise it depends on this variable which ports there may be
    given = {"release": release.version, "python": "/usr/bin/python3", "flags": {name: value}, "environment": beside}
    view = ServiceView("", valid.service(given), valid.default_policy(), release)
    yield from late_choice.check(view)
    yield from late_json.check(view)
    yield from out_of_range.check(view)


def _unquoted(name: str, value: Any, message: str, help_: str | None) -> tuple[str, str | None]:
    """What is wrong with a value, which is not quoted where it is a secret."""
    from sgfleet.spec.secrecy import hidden_in

    if any(hidden_in({name: value})):
        return f"--set {name}: {name} takes no such value", None
    return f"--set {name}: {message}", help_
