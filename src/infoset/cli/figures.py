"""Convergence figures. matplotlib is imported only when one is asked for."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from infoset.errors import BadInputError, MissingExtraError, nearest

if TYPE_CHECKING:
    from infoset.solvers.solution import Solution

__all__ = ["By", "check_figure", "draw_convergence"]

FORMATS = (".svg", ".pdf", ".png")

# Okabe & Ito (2008): told apart with any kind of colour vision. Their yellow is left out, it is
# hard to see on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))


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
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from infoset.storage import write_atomically

    style = {
        "svg.fonttype": "none",
        "svg.hashsalt": "infoset",
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#e5e5e5",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
    }
    with rc_context(style):
        figure = Figure(figsize=(7.2, 4.3), layout="constrained")
        axes = figure.add_subplot()
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
                linewidth=1.8,
                marker="o" if len(visible) == 1 else None,
            )
        game = solutions[0].game
        axes.set_title(f"Convergence on {game}".replace("$", r"\$"), loc="left", fontsize=11)
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
            frameon=False,
        )
        buffer = io.BytesIO()
        kind = path.suffix.lower().removeprefix(".")
        # No date: the same run gives the same file.
        undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        figure.savefig(buffer, format=kind, dpi=160, metadata=undated)
    write_atomically(path, buffer.getvalue())


def _label(solution: Solution, *, shown: bool) -> str:
    text = solution.algorithm if shown else f"{solution.algorithm} (exactly 0)"
    return text.replace("$", r"\$")
