"""Figures 1b and 1c of instant CFR: what instant updates do to each method on rivers of hold'em."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import INTERVAL, Curve, rounded, spaced, write_curves
from infoset.experiments.instant_methods import (
    FIRST_DRAWN,
    HYBRID_NOTE,
    HYBRIDS,
    INSTANT,
    PAIRS,
    algorithms_with,
    beats_claim,
    compare_pairs,
    draw_methods,
    instant_claim,
)
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.experiments.situations import SituationMeasurer, in_mbb, size_row
from infoset.explore import panels, save

__all__ = ["scale"]

CLAIM = (
    "all methods converge faster with instant updates; DCFR is the strongest without them; IDCFR+ "
    "beats CFR, CFR+, DCFR and hybrid CFR+"
)

Curves = Mapping[str, Curve]


def scale(*, quick: bool) -> tuple[int, range]:
    """Iterations, and the seeds of the situations."""
    return (100, range(3)) if quick else (1000, range(30))


@experiment("instant-fig1b", paper=INSTANT, artifact="Figure 1b, River(5k)", claim=CLAIM)
def instant_fig1b(out: Path, *, quick: bool, progress: Step) -> Report:
    """A thousand iterations of every method on thirty rivers with 5,000 chips in the pot."""
    return _report("instant-fig1b", "River(5k)", out, progress, quick=quick)


@experiment("instant-fig1c", paper=INSTANT, artifact="Figure 1c, River(500)", claim=CLAIM)
def instant_fig1c(out: Path, *, quick: bool, progress: Step) -> Report:
    """A thousand iterations of every method on thirty rivers with 500 chips in the pot."""
    return _report("instant-fig1c", "River(500)", out, progress, quick=quick)


def _report(name: str, kind: str, out: Path, progress: Step, *, quick: bool) -> Report:
    end, seeds = scale(quick=quick)
    algorithms = algorithms_with(HYBRIDS)
    measurer = SituationMeasurer(kind, seeds, progress, (0.0, 1.0), len(algorithms))
    curves = {algorithm: measurer.curve(algorithm, spaced(end)) for algorithm in algorithms}
    progress(1.0, "drawing")
    write_curves(out / f"{name}-curves.json", {kind: curves}, INTERVAL)
    begin = end // 10
    claims = _claims(curves, begin)
    size = size_row(measurer.spot)
    words = [comparison.word for comparison in compare_pairs(curves, begin).values()]
    return Report(
        verdict=verdict(claims, smaller=quick),
        rows=_rows(curves, begin),
        numbers={
            f"pairs_{word}": float(words.count(word)) for word in ("better", "worse", "unclear")
        },
        figures=_draw(name, kind, curves, len(seeds), out),
        note=note(
            claims,
            f"{kind}: {len(seeds)} random situations of {size['decisions']} decisions and about "
            f"{size['infosets']:,} infosets. Exploitability in chips and thousandths of a big "
            "blind of 100: geometric means over the situations and their 95 % intervals.",
            f"'Times lower' compares exploitability over iterations {begin} to {end}, situation "
            "by situation; 'from' and 'to' are the 95 % interval of the mean.",
            f"Up to iteration {begin} instant updates are, times lower: {_early(curves, begin)}.",
            HYBRID_NOTE,
        ),
    )


def _claims(curves: Curves, begin: int) -> list[Claim]:
    hybrids = tuple(HYBRIDS.values())
    return [
        instant_claim(curves, begin),
        beats_claim(
            "without instant updates DCFR beats CFR, CFR+ and hybrid CFR+",
            curves,
            ("dcfr",),
            ("cfr", "cfr+", *hybrids),
            begin,
        ),
        beats_claim(
            "IDCFR+ beats CFR, CFR+, DCFR and hybrid CFR+",
            curves,
            ("idcfr+",),
            ("cfr", "cfr+", "dcfr", *hybrids),
            begin,
        ),
    ]


def _early(curves: Curves, begin: int) -> str:
    first = min(FIRST_DRAWN, begin // 2)
    early = {name: curve.between(first, begin) for name, curve in curves.items()}
    return ", ".join(f"{m} {c.times:.2f}" for m, c in compare_pairs(early, first).items())


def _rows(curves: Curves, begin: int) -> list[dict[str, Cell]]:
    found = compare_pairs(curves, begin)
    rows = [_row(label, curves[name]) for label, name in HYBRIDS.items()]
    for method, (original, instant) in PAIRS.items():
        comparison = found[method]
        rows.append(_row(method, curves[original]))
        rows.append(
            {
                **_row(f"I{method}", curves[instant]),
                "times lower": rounded(comparison.times),
                "from": rounded(comparison.low),
                "to": rounded(comparison.high),
                "instant is": comparison.word,
            }
        )
    return rows


def _row(method: str, curve: Curve) -> dict[str, Cell]:
    return {
        "method": method,
        "exploitability": rounded(curve.last),
        **INTERVAL.last(curve),
        "mbb": in_mbb(curve.last),
    }


def _draw(name: str, kind: str, curves: Curves, repetitions: int, out: Path) -> Sequence[Path]:
    with panels(1, 1, width=6.4, height=5.6) as (figure, grid):
        axes = grid[0, 0]
        draw_methods(axes, curves, HYBRIDS, INTERVAL)
        axes.set_title(
            f"{kind}, {repetitions} random situations\n"
            "Dashed: the original method. Solid: with instant updates.",
            fontsize=10,
        )
        axes.set_xlabel("iterations")
        axes.set_ylabel("exploitability (chips), mean and its 95 % interval")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
        return save(figure, out, name)
