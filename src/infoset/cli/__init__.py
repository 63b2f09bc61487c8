"""What a person types: the command ``infoset``.

One file per command; `infoset.cli.commands` lists them. Nothing here is imported until a command
needs it, so that ``infoset --help`` answers at once.
"""

from __future__ import annotations

from infoset.cli.streams import end_politely, guarded, open_missing

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit: 0 done, 2 bad input, 130 interrupted, 1 anything else."""
    open_missing()
    end_politely()
    with guarded():
        from infoset.cli.commands import app

        app(prog_name="infoset")
