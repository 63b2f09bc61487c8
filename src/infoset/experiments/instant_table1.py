"""Table 1 of instant CFR: ten thousand iterations, with the sweep of parameters behind them.

A row for Leduc games, and one each for two kinds of rivers and for turns, on random situations.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infoset.api import compile
from infoset.experiments.curves import Curves, drawing, end_rows, in_mbb, rounded, write_text
from infoset.experiments.instant_fig1 import INSTANT, NEAREST
from infoset.experiments.measurer import (
    Measurer,
    each,
    in_units,
    on_situations,
    parts,
    size_of_situations,
)
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED

GAMES = (NEAREST, "leduc")

PAPER = {
    "Leduc": {"CFR+": 2.9e-5, "ICFR+": 2.3e-5, "DCFR": 3.5e-5, "IDCFR+": 3.1e-5},
    "Turn(5k)": {"CFR+": 1.9e-2, "ICFR+": 1.8e-2, "DCFR": 7.7e-3, "IDCFR+": 7.2e-3},
    "River(5k)": {"CFR+": 1.0e-2, "ICFR+": 3.9e-3, "DCFR": 2.2e-3, "IDCFR+": 1.6e-3},
    "River(500)": {"CFR+": 3.4e-3, "ICFR+": 2.2e-3, "DCFR": 1.3e-3, "IDCFR+": 1.1e-3},
}
"""The rows as printed, without a unit; Leduc's plus-minus is 1.8e-7, 1.7e-7, 4.0e-7 and 1.6e-7."""
PAPER_INFOSETS = {"Leduc": 11_000, "Turn(5k)": 1.7e6, "River(5k)": 2.4e6, "River(500)": 1.6e5}
PAPER_ITERATIONS = 10_000
ORDER = ["IDCFR+", "DCFR", "ICFR+", "CFR+"]
"""The paper's columns from the lowest, in each of its rows of hold'em."""

ALPHAS: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0, 2.5)
BETAS: tuple[float, ...] = (-math.inf, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
GAMMAS: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0)
SHORTLIST, SHORTLIST_HOLDEM = 8, 4
"""Settings of each column that are repeated before the best of them is taken."""
APART = 1000
"""Parameters are chosen on situations from this seed on, which the table does not use."""
FLOORED = -math.inf
"""With this beta nothing is kept of negative regrets, which is regret matching+."""


@dataclass(frozen=True)
class Setting:
    """One point of the sweep of section 5.2: parameters of DCFR."""

    alpha: float
    beta: float
    gamma: float
    instant: bool

    @property
    def algorithm(self) -> str:
        """What one types to run it."""
        name = "idcfr" if self.instant else "dcfr"
        return f"{name}(alpha={self.alpha:g},beta={self.beta:g},gamma={self.gamma:g})"

    def is_in(self, column: str) -> bool:
        """Whether a column of the table is chosen from settings like this."""
        may_keep_negative = not column.endswith("+")
        is_instant = column.startswith("I")
        return self.instant == is_instant and (may_keep_negative or self.beta == FLOORED)

    def __str__(self) -> str:
        return f"({self.alpha:g}, {self.beta:g}, {self.gamma:g})"


PRESETS = {
    "DCFR": Setting(1.5, 0.0, 2.0, instant=False),
    "IDCFR+": Setting(1.5, FLOORED, 2.0, instant=True),
}

Sweep = Mapping[Setting, float]
"""Exploitability by setting."""


@dataclass(frozen=True)
class Findings:
    """What was measured for one row of the table."""

    chosen: Mapping[str, Setting]
    """The best setting of each column that has settings."""
    curves: Curves
    """Every column, repeated, with the setting that was chosen for it."""
    sweep: Sweep
    """A run of each setting; empty where settings are given."""


def lowered(row: str) -> str:
    """What a row of the table claims.

    >>> lowered("Leduc").split("exploitability of ")[1]
    'CFR+ from 2.9e-5 to 2.3e-5 and that of DCFR from 3.5e-5 to 3.1e-5 (IDCFR+)'
    """
    text = {column: f"{number:.1e}".replace("e-0", "e-") for column, number in PAPER[row].items()}
    return (
        f"after 10,000 iterations instant updates lower the exploitability of CFR+ from "
        f"{text['CFR+']} to {text['ICFR+']} and that of DCFR from {text['DCFR']} to "
        f"{text['IDCFR+']} (IDCFR+)"
    )


def settings(*, quick: bool) -> list[Setting]:
    """The paper's sweep; DCFR+ and IDCFR+ are its settings with beta = -inf."""
    alphas, betas, gammas = ALPHAS, BETAS, GAMMAS
    if quick:
        alphas, betas, gammas = (1.0, 1.5, 2.0), (-math.inf, 0.0, 1.0), (1.0, 2.0)
    return [
        Setting(alpha, beta, gamma, instant)
        for instant in (False, True)
        for alpha, beta, gamma in itertools.product(alphas, betas, gammas)
    ]


def sweep_settings(measurer: Measurer, tried: Iterable[Setting], end: int, progress: Step) -> Sweep:
    """What a run with each setting ends with."""
    curves = measurer.curves({s: s.algorithm for s in tried}, [end], progress)
    return {setting: curve.last for setting, curve in curves.items()}


def choose(
    measurer: Measurer,
    sweep: Sweep,
    columns: Sequence[str],
    end: int,
    progress: Step,
    shortlist: int,
) -> dict[str, Setting]:
    """The best setting of each column.

    The lowest of one run each would be the luckiest, so the lowest few are repeated first.
    """
    by_exploitability = sorted(sweep, key=sweep.__getitem__)
    lowest = {c: [s for s in by_exploitability if s.is_in(c)][:shortlist] for c in columns}
    repeated = sweep_settings(measurer, itertools.chain(*lowest.values()), end, progress)
    return {column: min(few, key=repeated.__getitem__) for column, few in lowest.items()}


def table_algorithms(chosen: Mapping[str, Setting]) -> dict[str, str]:
    """By column of the table: what runs."""
    named = {column: setting.algorithm for column, setting in chosen.items()}
    return {"CFR+": "cfr+", "ICFR+": "icfr+", **named}


def write_sweeps(path: Path, sweeps: Mapping[str, Sweep]) -> None:
    """Write every setting as JSON: ``{game: {algorithm: exploitability}}``."""
    document = {
        game: {s.algorithm: rounded(x) for s, x in sweep.items()} for game, sweep in sweeps.items()
    }
    write_text(path, json.dumps(document, indent=1))


def lower_claims(curves: Curves, end: int, *, swept: bool = True) -> list[Claim]:
    """That instant updates lower what CFR+ and DCFR end with."""
    claims = []
    for instant, original, how in (
        ("ICFR+", "CFR+", ""),
        ("IDCFR+", "DCFR", ", both with their best parameters" if swept else ""),
    ):
        compared = curves[instant].against(curves[original], end)
        text = f"{instant} ends lower than {original}{how}"
        measured = f"{compared.times:.2g} times lower, {compared.word}"
        claims.append(Claim(text, compared.word == "better", measured))
    return claims


def by_end(curves: Curves) -> list[str]:
    """The paper's four columns, from the lowest exploitability."""
    return sorted(PAPER["Leduc"], key=lambda name: curves[name].last)


def _paper_row(row: str, **sizes: int) -> dict[str, Cell]:
    """A row as printed."""
    infosets = PAPER_INFOSETS[row]
    return {"game": f"{row} in the paper", "infosets": infosets, **sizes, **PAPER[row]}


# Leduc


@experiment(
    "instant-table1", paper=INSTANT, artifact="Table 1, the Leduc row", claim=lowered("Leduc")
)
def instant_table1(out: Path, *, quick: bool, progress: Step) -> Report:
    """Sweep the parameters of DCFR, then run the best of each column thirty times."""
    end, repetitions = (1000, 3) if quick else (PAPER_ITERATIONS, 30)
    measured = {
        game: _measure(game, end, repetitions, step, quick=quick)
        for game, step in each(GAMES, progress)
    }
    progress(1.0, "drawing")
    write_sweeps(out / "instant-table1-sweep.json", {g: m.sweep for g, m in measured.items()})
    curves = measured[NEAREST].curves
    order = by_end(curves)
    last = Claim(
        "of these four ICFR+ ends lowest, and DCFR highest",
        (order[0], order[-1]) == ("ICFR+", "DCFR"),
        "from the lowest: " + ", ".join(order),
    )
    return report(
        [*lower_claims(curves, end), last],
        f"Claims are checked on {NEAREST}. Parameters are (alpha, beta, gamma): of one "
        f"sweep for each game, the best {SHORTLIST} of a column are repeated and the best of "
        f"these is taken. 'least' and 'most' are over {repetitions} runs of that setting that "
        "differ in rounding only.",
        rows=[
            _paper_row("Leduc", histories=61_000),
            *(row for game, findings in measured.items() for row in _leduc_rows(game, findings)),
        ],
        numbers={
            f"{name} on {game}": rounded(curve.last)
            for game, findings in measured.items()
            for name, curve in findings.curves.items()
        },
        figures=_draw_sweeps(measured, end, out),
        smaller=quick,
    )


def _measure(game: str, end: int, repetitions: int, progress: Step, *, quick: bool) -> Findings:
    sweeping, choosing, repeating = parts(progress, (45, 20, 35))
    sweep = sweep_settings(in_units(game, 1), settings(quick=quick), end, sweeping)
    few = in_units(game, max(2, repetitions // 3))
    chosen = choose(few, sweep, ("DCFR", "IDCFR+", "DCFR+", "IDCFR"), end, choosing, SHORTLIST)
    usual = {"DCFR (1.5, 0, 2)": "dcfr", "IDCFR+ (1.5, -inf, 2)": "idcfr+"}
    algorithms = {**table_algorithms(chosen), **usual}
    curves = in_units(game, repetitions).curves(algorithms, [end], repeating)
    return Findings(chosen, curves, sweep)


def _leduc_rows(game: str, findings: Findings) -> list[dict[str, Cell]]:
    form = compile(game)
    ends, least, most = end_rows("game", game, findings.curves)
    sizes = {"infosets": form.num_infosets, "histories": form.history.num_nodes}
    parameters = {name: str(setting) for name, setting in findings.chosen.items()}
    return [{"game": game, **sizes, **ends}, least, most, {"game": "  parameters", **parameters}]


def _draw_sweeps(measured: Mapping[str, Findings], end: int, out: Path) -> Sequence[Path]:
    """Every setting a dot: alpha from left to right, gamma by colour, beta = -inf by shape."""
    colours = dict(zip(GAMMAS, (BLUE, RED, GREEN, PURPLE), strict=True))
    aside = {alpha: 0.36 * (alpha - 1.5) for alpha in ALPHAS}
    title = f"Every (α, β, γ) of the sweep after {end:,} iterations, one run each"
    legend = {"ncols": 7, "columnspacing": 1.2}
    with drawing(
        out, "instant-table1", 1, len(measured), size=(9.6, 5.0), title=title, legend=legend
    ) as figure:
        for axes, (game, findings) in zip(figure.panels, measured.items(), strict=True):
            for setting, exploitability in findings.sweep.items():
                floored = setting.beta == FLOORED
                axes.plot(
                    int(setting.instant) + aside[setting.alpha],
                    exploitability,
                    "^" if floored else "o",
                    markersize=7 if floored else 4.5,
                    color=colours[setting.gamma],
                    alpha=1.0 if floored else 0.55,
                    markeredgewidth=0,
                )
            for name, colour, dashes in (("CFR+", BLACK, "--"), ("ICFR+", ORANGE, "-")):
                level = findings.curves[name].last
                axes.axhline(level, color=colour, linestyle=dashes, linewidth=1.5, label=name)
            axes.set_yscale("log")
            axes.set_xlabel("")
            axes.set_xlim(-0.5, 1.5)
            ticks: dict[float, str] = {}
            for x, method in enumerate(("DCFR", "IDCFR")):
                ticks |= {x + aside[alpha]: f"{alpha:g}" for alpha in ALPHAS}
                ticks[x] += f"\n{method}, by α"
            axes.set_xticks(list(ticks), ticks.values())
            axes.grid(visible=False, axis="x")
            axes.set_title(game)
        first = figure.panels[0]
        for gamma, colour in colours.items():
            first.plot([], [], "o", color=colour, label=f"γ = {gamma:g}")
        floored_label = "β = −∞ (DCFR+, IDCFR+); circles: β from 0 to 2.5"
        first.plot([], [], "^", color="#606060", label=floored_label)
    return figure.files


# Hold'em


def _add_river(name: str, kind: str) -> None:
    """Add a row of rivers: parameters of DCFR are chosen by a sweep, thirty situations run."""

    @experiment(name, paper=INSTANT, artifact=f"Table 1, the {kind} row", claim=lowered(kind))
    def run(out: Path, *, quick: bool, progress: Step) -> Report:
        end, seeds = (100, range(3)) if quick else (PAPER_ITERATIONS, range(30))
        sweeping, choosing, running = parts(progress, (10, 15, 75))
        tried = [s for s in settings(quick=quick) if not s.instant or s.beta == FLOORED]
        # Short runs with every setting, long ones with the few best, then those of the table.
        sweep = sweep_settings(on_situations(kind, [APART]), tried, end // 10, sweeping)
        both = on_situations(kind, [APART, APART + 1])
        chosen = choose(both, sweep, [*PRESETS], end, choosing, SHORTLIST_HOLDEM)
        curves = on_situations(kind, seeds).curves(table_algorithms(chosen), [end], running)
        progress(1.0, "drawing")
        write_sweeps(out / f"{name}-sweep.json", {kind: sweep})
        remark = (
            "Parameters are (alpha, beta, gamma), chosen on other situations: the "
            f"{SHORTLIST_HOLDEM} best of a sweep over {len(sweep)} settings are run again for "
            f"{end:,} iterations."
        )
        return _report(name, kind, Findings(chosen, curves, sweep), out, remark, smaller=quick)


_add_river("instant-table1-river5k", "River(5k)")
_add_river("instant-table1-river500", "River(500)")


@experiment(
    "instant-table1-turn",
    paper=INSTANT,
    artifact="Table 1, the Turn(5k) row",
    claim=lowered("Turn(5k)"),
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
        rows=_holdem_rows(kind, findings, end),
        numbers={column: rounded(curve.last) for column, curve in curves.items()},
        figures=_draw_situations(name, kind, curves, out),
        smaller=smaller,
    )


def _holdem_rows(kind: str, findings: Findings, end: int) -> list[dict[str, Cell]]:
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
        _paper_row(kind),
        {"game": label, **size_of_situations(kind), **ends},
        low,
        high,
        *({"game": f"  {name}", **cells} for name, cells in others.items()),
    ]


def _draw_situations(name: str, kind: str, curves: Curves, out: Path) -> Sequence[Path]:
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
