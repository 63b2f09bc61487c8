"""What the figures of double neural CFR have in common: how networks are trained, at which size,
and how the paper's claims about them are reported."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from infoset.experiments.curves import CHIPS, Comparison, Curve, Line, drawing, rounded, write_text
from infoset.experiments.dncfr_fig4a import LOW, Parameters, draw_sampled, sampled
from infoset.experiments.measurer import each
from infoset.experiments.neural_runs import OBSERVED, Measured, known, measure, points_to
from infoset.experiments.registry import Cell, Claim, Report, Step, report
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED

OURS, PAPERS = "our training", "the paper's training"

EPOCHS = 2000
"""The paper trains each network so many times on the samples of an iteration, at most."""
CAP = 10
"""The same by default: two hundred times fewer."""
SEEDS = 3
FALLS = 1.5
"""A run converges if exploitability falls by this factor over the last nine tenths of it."""

LOSSES = ("loss of regrets", "loss of the average")
COLOURS = (RED, BLUE, GREEN, ORANGE, PURPLE, BLACK)


SILENT = (
    "Silent runs end with regrets that are zero everywhere, or an average that is uniform: where "
    "attention is rectified to zero at every step there is no gradient, and a network never learns "
    "again."
)


class Reading(NamedTuple):
    """One way to train the networks, and how long it is run."""

    name: str
    preset: str
    given: Parameters
    iterations: int
    decides: bool
    """Whether the verdict rests on it; not if its training is cut short."""

    def asks(self, **parameters: str | int | float | bool) -> str:
        """The text that asks for it with these parameters besides.

        >>> Reading(OURS, "dncfr", {"steps": 2}, 20, True).asks(b=50)
        'dncfr(steps=2,b=50)'
        """
        return sampled(self.preset, **{**self.given, **parameters})

    def tabular(self, **parameters: str | int | float | bool) -> str:
        """The same with a table in place of each network: the same samples, as long as strategies
        agree."""
        return self.asks(**{**parameters, "regrets": "table", "average": "table"})


class Scale(NamedTuple):
    """How large a figure is made."""

    seeds: int
    readings: Sequence[Reading]
    smaller: bool
    """Than the paper's."""


def scale_of(*, quick: bool, full: bool, ours: int, paper: int, end: int = 1000) -> Scale:
    """The size of a figure; ``ours`` and ``paper`` are default iterations, ``end`` the paper's.

    >>> [reading.decides for reading in scale_of(quick=False, full=False, ours=9, paper=9).readings]
    [True, False]
    """
    if quick:
        few: Parameters = {"steps": 2, "average_steps": 2}
        readings = [Reading(OURS, "dncfr", few, 20, True)]
        readings += [Reading(PAPERS, "dncfr-paper", few, 20, False)]
        return Scale(2, readings, smaller=True)
    if full:
        readings = [Reading(OURS, "dncfr", {}, end, True)]
        readings += [Reading(PAPERS, "dncfr-paper", {}, end, True)]
        return Scale(SEEDS, readings, smaller=False)
    readings = [Reading(OURS, "dncfr", {}, ours, True)]
    capped: Parameters = {"steps": CAP, "average_steps": CAP}
    readings += [Reading(PAPERS, "dncfr-paper", capped, paper, False)]
    return Scale(SEEDS, readings, smaller=True)


Runs = Mapping[str, Measured]
"""By what a figure varies."""
Results = Mapping[str, Runs]
"""By the name of a reading."""


def measure_lines(
    game: str, scale: Scale, lines: Callable[[Reading], Mapping[str, str]], progress: Step
) -> dict[str, dict[str, Measured]]:
    """Run what a figure varies, with each reading: ``lines`` gives algorithms by label."""
    results: dict[str, dict[str, Measured]] = {}
    for reading, reading_step in each(scale.readings, progress):
        algorithms, points = lines(reading), points_to(reading.iterations)
        results[reading.name] = {
            label: measure(game, algorithms[label], points, scale.seeds, step)
            for label, step in each([*algorithms], reading_step)
        }
    return results


def curves_of(runs: Runs) -> dict[str, Curve]:
    """Their curves, by label."""
    return {label: measured.curve for label, measured in runs.items()}


# Claims


def farthest(curves: Mapping[str, Curve], begin: int) -> tuple[float, str]:
    """How many times the worst curve is above the best from an iteration on, and which they are."""
    first = next(iter(curves.values()))
    lower = {label: curve.against(first, begin).times for label, curve in curves.items()}
    best, worst = (choose(lower, key=lambda label: lower[label]) for choose in (max, min))
    return lower[best] / lower[worst], f"{best} beside {worst}"


def late(curve: Curve) -> int:
    """The iteration from which on a run is late: half of it."""
    return int(curve.iterations[-1]) // 2


def fall(curve: Curve) -> float:
    """By which factor the exploitability falls over the last nine tenths of a run, at least."""
    begin = curve.iterations.searchsorted(curve.iterations[-1] / 10)
    return float((curve.runs[:, begin] / curve.runs[:, -1]).min())


def falling(label: str, curve: Curve) -> Claim:
    """That a run converges."""
    factor, end = fall(curve), int(curve.iterations[-1])
    return Claim(
        f"{label} converges",
        factor > FALLS,
        f"{rounded(curve.last):g} after {end:,} iterations; over the last nine tenths it falls "
        f"{factor:.3g} times in the least of the runs",
    )


def below(label: str, curve: Curve, level: float = LOW) -> Claim:
    """That all runs come below a level."""
    highest, end = float(curve.runs.min(axis=1).max()), int(curve.iterations[-1])
    measured = f"{rounded(curve.last):g} after {end:,} iterations"
    return Claim(f"{label} comes below {level:g}", highest < level, measured)


def listed(comparisons: Mapping[str, Comparison]) -> str:
    """Comparisons in a line."""
    return ", ".join(f"{label} {comparison}" for label, comparison in comparisons.items())


# Reports


def neural_report(
    name: str,
    out: Path,
    scale: Scale,
    results: Results,
    claims_of: Callable[[Reading, Runs], Sequence[Claim]],
    *remarks: str,
    head: str,
    shared: Sequence[Claim] = (),
    numbers: Mapping[str, float] | None = None,
    figures: Sequence[Path] = (),
) -> Report:
    """The report on a figure: claims for each reading; those that do not decide are remarks.

    ``head`` says what the figure varies. The points behind the figure are written beside it.
    """
    write_measured(out / f"{name}-curves.json", results)
    claims, beside = [*shared], []
    for reading in scale.readings:
        found = claims_of(reading, results[reading.name])
        if reading.decides:
            claims += [claim._replace(text=f"{reading.name}: {claim.text}") for claim in found]
            continue
        epochs = reading.given["steps"]
        beside.append(
            f"{reading.name.capitalize()}, cut short to {epochs} epochs and {reading.iterations} "
            "iterations, does not decide:"
        )
        words = {True: "holds", False: "does not hold"}
        beside += [f"  {words[c.holds]}: {c.text}. Measured: {c.measured}." for c in found]
    return report(
        claims,
        *beside,
        *remarks,
        f"{OURS.capitalize()} is the preset dncfr with its defaults, {PAPERS} the preset "
        "dncfr-paper, but for what the figure varies.",
        SILENT,
        f"Geometric means over {scale.seeds} seeds; 'least' and 'most' are those of a run.",
        rows=[
            row_of(reading, head, label, measured)
            for reading in results
            for label, measured in results[reading].items()
        ],
        numbers={} if numbers is None else numbers,
        figures=figures,
        smaller=scale.smaller,
    )


def row_of(reading: str, head: str, label: str, measured: Measured) -> dict[str, Cell]:
    """Where runs end, as a line of a table."""
    curve = measured.curve
    observed = 100 * measured.mean(OBSERVED)
    told = [measured.last(name) for name in LOSSES] + [observed]
    losses_and_share = known([rounded(number) for number in told])
    return {
        "training": reading,
        head: label,
        "iterations": int(curve.iterations[-1]),
        "exploitability": rounded(curve.last),
        **curve.last_band,
        "nodes": rounded(curve.last_nodes),
        **dict(zip((*LOSSES, "observed %"), losses_and_share, strict=True)),
        "silent runs": measured.silent,
        "processor seconds": rounded(float(measured.seconds[:, -1].mean())),
    }


def write_measured(path: Path, results: Results) -> None:
    """Write the points behind a figure as JSON: ``{reading: {label: {...}}}``."""
    document = {
        reading: {label: measured.points() for label, measured in runs.items()}
        for reading, runs in results.items()
    }
    write_text(path, json.dumps(document, allow_nan=False).replace("}, ", "},\n"))


def draw_readings(
    name: str, out: Path, scale: Scale, results: Results, game: str, *, by_nodes: bool = False
) -> Sequence[Path]:
    """A panel for each reading, with a line for each label."""
    title = f"{game}. Means over {scale.seeds} seeds; the bands are all of them."
    legend = {"ncols": 3}
    size = (4.8 * len(results), 4.6)
    with drawing(
        out, name, 1, len(results), size=size, title=title, legend=legend, ylabel=CHIPS
    ) as figure:
        for axes, (reading, runs) in zip(figure.panels, results.items(), strict=True):
            lines = {
                label: Line(measured.curve, colour)
                for (label, measured), colour in zip(runs.items(), COLOURS, strict=False)
            }
            draw_sampled(axes, lines, by_nodes=by_nodes)
            axes.set_title(reading)
        limits = [axes.get_ylim() for axes in figure.panels]
        low, high = min(low for low, _ in limits), max(high for _, high in limits)
        for axes in figure.panels:
            axes.set_ylim(low, high)
            if low < LOW < high:
                axes.axhline(LOW, color=BLACK, linewidth=0.8, linestyle=(0, (1, 3)))
    return figure.files
