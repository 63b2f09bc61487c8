"""Table 1 of instant CFR, the Leduc row: ten thousand iterations, with the sweep behind it."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infoset.api import compile
from infoset.experiments.curves import Curves, drawing, end_rows, rounded, write_text
from infoset.experiments.instant_fig1 import INSTANT, NEAREST
from infoset.experiments.measurer import Measurer, each, in_units, parts
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED

GAMES = (NEAREST, "leduc")

PAPER = {"CFR+": 2.9e-5, "ICFR+": 2.3e-5, "DCFR": 3.5e-5, "IDCFR+": 3.1e-5}
"""The row as printed; its plus-minus is 1.8e-7, 1.7e-7, 4.0e-7 and 1.6e-7."""

ALPHAS: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0, 2.5)
BETAS: tuple[float, ...] = (-math.inf, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
GAMMAS: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0)
SHORTLIST = 8
"""Settings of each column that are repeated before the best of them is taken."""
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


def lowered(printed: Mapping[str, float]) -> str:
    """What a row of the table claims.

    >>> lowered(PAPER).split("exploitability of ")[1]
    'CFR+ from 2.9e-5 to 2.3e-5 and that of DCFR from 3.5e-5 to 3.1e-5 (IDCFR+)'
    """
    text = {column: f"{number:.1e}".replace("e-0", "e-") for column, number in printed.items()}
    return (
        f"after 10,000 iterations instant updates lower the exploitability of CFR+ from "
        f"{text['CFR+']} to {text['ICFR+']} and that of DCFR from {text['DCFR']} to "
        f"{text['IDCFR+']} (IDCFR+)"
    )


@experiment(
    "instant-table1",
    paper=INSTANT,
    artifact="Table 1, the Leduc row",
    claim=lowered(PAPER),
)
def instant_table1(out: Path, *, quick: bool, progress: Step) -> Report:
    """Sweep the parameters of DCFR, then run the best of each column thirty times."""
    end, repetitions = (1000, 3) if quick else (10_000, 30)
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
            {"game": "Leduc in the paper", "infosets": 11_000, "histories": 61_000, **PAPER},
            *(row for game, findings in measured.items() for row in _rows(game, findings)),
        ],
        numbers={
            f"{name} on {game}": rounded(curve.last)
            for game, findings in measured.items()
            for name, curve in findings.curves.items()
        },
        figures=_draw(measured, end, out),
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
    return sorted(PAPER, key=lambda name: curves[name].last)


def _rows(game: str, findings: Findings) -> list[dict[str, Cell]]:
    form = compile(game)
    ends, least, most = end_rows("game", game, findings.curves)
    sizes = {"infosets": form.num_infosets, "histories": form.history.num_nodes}
    parameters = {name: str(setting) for name, setting in findings.chosen.items()}
    return [{"game": game, **sizes, **ends}, least, most, {"game": "  parameters", **parameters}]


def _draw(measured: Mapping[str, Findings], end: int, out: Path) -> Sequence[Path]:
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
