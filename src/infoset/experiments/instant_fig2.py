"""Figure 2 of instant CFR: leaving early iterations out of the average, on Leduc games.

The paper shows a river of hold'em; these are the same questions on smaller games.
"""

from __future__ import annotations

from pathlib import Path

from infoset.experiments.claims import note, verdict
from infoset.experiments.convergence import RANGE, UnitMeasurer, rounded, write_curves
from infoset.experiments.instant_fig1a import NEAREST
from infoset.experiments.instant_methods import HYBRIDS, INSTANT
from infoset.experiments.instant_skipping import (
    CLAIM,
    best_skip,
    draw_halves,
    draw_skips,
    measure_skipping,
    num_runs,
    skipping_claims,
    skipping_rows,
)
from infoset.experiments.registry import Report, Step, experiment

__all__ = ["GAMES"]

GAMES = (NEAREST, "leduc", "leduc5(by_rank=true)")


@experiment("instant-fig2", paper=INSTANT, artifact="Figure 2", claim=CLAIM)
def instant_fig2(out: Path, *, quick: bool, progress: Step) -> Report:
    """Nine methods with and without the first half, and ten shares skipped by one of them."""
    end, repetitions = (200, 2) if quick else (1000, 10)
    games = GAMES[:2] if quick else GAMES
    found = {}
    for i, game in enumerate(games):
        share = i / len(games), (i + 1) / len(games)
        measurer = UnitMeasurer(game, repetitions, progress, share, num_runs(HYBRIDS))
        found[game] = measure_skipping(measurer, HYBRIDS, end)
    progress(1.0, "drawing")
    write_curves(out / "instant-fig2b-curves.json", {game: f.skips for game, f in found.items()})
    claims = skipping_claims(found)
    return Report(
        verdict=verdict(claims, smaller=True),
        rows=skipping_rows(found, RANGE),
        numbers={
            **{f"best_skip on {game}": float(best_skip(f.skips)) for game, f in found.items()},
            **{
                f"times_faster_than {hybrid} on {game}": rounded(speed)
                for game, f in found.items()
                for hybrid, speed in f.speeds.items()
            },
        },
        figures=[
            *draw_halves(found, out, "instant-fig2a"),
            *draw_skips(found, out, "instant-fig2b"),
        ],
        note=note(
            claims,
            f"On Leduc games, {end:,} iterations, {repetitions} runs that differ in rounding only.",
        ),
    )
