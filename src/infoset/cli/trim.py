"""Make a saved solution small: keep what is above a cut, and what is won below."""

from __future__ import annotations

from pathlib import Path

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.options import option
from infoset.cli.output import number, print_facts, printable, write_json
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine
from infoset.errors import BadInputError
from infoset.machine.interrupts import heard_interrupts


@command(example="infoset trim flop.infoset --at river --save small.infoset")
def trim(
    file: Path = options.SOLVED,
    at: str | None = option(
        "--at CUT", "Where to cut: round=2, depth=3, public, or of a spot turn or river."
    ),
    save: Path | None = option("--save FILE", "Write the trimmed solution here."),
    game: str | None = options.GAME,
    json: bool = options.JSON,
    quiet: bool = options.QUIET,
) -> None:
    """Make a solution small: keep what is above a cut.

    Of what is below, only what can be won there is kept.
    What was thrown away is found again by infoset resolve.
    """
    if at is None or save is None:
        raise BadInputError("say where to trim, and what to write: --at river --save small.infoset")
    check_files(read={"FILE": file, "--game": target_file(game)}, written={"--save": save})

    from infoset import api
    from infoset.machine.memory import format_bytes

    with LiveLine(printable(str(file)), quiet=quiet) as line, heard_interrupts():
        line.announce("reading the solution")
        solution = api.load(file, game)
        line.announce("working out what can be won below the cut")
        small = api.trim(solution, at)
        small.save(save)
    assert small.below is not None
    before, after = file.stat().st_size, save.stat().st_size
    values = sum(of_player.size for of_player in small.below.values)
    if json:
        document = {
            "file": str(file),
            "cut": small.below.cut,
            "infosets": len(small.strategy),
            "values": values,
            "bytes_before": before,
            "bytes_after": after,
            "exploitability": small.exploitability,
        }
        write_json(document)
        return
    print_facts(
        [
            ("game" if small.spot is None else "spot", printable(small.game)),
            ("cut", small.below.cut),
            ("kept", f"{len(small.strategy):,} infosets above, {values:,} values below"),
            (
                "size",
                f"{format_bytes(after)} instead of {format_bytes(before)}: {before / after:.1f} "
                "times smaller",
            ),
            ("exploitability", f"{number(small.exploitability)} chips before it was trimmed"),
        ]
    )
