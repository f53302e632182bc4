"""A Ctrl-C before and behind a command's own work: the process ends by it, and nothing is printed.

Python's own answer is an exception, wherever the program just is: in the middle of an import that is a traceback about
modules. Only while a command works is it wanted, so that what was begun can be taken away.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers take it; the module `typing` would be imported before all else
if TYPE_CHECKING:
    from signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal
    from types import FrameType
else:  # what is built in: `signal` itself makes enumerations of it, and imports what that needs
    from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal

_came: list[bool] = []


def ends() -> None:
    """From here on a Ctrl-C ends the process, with nothing said. Where it is ignored, as by nohup, it stays so.

    Raises:
        KeyboardInterrupt: one came before.
    """
    if getsignal(SIGINT) in (default_int_handler, _raise):
        signal(SIGINT, SIG_DFL)


def raises() -> None:
    """From here on a Ctrl-C is a KeyboardInterrupt, where it would have ended the process."""
    if getsignal(SIGINT) == SIG_DFL:
        signal(SIGINT, _raise)


def came() -> bool:
    """Whether one was raised: compiled libraries make errors of their own of an exception that meets them."""
    return bool(_came)


def _raise(number: int, frame: FrameType | None) -> None:
    _came.append(True)
    default_int_handler(number, frame)
