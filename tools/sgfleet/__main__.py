"""Where every call of `sgfleet` and of `python -m sgfleet` begins.

Nothing is imported before a Ctrl-C is provided for: before that, it is a traceback.
"""

import sys


def run() -> None:
    """The console script."""
    try:
        from sgfleet.cli import interrupt

        interrupt.ends()
    except KeyboardInterrupt:
        sys.exit(130)
    from sgfleet.cli.main import run as run_command

    run_command()


if __name__ == "__main__":
    run()
