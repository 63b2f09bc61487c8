"""Convergence figures: exploitability against iterations, seconds or nodes touched."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from infoset.errors import BadInputError
from infoset.explore.style import COLOURS, DASHES, check_path, panels, plain, write_figure
from infoset.solvers import Point, Solution


class By(StrEnum):
    """What the horizontal axis shows."""

    iterations = "iterations"
    seconds = "seconds"
    nodes = "nodes"


_AXES: dict[By, tuple[str, Callable[[Point], float]]] = {
    By.iterations: ("iterations", lambda point: point.iteration),
    By.seconds: ("seconds of iterating", lambda point: point.seconds),
    By.nodes: ("nodes touched", lambda point: point.nodes_touched),
}
"""What an axis is called, and where on it a point of a curve is."""


def draw_convergence(
    path: str | os.PathLike[str], solutions: Sequence[Solution], by: By = By.iterations
) -> None:
    """Draw exploitability against what ``by`` counts, both logarithmic, one line a run.

    Of spots it is in percent of the pot they begin with, else in chips. Losses of networks, where
    there are any, are drawn below, each kind in its own way: the regrets' first.
    """
    path = check_path(path)
    if not solutions:
        raise BadInputError("there is no solution to draw; give at least one")
    label, place = _AXES[by]
    spots = [solution.spot for solution in solutions]
    pots = [spot.starting_pot for spot in spots if spot is not None]
    is_share = len(pots) == len(solutions)
    units = [pot / 100 for pot in pots] if is_share else [1.0] * len(solutions)
    games = {solution.game for solution in solutions}
    losses = list(dict.fromkeys(n for s in solutions for p in s.curve for n in _losses(p)))
    rows = 1 + bool(losses)
    heights = (2, 1)[:rows]
    with panels(rows, 1, width=7.2, height=2.9 + 1.4 * rows, row_heights=heights) as (figure, grid):
        axes = grid[0, 0]
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = []
        for i, (solution, unit) in enumerate(zip(solutions, units, strict=True)):
            points = [(place(point), point.exploitability / unit) for point in solution.curve]
            # What is exactly zero has no place on a logarithmic axis.
            visible = [(x, y) for x, y in points if x > 0 and y > 0]
            name = solution.algorithm + (f", {solution.game}" if len(games) > 1 else "")
            (line,) = axes.plot(
                [x for x, _ in visible],
                [y for _, y in visible],
                label=plain(name if visible or not points else f"{name} (exactly 0)"),
                color=COLOURS[i % len(COLOURS)],
                linestyle=DASHES[i // len(COLOURS) % len(DASHES)],
                marker="o" if len(visible) == 1 else None,
            )
            ends.append((-points[-1][1] if points else 0.0, i, line))
        where = games.pop() if len(games) == 1 else f"{len(games)} games"
        axes.set_title(plain(f"Convergence on {where}"))
        grid[-1, 0].set_xlabel(label)
        if losses:
            _draw_losses(grid[1, 0], solutions, losses, place)
            grid[1, 0].sharex(axes)
        unit_words = "% of the pot" if is_share else "chips, NashConv / 2"
        axes.set_ylabel(f"exploitability ({unit_words})")
        # The legend reads from top to bottom as the lines end.
        lines = [line for *_, line in sorted(ends)]
        axes.legend(handles=lines, loc="center left", bbox_to_anchor=(1.0, 0.5))
        write_figure(figure, path)


def _losses(point: Point) -> list[str]:
    return [name for name in point.news if name.startswith("loss")]


def _draw_losses(
    axes: Any, solutions: Sequence[Solution], names: Sequence[str], place: Callable[[Point], float]
) -> None:
    """The losses of the runs, in the colours of their curves."""
    from matplotlib.lines import Line2D

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylabel("loss")
    for i, solution in enumerate(solutions):
        for name, dash in zip(names, DASHES, strict=False):
            told = [(place(p), p.news[name]) for p in solution.curve if name in p.news]
            visible = [(x, y) for x, y in told if x > 0 and y > 0]
            axes.plot(
                [x for x, _ in visible],
                [y for _, y in visible],
                color=COLOURS[i % len(COLOURS)],
                linestyle=dash,
            )
    kinds = [
        Line2D([], [], color="black", linestyle=dash, label=plain(name))
        for name, dash in zip(names, DASHES, strict=False)
    ]
    axes.legend(handles=kinds, loc="center left", bbox_to_anchor=(1.0, 0.5))
