"""Table 1 of instant CFR, the river and turn rows: long runs on random situations of hold'em."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from infoset.experiments.curves import Curves, drawing, end_rows, in_mbb, rounded
from infoset.experiments.instant_fig1 import INSTANT
from infoset.experiments.instant_table1 import (
    FLOORED,
    Findings,
    Setting,
    by_end,
    choose,
    lower_claims,
    lowered,
    settings,
    sweep_settings,
    table_algorithms,
    write_sweeps,
)
from infoset.experiments.measurer import on_situations, parts, size_of_situations
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLUE, GREY, RED

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


def _add_river(name: str, kind: str) -> None:
    """Add a row of rivers: parameters of DCFR are chosen by a sweep, thirty situations run."""

    @experiment(
        name, paper=INSTANT, artifact=f"Table 1, the {kind} row", claim=lowered(PAPER[kind])
    )
    def run(out: Path, *, quick: bool, progress: Step) -> Report:
        end, seeds = (100, range(3)) if quick else (PAPER_ITERATIONS, range(30))
        sweeping, choosing, running = parts(progress, (10, 15, 75))
        tried = [s for s in settings(quick=quick) if not s.instant or s.beta == FLOORED]
        # Short runs with every setting, long ones with the few best, then those of the table.
        sweep = sweep_settings(on_situations(kind, [APART]), tried, end // 10, sweeping)
        both = on_situations(kind, [APART, APART + 1])
        chosen = choose(both, sweep, [*PRESETS], end, choosing, SHORTLIST)
        curves = on_situations(kind, seeds).curves(table_algorithms(chosen), [end], running)
        progress(1.0, "drawing")
        write_sweeps(out / f"{name}-sweep.json", {kind: sweep})
        remark = (
            "Parameters are (alpha, beta, gamma), chosen on other situations: the "
            f"{SHORTLIST} best of a sweep over {len(sweep)} settings are run again for {end:,} "
            "iterations."
        )
        return _report(name, kind, Findings(chosen, curves, sweep), out, remark, smaller=quick)


_add_river("instant-table1-river5k", "River(5k)")
_add_river("instant-table1-river500", "River(500)")


@experiment(
    "instant-table1-turn",
    paper=INSTANT,
    artifact="Table 1, the Turn(5k) row",
    claim=lowered(PAPER["Turn(5k)"]),
)
def instant_table1_turn(out: Path, *, quick: bool, progress: Step) -> Report:
    """Shorter runs than the paper's, with parameters that are not swept: turns are large."""
    name, kind = "instant-table1-turn", "Turn(5k)"
    end, seeds = (6, range(2)) if quick else (200, range(30))
    curves = on_situations(kind, seeds).curves(table_algorithms(PRESETS), [end], progress)
    progress(1.0, "drawing")
    remark = (
        f"{end:,} iterations, not 10,000: so the paper's figures are lower. Parameters (alpha, "
        "beta, gamma) are the usual ones, not swept."
    )
    return _report(name, kind, Findings(PRESETS, curves, {}), out, remark, smaller=True)


def _report(
    name: str, kind: str, findings: Findings, out: Path, remark: str, *, smaller: bool
) -> Report:
    curves = findings.curves
    end, repetitions = int(curves["CFR+"].iterations[-1]), len(curves["CFR+"].runs)
    order = by_end(curves)
    claims = [
        *lower_claims(curves, end, swept=bool(findings.sweep)),
        Claim(f"from the lowest: {', '.join(ORDER)}", order == ORDER, ", ".join(order)),
    ]
    if end == PAPER_ITERATIONS:
        times = {column: curves[column].last / printed for column, printed in PAPER[kind].items()}
        claims.append(
            Claim(
                "the figures are the printed ones within a factor of two, if in chips",
                all(0.5 <= ratio <= 2 for ratio in times.values()),
                ", ".join(f"{column} {ratio:.2g} times" for column, ratio in times.items()),
            )
        )
    return report(
        claims,
        f"{repetitions} random situations. In chips: the geometric mean with its 95 % "
        "interval from 'low' to 'high', and the arithmetic mean with half of its.",
        remark,
        rows=_rows(kind, findings, end),
        numbers={column: rounded(curve.last) for column, curve in curves.items()},
        figures=_draw(name, kind, curves, out),
        smaller=smaller,
    )


def _rows(kind: str, findings: Findings, end: int) -> list[dict[str, Cell]]:
    curves = findings.curves
    label = f"{kind}, {end:,} iterations"
    ends, low, high = end_rows("game", label, curves)
    means = {column: curve.last_mean for column, curve in curves.items()}
    others: dict[str, dict[str, Cell]] = {
        "mbb": {column: in_mbb(curve.last) for column, curve in curves.items()},
        "arithmetic mean": {column: rounded(mean) for column, (mean, _) in means.items()},
        "plus or minus": {column: rounded(half) for column, (_, half) in means.items()},
        "parameters": {column: str(setting) for column, setting in findings.chosen.items()},
    }
    return [
        {"game": f"{kind} in the paper", "infosets": PAPER_INFOSETS[kind], **PAPER[kind]},
        {"game": label, **size_of_situations(kind), **ends},
        low,
        high,
        *({"game": f"  {name}", **cells} for name, cells in others.items()),
    ]


def _draw(name: str, kind: str, curves: Curves, out: Path) -> Sequence[Path]:
    """A dot a situation, the mean with its interval, and what the paper prints."""
    columns = ORDER[::-1]
    with drawing(out, name, size=(5.8, 4.8), legend={"ncols": 2}) as figure:
        (axes,) = figure.panels
        for x, column in enumerate(columns):
            curve = curves[column]
            ends = np.sort(curve.runs[:, -1])
            aside = x + np.linspace(-0.2, 0.2, len(ends))
            axes.plot(aside, ends, ".", color=GREY, markersize=4, alpha=0.6)
            low, high = curve.last_band.values()
            error = [[curve.last - low], [high - curve.last]]
            axes.errorbar(x, curve.last, error, fmt="o", color=BLUE, capsize=4, zorder=3)
            axes.plot(x, PAPER[kind][column], "D", color="white", markeredgecolor=RED)
        axes.set_yscale("log")
        axes.set_xlabel("")
        axes.set_xticks(range(len(columns)), columns)
        axes.grid(visible=False, axis="x")
        axes.set_title(f"{kind}, {curve.iterations[-1]:,} iterations")
        axes.plot([], [], ".", color=GREY, label=f"{len(ends)} situations, in order")
        axes.plot([], [], "o", color=BLUE, label="mean, 95 % interval")
        label = f"the paper after {PAPER_ITERATIONS:,}, if in chips"
        axes.plot([], [], "D", color="white", markeredgecolor=RED, label=label)
    return figure.files
