"""Figure 2 of instant CFR: leaving early iterations out of the average, on rivers of hold'em."""

from __future__ import annotations

from pathlib import Path

from infoset.experiments.claims import note, verdict
from infoset.experiments.convergence import INTERVAL, rounded, write_curves
from infoset.experiments.instant_fig1_rivers import scale
from infoset.experiments.instant_methods import HYBRID_NOTE, HYBRIDS, INSTANT
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
from infoset.experiments.situations import SituationMeasurer, in_mbb

__all__ = ["KIND"]

KIND = "River(5k)"


@experiment("instant-fig2-river", paper=INSTANT, artifact="Figure 2, River(5k)", claim=CLAIM)
def instant_fig2_river(out: Path, *, quick: bool, progress: Step) -> Report:
    """Each method with and without the first half, and ten shares skipped by one of them."""
    end, seeds = scale(quick=quick)
    measurer = SituationMeasurer(KIND, seeds, progress, (0.0, 1.0), num_runs(HYBRIDS))
    found = measure_skipping(measurer, HYBRIDS, end)
    progress(1.0, "drawing")
    write_curves(out / "instant-fig2-river-curves.json", {KIND: found.skips}, INTERVAL)
    claims = skipping_claims({KIND: found})
    return Report(
        verdict=verdict(claims, smaller=quick),
        rows=[
            {**row, "mbb": in_mbb(float(str(row["exploitability"])))}
            for row in skipping_rows({KIND: found}, INTERVAL)
        ],
        numbers={
            "best_skip": float(best_skip(found.skips)),
            **{f"times_faster_than {m}": rounded(speed) for m, speed in found.speeds.items()},
        },
        figures=[
            *draw_halves({KIND: found}, out, "instant-fig2a-river"),
            *draw_skips({KIND: found}, out, "instant-fig2b-river"),
        ],
        note=note(
            claims,
            f"{len(seeds)} random situations, {end:,} iterations; geometric means over the "
            "situations and their 95 % intervals, in chips and thousandths of a big blind of 100.",
            HYBRID_NOTE,
        ),
    )
