"""Convergence figures: exploitability against iterations, seconds or nodes touched."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum

from infoset.errors import BadInputError
from infoset.explore.style import check_path, panels, plain, plot_runs, write_figure
from infoset.solvers import Point, Solution

__all__ = ["By", "draw_convergence"]


class By(StrEnum):
    """What the horizontal axis shows."""

    iterations = "iterations"
    seconds = "seconds"
    nodes = "nodes"


_LABELS = {
    By.iterations: "iterations",
    By.seconds: "seconds of iterating",
    By.nodes: "nodes touched",
}


def draw_convergence(
    path: str | os.PathLike[str], solutions: Sequence[Solution], by: By = By.iterations
) -> None:
    """Draw exploitability against what ``by`` counts, both logarithmic, one line a run.

    Of spots it is in percent of the pot they begin with, else in chips.
    """
    path = check_path(path)
    if not solutions:
        raise BadInputError("there is no solution to draw; give at least one")
    spots = [solution.spot for solution in solutions]
    pots = [spot.pot for spot in spots if spot is not None]
    is_share = len(pots) == len(solutions)
    units = [pot / 100 for pot in pots] if is_share else [1.0] * len(solutions)
    games = {solution.game for solution in solutions}
    runs = [
        (
            solution.algorithm + (f", {solution.game}" if len(games) > 1 else ""),
            [(_place(point, by), point.exploitability / unit) for point in solution.curve],
        )
        for solution, unit in zip(solutions, units, strict=True)
    ]
    with panels(1, 1, width=7.2, height=4.3) as (figure, grid):
        axes = grid[0, 0]
        order = plot_runs(axes, runs)
        where = games.pop() if len(games) == 1 else f"{len(games)} games"
        axes.set_title(plain(f"Convergence on {where}"))
        axes.set_xlabel(_LABELS[by])
        unit_words = "% of the pot" if is_share else "chips, NashConv / 2"
        axes.set_ylabel(f"exploitability ({unit_words})")
        # The legend reads from top to bottom as the lines end.
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(
            [handles[i] for i in order],
            [labels[i] for i in order],
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
        )
        write_figure(figure, path)


def _place(point: Point, by: By) -> float:
    """Where a point of a curve is on the horizontal axis."""
    match by:
        case By.iterations:
            return point.iteration
        case By.seconds:
            return point.seconds
        case By.nodes:
            return point.nodes_touched
