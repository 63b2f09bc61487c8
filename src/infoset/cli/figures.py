"""Convergence figures. matplotlib is imported only when one is asked for."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from infoset.errors import BadInputError, MissingExtraError, nearest
from infoset.figures import COLOURS, DASHES, FORMATS, panels, write_figure

if TYPE_CHECKING:
    from infoset.solvers.solution import Solution

__all__ = ["By", "check_figure", "draw_convergence"]


class By(StrEnum):
    """What the horizontal axis shows."""

    iterations = "iterations"
    seconds = "seconds"


def check_figure(path: Path | None) -> None:
    """Refuse a figure that could not be drawn, before anything is computed for it."""
    if path is None:
        return
    if path.suffix.lower() not in FORMATS:
        hint = nearest(path.suffix, FORMATS)
        raise BadInputError(f"a figure cannot be drawn as '{path.name}'{hint}")
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plots", "A figure")


def draw_convergence(path: Path, solutions: Sequence[Solution], by: By = By.iterations) -> None:
    """Draw exploitability against iterations or seconds, both logarithmic, one line a run."""
    with panels(1, 1, width=7.2, height=4.3) as (figure, grid):
        axes = grid[0, 0]
        axes.set_xscale("log")
        axes.set_yscale("log")
        for i, solution in enumerate(solutions):
            points = [
                (point.iteration if by is By.iterations else point.seconds, point.exploitability)
                for point in solution.curve
            ]
            # What is exactly zero has no place on a logarithmic axis.
            visible = [(x, y) for x, y in points if x > 0 and y > 0]
            axes.plot(
                [x for x, _ in visible],
                [y for _, y in visible],
                label=_label(solution, shown=bool(visible)),
                color=COLOURS[i % len(COLOURS)],
                linestyle=DASHES[i // len(COLOURS) % len(DASHES)],
                marker="o" if len(visible) == 1 else None,
            )
        game = solutions[0].game
        axes.set_title(f"Convergence on {game}".replace("$", r"\$"))
        axes.set_xlabel(by.value if by is By.iterations else "seconds of iterating")
        axes.set_ylabel("exploitability (chips, NashConv / 2)")
        # The legend reads from top to bottom as the lines end.
        handles, labels = axes.get_legend_handles_labels()
        order = sorted(range(len(solutions)), key=lambda i: -solutions[i].exploitability)
        axes.legend(
            [handles[i] for i in order],
            [labels[i] for i in order],
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
        )
        write_figure(figure, path)


def _label(solution: Solution, *, shown: bool) -> str:
    text = solution.algorithm if shown else f"{solution.algorithm} (exactly 0)"
    return text.replace("$", r"\$")
