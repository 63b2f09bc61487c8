"""What a person types: the command ``infoset``.

One file per group of commands; `infoset.cli.commands` lists them. Nothing here is imported until
a command needs it, so that ``infoset --help`` answers at once.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit: 0 when done, 2 for bad input, 1 for anything else."""
    # A closed descriptor (`>&-`) leaves None here, and printing would then be an error.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    try:
        from infoset.cli.commands import app

        app(prog_name="infoset")
    except KeyboardInterrupt:
        sys.stderr.write("infoset: interrupted\n")
        sys.exit(1)
