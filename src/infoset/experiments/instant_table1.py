"""Table 1 of instant CFR, the Leduc row: ten thousand iterations, with the sweep behind it."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infoset.api import compile
from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import Curve, Measurer, rounded
from infoset.experiments.instant_fig1a import INSTANT, NEAREST
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, panels, save
from infoset.storage import write_atomically

__all__ = ["GAMES", "PAPER", "Setting", "settings"]

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
    """One point of the sweep."""

    alpha: float
    beta: float
    gamma: float
    instant: bool

    @property
    def algorithm(self) -> str:
        """What one types to run it."""
        name = "idcfr" if self.instant else "dcfr"
        return f"{name}(alpha={self.alpha:g},beta={self.beta:g},gamma={self.gamma:g})"

    def __str__(self) -> str:
        return f"({self.alpha:g}, {self.beta:g}, {self.gamma:g})"


def settings(*, quick: bool) -> Iterator[Setting]:
    """The paper's sweep; DCFR+ and IDCFR+ are its settings with beta = -inf."""
    alphas, betas, gammas = ALPHAS, BETAS, GAMMAS
    if quick:
        alphas, betas, gammas = (1.0, 1.5, 2.0), (-math.inf, 0.0, 1.0), (1.0, 2.0)
    for instant in (False, True):
        for alpha, beta, gamma in itertools.product(alphas, betas, gammas):
            yield Setting(alpha, beta, gamma, instant)


Sweep = Mapping[Setting, float]


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
        few = Measurer(game, max(2, repetitions // 3), progress, (swept, chosen), 3 * SHORTLIST)
        best = _choose(few, sweep, end)
        many = Measurer(game, repetitions, progress, (chosen, ended), 4 + len(best))
        found[game] = Findings(sweep, best, _repeat(many, best, end))
    progress(1.0, "drawing")
    _write_sweeps(out / "instant-table1-sweep.json", found)
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
    measurer = Measurer(game, 1, progress, share, len(tried))
    return {setting: measurer.curve(setting.algorithm, [end]).last for setting in tried}


def _choose(measurer: Measurer, sweep: Sweep, end: int) -> dict[str, Setting]:
    """The best setting of each column.

    The lowest of one run each would be the luckiest, so the lowest few are repeated first.
    """
    kinds = {
        "DCFR": [s for s in sweep if not s.instant],
        "IDCFR+": [s for s in sweep if s.instant and s.beta == FLOORED],
        "DCFR+": [s for s in sweep if not s.instant and s.beta == FLOORED],
        "IDCFR": [s for s in sweep if s.instant],
    }
    repeated: dict[Setting, float] = {}
    chosen = {}
    for kind, of_kind in kinds.items():
        lowest = sorted(of_kind, key=sweep.__getitem__)[:SHORTLIST]
        for setting in lowest:
            if setting not in repeated:
                repeated[setting] = measurer.curve(setting.algorithm, [end]).last
        chosen[kind] = min(lowest, key=repeated.__getitem__)
    return chosen


def _repeat(measurer: Measurer, chosen: Mapping[str, Setting], end: int) -> dict[str, Curve]:
    algorithms = {
        "CFR+": "cfr+",
        "ICFR+": "icfr+",
        **{kind: setting.algorithm for kind, setting in chosen.items()},
        "DCFR (1.5, 0, 2)": "dcfr",
        "IDCFR+ (1.5, -inf, 2)": "idcfr+",
    }
    return {name: measurer.curve(text, [end]) for name, text in algorithms.items()}


def _claims(curves: Mapping[str, Curve], end: int) -> list[Claim]:
    instant_plus = curves["ICFR+"].against(curves["CFR+"], end)
    instant_discounted = curves["IDCFR+"].against(curves["DCFR"], end)
    return [
        Claim(
            "ICFR+ ends lower than CFR+",
            instant_plus.word == "better",
            f"{instant_plus.times:.2g} times lower, {instant_plus.word}",
        ),
        Claim(
            "IDCFR+ ends lower than DCFR, both with their best parameters",
            instant_discounted.word == "better",
            f"{instant_discounted.times:.2g} times lower, {instant_discounted.word}",
        ),
        Claim(
            "of these four ICFR+ ends lowest, and DCFR highest",
            min(PAPER, key=lambda name: curves[name].last) == "ICFR+"
            and max(PAPER, key=lambda name: curves[name].last) == "DCFR",
            "from the lowest: " + ", ".join(sorted(PAPER, key=lambda name: curves[name].last)),
        ),
    ]


def _write_sweeps(path: Path, found: Mapping[str, Findings]) -> None:
    """Write the dots of the figure as JSON: ``{game: {algorithm: exploitability}}``."""
    document = {
        game: {s.algorithm: rounded(x) for s, x in findings.sweep.items()}
        for game, findings in found.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(document, indent=1) + "\n").encode())


def _rows(game: str, findings: Findings) -> list[dict[str, Cell]]:
    tree = compile(game)
    size: dict[str, Cell] = {
        "infosets": tree.num_infosets,
        "histories": tree.history.num_nodes,
    }
    curves = findings.curves
    return [
        {"game": game, **size, **{name: rounded(curve.last) for name, curve in curves.items()}},
        {
            "game": "  least",
            **{name: rounded(curve.last_range[0]) for name, curve in curves.items()},
        },
        {
            "game": "  most",
            **{name: rounded(curve.last_range[1]) for name, curve in curves.items()},
        },
        {"game": "  parameters", **{name: str(best) for name, best in findings.chosen.items()}},
    ]


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
