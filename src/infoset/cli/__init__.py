"""What a person types: the command ``infoset``.

One file per command; `infoset.cli.commands` lists them. Nothing here is imported until a command
needs it, so that ``infoset --help`` answers at once.
"""

from __future__ import annotations

import sys

from infoset.cli.streams import complain, mute_stdout, open_missing

__all__ = ["main"]

FAILED, INTERRUPTED = 1, 130


def main() -> None:
    """Run the command line and exit: 0 done, 2 bad input, 130 interrupted, 1 anything else."""
    open_missing()
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        complain("interrupted")
        code = INTERRUPTED
    except BrokenPipeError:
        mute_stdout()
        code = 0
    except OSError as error:
        mute_stdout()
        complain(f"the system refused: {error}")
        code = FAILED
    sys.exit(code)


def _run() -> int:
    from infoset.cli.app import has_begun
    from infoset.cli.commands import app

    try:
        app(prog_name="infoset")
    except SystemExit as end:
        # Ctrl-C before a command has begun: typer exits without a word.
        if end.code == INTERRUPTED and not has_begun():
            raise KeyboardInterrupt from None
        return end.code if isinstance(end.code, int) else 0
    return 0
