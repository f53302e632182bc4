"""The flags of a release that somebody names on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfleet.cli.common import FindingsError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from sgfleet.engine.release import Release


def load_release(version: str, root: Path | None) -> Release:
    """The release's flags, from the repository's schemas first.

    Raises:
        UsageError: there is no such release.
        FindingsError: its schema is damaged.
    """
    from sgfleet.engine import store
    from sgfleet.engine.damage import damage
    from sgfleet.engine.version import is_release

    try:
        return store.load(version, root)
    except store.UnknownReleaseError as error:
        hints = [f"near: {', '.join(error.near)}"] if error.near else []
        whole = is_release(version) and version.count(".") > 1
        if whole:
            hints.append(f"`sgfleet schema add {version}` adds it")
        elif known := store.available(root):
            hints.append(f"the newest of {len(known)} is {known[-1]}; `sgfleet schema list` has all")
        raise UsageError(error.message, "; ".join(hints)) from None
    except store.DamagedSchemaError as error:
        raise FindingsError([damage(error, root)]) from None
