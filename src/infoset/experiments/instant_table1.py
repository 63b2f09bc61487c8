"""Table 1 of instant CFR, the Leduc row: ten thousand iterations, with the sweep behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infoset.api import compile
from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import RANGE, Curve, Measurer, UnitMeasurer, rounded
from infoset.experiments.instant_fig1a import NEAREST
from infoset.experiments.instant_methods import INSTANT
from infoset.experiments.instant_sweep import (
    ALPHAS,
    FLOORED,
    GAMMAS,
    SHORTLIST,
    Setting,
    Sweep,
    choose,
    settings,
    sweep_settings,
    write_sweeps,
)
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, panels, save

__all__ = ["GAMES", "PAPER", "by_end", "lower_claims"]

GAMES = (NEAREST, "leduc")

PAPER = {"CFR+": 2.9e-5, "ICFR+": 2.3e-5, "DCFR": 3.5e-5, "IDCFR+": 3.1e-5}
"""The row as printed; its plus-minus is 1.8e-7, 1.7e-7, 4.0e-7 and 1.6e-7."""


@dataclass(frozen=True)
class Findings:
    """What was measured on one game."""

    sweep: Sweep
    """Exploitability of each setting, one run each."""
    chosen: Mapping[str, Setting]
    """The best setting of each column that has settings."""
    curves: Mapping[str, Curve]
    """Every column again, repeated, with the setting that was chosen for it."""


@experiment(
    "instant-table1",
    paper=INSTANT,
    artifact="Table 1, the Leduc row",
    claim="after 10,000 iterations instant updates lower the exploitability of CFR+ from 2.9e-5 "
    "to 2.3e-5 and that of DCFR from 3.5e-5 to 3.1e-5 (IDCFR+)",
)
def instant_table1(out: Path, *, quick: bool, progress: Step) -> Report:
    """Sweep the parameters of DCFR, then run the best of each column thirty times."""
    end, repetitions = (1000, 3) if quick else (10_000, 30)
    found = {}
    for i, game in enumerate(GAMES):
        begin, length = i / len(GAMES), 1 / len(GAMES)
        swept, chosen, ended = begin + 0.45 * length, begin + 0.65 * length, begin + length
        sweep = _sweep(game, end, progress, (begin, swept), quick=quick)
        few = UnitMeasurer(game, max(2, repetitions // 3), progress, (swept, chosen), 3 * SHORTLIST)
        best = choose(few, sweep, _columns(sweep), end)
        many = UnitMeasurer(game, repetitions, progress, (chosen, ended), 4 + len(best))
        found[game] = Findings(sweep, best, _repeat(many, best, end))
    progress(1.0, "drawing")
    write_sweeps(out / "instant-table1-sweep.json", {g: f.sweep for g, f in found.items()})
    claims = _claims(found[NEAREST].curves, end)
    return Report(
        verdict=verdict(claims, smaller=quick),
        rows=[
            {"game": "Leduc in the paper", "infosets": 11_000, "histories": 61_000, **PAPER},
            *(row for game, findings in found.items() for row in _rows(game, findings)),
        ],
        numbers={
            f"{name} on {game}": rounded(curve.last)
            for game, findings in found.items()
            for name, curve in findings.curves.items()
        },
        figures=_draw(found, end, out),
        note=note(
            claims,
            f"Claims are checked on {NEAREST}. Parameters are (alpha, beta, gamma): of one "
            f"sweep for each game, the best {SHORTLIST} of a column are repeated and the best of "
            f"these is taken. 'least' and 'most' are over {repetitions} runs of that setting that "
            "differ in rounding only.",
        ),
    )


def _sweep(
    game: str, end: int, progress: Step, share: tuple[float, float], *, quick: bool
) -> dict[Setting, float]:
    tried = list(settings(quick=quick))
    return sweep_settings(UnitMeasurer(game, 1, progress, share, len(tried)), tried, end)


def _columns(sweep: Sweep) -> dict[str, list[Setting]]:
    """The settings that each column of the table is chosen from."""
    return {
        "DCFR": [s for s in sweep if not s.instant],
        "IDCFR+": [s for s in sweep if s.instant and s.beta == FLOORED],
        "DCFR+": [s for s in sweep if not s.instant and s.beta == FLOORED],
        "IDCFR": [s for s in sweep if s.instant],
    }


def _repeat(measurer: Measurer, chosen: Mapping[str, Setting], end: int) -> dict[str, Curve]:
    algorithms = {
        "CFR+": "cfr+",
        "ICFR+": "icfr+",
        **{kind: setting.algorithm for kind, setting in chosen.items()},
        "DCFR (1.5, 0, 2)": "dcfr",
        "IDCFR+ (1.5, -inf, 2)": "idcfr+",
    }
    return {name: measurer.curve(text, [end]) for name, text in algorithms.items()}


def lower_claims(curves: Mapping[str, Curve], end: int, *, swept: bool = True) -> list[Claim]:
    """That instant updates lower what CFR+ and DCFR end with."""
    instant_plus = curves["ICFR+"].against(curves["CFR+"], end)
    instant_discounted = curves["IDCFR+"].against(curves["DCFR"], end)
    return [
        Claim(
            "ICFR+ ends lower than CFR+",
            instant_plus.word == "better",
            f"{instant_plus.times:.2g} times lower, {instant_plus.word}",
        ),
        Claim(
            f"IDCFR+ ends lower than DCFR{', both with their best parameters' * swept}",
            instant_discounted.word == "better",
            f"{instant_discounted.times:.2g} times lower, {instant_discounted.word}",
        ),
    ]


def by_end(curves: Mapping[str, Curve]) -> list[str]:
    """The paper's four columns, from the lowest exploitability."""
    return sorted(PAPER, key=lambda name: curves[name].last)


def _claims(curves: Mapping[str, Curve], end: int) -> list[Claim]:
    order = by_end(curves)
    return [
        *lower_claims(curves, end),
        Claim(
            "of these four ICFR+ ends lowest, and DCFR highest",
            (order[0], order[-1]) == ("ICFR+", "DCFR"),
            "from the lowest: " + ", ".join(order),
        ),
    ]


def _rows(game: str, findings: Findings) -> list[dict[str, Cell]]:
    tree = compile(game)
    size: dict[str, Cell] = {
        "infosets": tree.num_infosets,
        "histories": tree.history.num_nodes,
    }
    curves = findings.curves
    rows: list[dict[str, Cell]] = [
        {"game": game, **size, **{name: rounded(curve.last) for name, curve in curves.items()}}
    ]
    for end in (RANGE.low, RANGE.high):
        ends = {name: RANGE.last(curve)[end] for name, curve in curves.items()}
        rows.append({"game": f"  {end}", **ends})
    parameters = {name: str(best) for name, best in findings.chosen.items()}
    return [*rows, {"game": "  parameters", **parameters}]


def _shift(alpha: float) -> float:
    """Where an alpha stands beside the middle of its method."""
    return 0.36 * (alpha - 1.5)


def _draw(found: Mapping[str, Findings], end: int, out: Path) -> Sequence[Path]:
    """Every setting a dot: alpha from left to right, gamma by colour, beta = -inf by shape."""
    colours = dict(zip(GAMMAS, (BLUE, RED, GREEN, PURPLE), strict=True))
    with panels(1, len(found), width=9.6, height=5.0) as (figure, grid):
        for axes, (game, findings) in zip(grid[0], found.items(), strict=True):
            for setting, exploitability in findings.sweep.items():
                floored = setting.beta == FLOORED
                axes.plot(
                    int(setting.instant) + _shift(setting.alpha),
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
            axes.set_xlim(-0.5, 1.5)
            ticks = [(x, a) for x in (0, 1) for a in ALPHAS]
            axes.set_xticks(
                [x + _shift(a) for x, a in ticks],
                [
                    f"{a:g}" if a != 1.5 else f"{a:g}\n{('DCFR', 'IDCFR')[x]}, by α"
                    for x, a in ticks
                ],
            )
            axes.grid(visible=False, axis="x")
            axes.set_title(game)
        grid[0, 0].set_ylabel("exploitability (chips, NashConv / 2)")
        for gamma, colour in colours.items():
            axes.plot([], [], "o", color=colour, label=f"γ = {gamma:g}")
        axes.plot(
            [], [], "^", color="#606060", label="β = −∞ (DCFR+, IDCFR+); circles: β from 0 to 2.5"
        )
        figure.legend(
            *axes.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=7,
            columnspacing=1.2,
        )
        figure.suptitle(
            f"Every (α, β, γ) of the sweep after {end:,} iterations, one run each",
            fontsize=11,
        )
        return save(figure, out, "instant-table1")
