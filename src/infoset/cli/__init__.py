"""What a person types: the command ``infoset``.

One file per group of commands; `infoset.cli.commands` lists them. Nothing here is imported until
a command needs it, so that ``infoset --help`` answers at once.
"""

from __future__ import annotations

import sys

from infoset.cli.streams import complain, mute_stdout, open_missing

__all__ = ["main"]

INTERRUPTED = 130
"""What typer exits with when Ctrl-C comes before a command has begun."""


def main() -> None:
    """Run the command line and exit: 0 when done, 2 for bad input, 1 for anything else."""
    open_missing()
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        complain("interrupted")
        code = 1
    except BrokenPipeError:
        mute_stdout()
        code = 0
    except OSError as error:
        mute_stdout()
        complain(f"the system refused: {error}")
        code = 1
    sys.exit(code)


def _run() -> int:
    from infoset.cli.commands import app

    try:
        app(prog_name="infoset")
    except SystemExit as end:
        if end.code == INTERRUPTED:
            raise KeyboardInterrupt from None
        return end.code if isinstance(end.code, int) else 0
    return 0
