"""Convergence figures. matplotlib is imported only when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from infoset.explore.style import check_path, panels, plain, plot_runs, write_figure

if TYPE_CHECKING:
    from infoset.solvers.solution import Point, Solution

__all__ = ["By", "check_figure", "draw_convergence"]


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


def check_figure(path: Path | None) -> None:
    """Refuse a figure that could not be drawn, before anything is computed for it."""
    if path is not None:
        check_path(path)


def draw_convergence(path: Path, solutions: Sequence[Solution], by: By = By.iterations) -> None:
    """Draw exploitability against what ``by`` counts, both logarithmic, one line a run."""

    def points(solution: Solution) -> list[tuple[float, float]]:
        return [(_place(point, by), point.exploitability) for point in solution.curve]

    with panels(1, 1, width=7.2, height=4.3) as (figure, grid):
        axes = grid[0, 0]
        order = plot_runs(axes, [(solution.algorithm, points(solution)) for solution in solutions])
        axes.set_title(plain(f"Convergence on {solutions[0].game}"))
        axes.set_xlabel(_LABELS[by])
        axes.set_ylabel("exploitability (chips, NashConv / 2)")
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
