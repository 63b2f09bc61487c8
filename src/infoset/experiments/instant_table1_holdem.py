"""Table 1 of instant CFR, the river and turn rows: long runs on random situations of hold'em."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import INTERVAL, Curve, rounded
from infoset.experiments.instant_methods import INSTANT
from infoset.experiments.instant_sweep import (
    FLOORED,
    Setting,
    Sweep,
    choose,
    settings,
    sweep_settings,
    write_sweeps,
)
from infoset.experiments.instant_table1 import by_end, lower_claims
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.experiments.situations import SituationMeasurer, in_mbb, size_row
from infoset.explore import BLUE, GREY, RED, panels, save

__all__ = ["PAPER"]

PAPER = {
    "Turn(5k)": {"CFR+": 1.9e-2, "ICFR+": 1.8e-2, "DCFR": 7.7e-3, "IDCFR+": 7.2e-3},
    "River(5k)": {"CFR+": 1.0e-2, "ICFR+": 3.9e-3, "DCFR": 2.2e-3, "IDCFR+": 1.6e-3},
    "River(500)": {"CFR+": 3.4e-3, "ICFR+": 2.2e-3, "DCFR": 1.3e-3, "IDCFR+": 1.1e-3},
}
"""The rows as printed; no unit is given."""
PAPER_ITERATIONS = 10_000
PAPER_INFOSETS = {"Turn(5k)": 1.7e6, "River(5k)": 2.4e6, "River(500)": 1.6e5}

ORDER = ["IDCFR+", "DCFR", "ICFR+", "CFR+"]
"""The paper's columns from the lowest, in each of its rows of hold'em."""
SHORTLIST = 4
APART = 1000
"""Parameters are chosen on situations from this seed on, which the table does not use."""
PRESETS = {
    "DCFR": Setting(1.5, 0.0, 2.0, instant=False),
    "IDCFR+": Setting(1.5, FLOORED, 2.0, instant=True),
}


@dataclass(frozen=True)
class Row:
    """What was measured on one kind of situation."""

    end: int
    """Iterations."""
    size: Mapping[str, Cell]
    chosen: Mapping[str, Setting]
    swept: bool
    """Whether the parameters were chosen by a sweep."""
    curves: Mapping[str, Curve]


@experiment(
    "instant-table1-river5k",
    paper=INSTANT,
    artifact="Table 1, the River(5k) row",
    claim="after 10,000 iterations instant updates lower the exploitability of CFR+ from 1.0e-2 to "
    "3.9e-3 and that of DCFR from 2.2e-3 to 1.6e-3 (IDCFR+)",
)
def instant_table1_river5k(out: Path, *, quick: bool, progress: Step) -> Report:
    """Choose the parameters of DCFR by a sweep, then run each column on thirty situations."""
    return _river("instant-table1-river5k", "River(5k)", out, progress, quick=quick)


@experiment(
    "instant-table1-river500",
    paper=INSTANT,
    artifact="Table 1, the River(500) row",
    claim="after 10,000 iterations instant updates lower the exploitability of CFR+ from 3.4e-3 to "
    "2.2e-3 and that of DCFR from 1.3e-3 to 1.1e-3 (IDCFR+)",
)
def instant_table1_river500(out: Path, *, quick: bool, progress: Step) -> Report:
    """Choose the parameters of DCFR by a sweep, then run each column on thirty situations."""
    return _river("instant-table1-river500", "River(500)", out, progress, quick=quick)


@experiment(
    "instant-table1-turn",
    paper=INSTANT,
    artifact="Table 1, the Turn(5k) row",
    claim="after 10,000 iterations instant updates lower the exploitability of CFR+ from 1.9e-2 to "
    "1.8e-2 and that of DCFR from 7.7e-3 to 7.2e-3 (IDCFR+)",
)
def instant_table1_turn(out: Path, *, quick: bool, progress: Step) -> Report:
    """Shorter runs than the paper's, with parameters that are not swept: turns are large."""
    end, seeds = (6, range(2)) if quick else (200, range(30))
    row = _measure("Turn(5k)", PRESETS, end, seeds, progress, (0.0, 1.0), swept=False)
    progress(1.0, "drawing")
    remark = (
        f"{end:,} iterations, not 10,000: so the paper's figures are lower. Parameters (alpha, "
        "beta, gamma) are the usual ones, not swept."
    )
    return _report("instant-table1-turn", "Turn(5k)", row, len(seeds), remark, out, smaller=True)


def _river(name: str, kind: str, out: Path, progress: Step, *, quick: bool) -> Report:
    end, seeds = (100, range(3)) if quick else (PAPER_ITERATIONS, range(30))
    sweep, chosen = _sweep(kind, end, progress, (0.0, 0.25), quick=quick)
    row = _measure(kind, chosen, end, seeds, progress, (0.25, 1.0), swept=True)
    progress(1.0, "drawing")
    write_sweeps(out / f"{name}-sweep.json", {kind: sweep})
    remark = (
        f"Parameters are (alpha, beta, gamma), chosen on other situations: the {SHORTLIST} best of "
        f"a sweep over {len(sweep)} settings are run again for {end:,} iterations."
    )
    return _report(name, kind, row, len(seeds), remark, out, smaller=quick)


def _sweep(
    kind: str, end: int, progress: Step, share: tuple[float, float], *, quick: bool
) -> tuple[Sweep, dict[str, Setting]]:
    """Short runs with every setting, then long ones with the few best of each column."""
    tried = [s for s in settings(quick=quick) if not s.instant or s.beta == FLOORED]
    begin, last = share
    middle = begin + 0.4 * (last - begin)
    seeds = range(APART, APART + 2)
    short = SituationMeasurer(kind, seeds[:1], progress, (begin, middle), len(tried))
    sweep = sweep_settings(short, tried, end // 10)
    columns = {
        "DCFR": [s for s in tried if not s.instant],
        "IDCFR+": [s for s in tried if s.instant],
    }
    long = SituationMeasurer(kind, seeds, progress, (middle, last), 2 * SHORTLIST)
    return sweep, choose(long, sweep, columns, end, SHORTLIST)


def _measure(
    kind: str,
    chosen: Mapping[str, Setting],
    end: int,
    seeds: range,
    progress: Step,
    share: tuple[float, float],
    *,
    swept: bool,
) -> Row:
    algorithms = {
        "CFR+": "cfr+",
        "ICFR+": "icfr+",
        **{column: setting.algorithm for column, setting in chosen.items()},
    }
    measurer = SituationMeasurer(kind, seeds, progress, share, len(algorithms))
    curves = {column: measurer.curve(text, [end]) for column, text in algorithms.items()}
    return Row(end, size_row(measurer.spot), chosen, swept, curves)


def _report(
    name: str, kind: str, row: Row, repetitions: int, remark: str, out: Path, *, smaller: bool
) -> Report:
    claims = _claims(kind, row)
    return Report(
        verdict=verdict(claims, smaller=smaller),
        rows=_lines(kind, row),
        numbers={column: rounded(curve.last) for column, curve in row.curves.items()},
        figures=_draw(name, kind, row, repetitions, out),
        note=note(
            claims,
            f"{repetitions} random situations. In chips: the geometric mean with its 95 % "
            "interval from 'low' to 'high', and the arithmetic mean with half of its.",
            remark,
        ),
    )


def _claims(kind: str, row: Row) -> list[Claim]:
    order = by_end(row.curves)
    lower = lower_claims(row.curves, row.end, swept=row.swept)
    claims = [
        *lower,
        Claim(f"from the lowest: {', '.join(ORDER)}", order == ORDER, ", ".join(order)),
    ]
    if row.end == PAPER_ITERATIONS:
        times = {c: row.curves[c].last / printed for c, printed in PAPER[kind].items()}
        claims.append(
            Claim(
                "the figures are the printed ones within a factor of two, if in chips",
                all(0.5 <= ratio <= 2 for ratio in times.values()),
                ", ".join(f"{column} {ratio:.2g} times" for column, ratio in times.items()),
            )
        )
    return claims


def _lines(kind: str, row: Row) -> list[dict[str, Cell]]:
    curves = row.curves
    means = {column: curve.last_mean for column, curve in curves.items()}
    printed: dict[str, Cell] = {"infosets": PAPER_INFOSETS[kind], **PAPER[kind]}
    lines: dict[str, Mapping[str, Cell]] = {
        f"{kind} in the paper": printed,
        f"{kind}, {row.end:,} iterations": {
            **row.size,
            **{column: rounded(curve.last) for column, curve in curves.items()},
        },
        "  low": {column: INTERVAL.last(curve)["low"] for column, curve in curves.items()},
        "  high": {column: INTERVAL.last(curve)["high"] for column, curve in curves.items()},
        "  mbb": {column: in_mbb(curve.last) for column, curve in curves.items()},
        "  arithmetic mean": {column: rounded(mean) for column, (mean, _) in means.items()},
        "  plus or minus": {column: rounded(half) for column, (_, half) in means.items()},
        "  parameters": {column: str(best) for column, best in row.chosen.items()},
    }
    return [{"game": game, **cells} for game, cells in lines.items()]


def _draw(name: str, kind: str, row: Row, repetitions: int, out: Path) -> Sequence[Path]:
    """A dot a situation, the mean with its interval, and what the paper prints."""
    columns = ORDER[::-1]
    with panels(1, 1, width=5.8, height=4.8) as (figure, grid):
        axes = grid[0, 0]
        for x, column in enumerate(columns):
            curve = row.curves[column]
            ends = np.sort(curve.runs[:, -1])
            aside = x + np.linspace(-0.2, 0.2, len(ends))
            axes.plot(aside, ends, ".", color=GREY, markersize=4, alpha=0.6)
            low, high = INTERVAL.last(curve).values()
            error = [[curve.last - low], [high - curve.last]]
            axes.errorbar(x, curve.last, error, fmt="o", color=BLUE, capsize=4, zorder=3)
            axes.plot(x, PAPER[kind][column], "D", color="white", markeredgecolor=RED)
        axes.set_yscale("log")
        axes.set_xticks(range(len(columns)), columns)
        axes.grid(visible=False, axis="x")
        axes.set_title(f"{kind}, {row.end:,} iterations")
        axes.set_ylabel("exploitability (chips, NashConv / 2)")
        axes.plot([], [], ".", color=GREY, label=f"{repetitions} situations, in order")
        axes.plot([], [], "o", color=BLUE, label="mean, 95 % interval")
        label = f"the paper after {PAPER_ITERATIONS:,}, if in chips"
        axes.plot([], [], "D", color="white", markeredgecolor=RED, label=label)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        return save(figure, out, name)
