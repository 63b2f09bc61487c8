"""The linear program: seconds and peak memory, each solve in a process of its own."""

from __future__ import annotations

from typing import Any

from benchmarks.contestants import INFOSET, OPEN_SPIEL
from benchmarks.report import NOTHING, Section, Table, mebibytes, seconds, verdict
from benchmarks.timing import in_child

GAMES = ("leduc", "liars_dice(faces=5)", "nolimit_leduc(stack=5)")
OPEN_SPIEL_GAMES = {
    "leduc": "leduc_poker",
    "liars_dice(faces=5)": "liars_dice(dice_sides=5,numdice=1)",
}
BAR_SECONDS = 5.0
BAR_BYTES = 2**30


def measure(*, quick: bool) -> Section:
    """Solve each game once by each program that can."""
    table = Table(
        "Exact solution by linear programming",
        ("game", "program", "compile", "solve", "peak memory", "value", "exploitability", "met"),
        num_words=2,
        notes=[
            f"The bar: a few seconds, taken as {BAR_SECONDS:g}, and 1 GiB. Peak memory is that of "
            "the whole process, Python and libraries included."
        ],
    )
    section = Section([table])
    for game in GAMES[:1] if quick else GAMES:
        found = in_child("linear_program", game)
        _add(section, table, game, INFOSET, found)
        if game in OPEN_SPIEL_GAMES:
            found = in_child("open_spiel_linear_program", OPEN_SPIEL_GAMES[game])
            _add(section, table, game, OPEN_SPIEL, found)
    return section


def _add(section: Section, table: Table, game: str, program: str, found: dict[str, Any]) -> None:
    section.record(game, "lp", program, **found)
    if "error" in found:
        table.rows.append((game, program, *[NOTHING] * 6))
        table.notes.append(f"{program} on {game}: {found['error']}")
        return
    share = min(BAR_SECONDS / found["seconds"], BAR_BYTES / found["peak_bytes"])
    figures = (
        seconds(found.get("compile_seconds")),
        seconds(found["seconds"]),
        mebibytes(found["peak_bytes"]),
        f"{found['value']:.9f}",
        f"{found['exploitability']:.1e}",
        ("yes" if share >= 1.0 else verdict(share)) if program == INFOSET else NOTHING,
    )
    table.rows.append((game, program, *figures))
