"""`systemctl show` as data."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from sgfleet.systemd.port import Failure, SystemdError, UnitState

if TYPE_CHECKING:
    from collections.abc import Sequence

PROPERTIES: Final = (
    *("LoadState", "ActiveState", "SubState", "Result", "NRestarts", "MainPID", "ExecMainCode", "ExecMainStatus"),
    *("InvocationID", "Job", "FragmentPath", "DropInPaths", "NeedDaemonReload", "UnitFileState", "ControlGroup"),
    *("StateChangeTimestampMonotonic", "ActiveEnterTimestampMonotonic"),
)
"""What is asked for. A timer has no MainPID and the like: what is absent reads as 0 or empty."""


def states(names: Sequence[str], output: str) -> dict[str, UnitState]:
    """A state for each name, from the blocks of properties that systemctl printed in the same order.

    Raises:
        SystemdError: REFUSED: there are not as many blocks as names, or what should be a number is none.
    """
    blocks = output.removesuffix("\n").split("\n\n") if output else []
    if len(blocks) != len(names):
        raise SystemdError(Failure.REFUSED, f"systemctl show answered for {len(blocks)} of {len(names)} units")
    return {name: _state(name, block) for name, block in zip(names, blocks, strict=True)}


def _state(name: str, block: str) -> UnitState:
    properties = dict(line.split("=", 1) for line in block.split("\n") if "=" in line)
    if "LoadState" not in properties:
        raise SystemdError(Failure.REFUSED, f"systemctl show said nothing of the state of {name}")
    text = {key: properties.get(key, "") for key in PROPERTIES}

    def number(key: str) -> int:
        try:
            return int(text[key] or 0)
        except ValueError as error:
            message = f"systemctl show said of {name}: {key}={text[key][:40]}, which is no number"
            raise SystemdError(Failure.REFUSED, message) from error

    return UnitState(
        name=name,
        load_state=text["LoadState"],
        active_state=text["ActiveState"],
        sub_state=text["SubState"],
        result=text["Result"],
        restarts=number("NRestarts"),
        main_pid=number("MainPID"),
        exec_main_code=number("ExecMainCode"),
        exec_main_status=number("ExecMainStatus"),
        invocation_id=text["InvocationID"],
        job=number("Job"),
        fragment_path=text["FragmentPath"],
        drop_ins=_paths(text["DropInPaths"]),
        needs_reload=text["NeedDaemonReload"] == "yes",
        unit_file_state=text["UnitFileState"],
        control_group=text["ControlGroup"],
        state_change_monotonic_usec=number("StateChangeTimestampMonotonic"),
        active_enter_monotonic_usec=number("ActiveEnterTimestampMonotonic"),
    )


def _paths(text: str) -> tuple[str, ...]:
    """systemctl quotes paths as a shell would; what cannot be read so is one path, as it stands."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return (text,)
