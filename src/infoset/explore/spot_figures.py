"""Figures of a node of a solved spot: ranges and values. matplotlib is imported only to draw."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.explore.node_view import NAMES, NodeView
from infoset.explore.range_grid import (
    EMPTY,
    LEAST_HEIGHT,
    REACHED,
    UNKNOWN,
    action_colours,
    action_markers,
    empty_grid,
    fill_cells,
    heights_of,
    name_cells,
    shade_cells,
    title_of,
    words_for_range,
)
from infoset.explore.style import BLACK, GREY, check_path, panels, plain, write_figure

Floats = NDArray[np.floating[Any]]
PathLike = str | os.PathLike[str]

LEGEND_COLUMNS = 4

DOTS_AREA = 9000.0
"""Square points that all dots of a scatter have together if they are equally large."""
SMALLEST_DOT, LARGEST_DOT = 10.0, 60.0


def draw_range_grid(path: PathLike, view: NodeView, player: int | None = None) -> None:
    """Draw what a range does at a node: a cell for each hand class, a colour for each action.

    A cell is as full as much of its class comes here, compared with the class of which most comes,
    and is divided from left to right as the class divides its actions. Without a player, the range
    is that of who acts; for the other player, or where nobody acts, cells show what comes here.
    """
    path = check_path(path)
    player = _player_of(view, player)
    acts = player == view.player
    table = view.by_class(player)
    heights = heights_of(table)
    title = f"{title_of(view, 85)}\n{words_for_range(view, player)}"
    # Room for a grid as high as the figure is wide, and for the lines above and below it.
    lines = title.count("\n") + 2 + _legend_rows(len(view.actions) + 2)
    with panels(1, 1, width=7.2, height=7.4 + 0.21 * lines) as (figure, grid):
        axes = grid[0, 0]
        empty_grid(axes)
        is_there = heights > LEAST_HEIGHT
        if acts:
            colours = action_colours(view.actions)
            is_known = np.isfinite(table.strategy).all(axis=0)
            fill_cells(axes, np.where(is_known, table.strategy, 0.0), heights, colours)
            fill_cells(axes, (is_there & ~is_known)[None].astype(float), heights, [UNKNOWN])
            words = _action_words(view)
            if (is_there & ~is_known).any():
                colours, words = [*colours, UNKNOWN], [*words, "meets no hand"]
        else:
            colours, words = [REACHED], ["comes here"]
            fill_cells(axes, np.ones((1, *heights.shape)), heights, colours)
        name_cells(axes, is_there)
        # Not the title of the axes: a square grid in a high figure would not make room for it.
        figure.suptitle(title, fontsize=11, x=0.01, ha="left")
        _patch_legend(
            figure, [*colours, EMPTY], [*words, "not here"], _height_words(float(table.reach.max()))
        )
        write_figure(figure, path)


def _player_of(view: NodeView, player: int | None) -> int:
    if player is None:
        if view.player is None:
            raise BadInputError(
                f"nobody acts after '{view.path}'; say whose range is to be drawn, player 0 (OOP) "
                "or 1 (IP)"
            )
        return view.player
    if player not in (0, 1):
        raise BadInputError(f"there is no player {player!r}; player 0 is OOP, player 1 is IP")
    return player


def _action_words(view: NodeView) -> list[str]:
    """Each action and how often it is taken."""
    return [
        f"{action}  {often:.1%}" if np.isfinite(often) else action
        for action, often in zip(view.actions, view.frequencies, strict=True)
    ]


def _height_words(most: float) -> str:
    if most <= 0:
        return "no hand comes here"
    full = "all" if most > 0.9995 else f"{most:.3g}" if most < 0.001 else f"{most:.1%}"
    return f"height: how much of a class comes here (full cell: {full})"


def _patch_legend(figure: Any, colours: Sequence[str], words: Sequence[str], title: str) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(color=colour) for colour in colours]
    figure.legend(
        handles,
        [*map(plain, words)],
        loc="outside lower center",
        ncols=-(-len(words) // _legend_rows(len(words))),
        title=title,
    )


def _legend_rows(number: int) -> int:
    return -(-number // LEGEND_COLUMNS)


def draw_values(path: PathLike, view: NodeView) -> None:
    """Draw what hands are worth at a node, player beside player, in shares of the pot.

    Above, the expected value of every hand class. Below, a dot for each hand, larger the more it
    counts: its expected value against its equity. Above the line, a hand wins more than its share
    if nobody bet any more; below, less. Dots of who acts show what the hand does most often. What
    hardly comes here is left out.
    """
    path = check_path(path)
    from matplotlib.colors import Normalize

    tables = [view.by_class(player) for player in (0, 1)]
    shares = [
        np.where(heights_of(table) > LEAST_HEIGHT, table.value / view.pot, np.nan)
        for table in tables
    ]
    known = np.concatenate([share[np.isfinite(share)] for share in shares])
    norm = Normalize(min(0.0, known.min(initial=0.0)), max(known.max(initial=0.0), 0.01))
    with panels(2, 2, width=10.4, height=8.9, row_heights=(4.0, 3.0)) as (figure, grid):
        for player in (0, 1):
            above, below = grid[:, player]
            empty_grid(above)
            is_there = heights_of(tables[player]) > LEAST_HEIGHT
            image = shade_cells(above, shares[player], is_there, norm)
            above.set_title(words_for_range(view, player), fontsize=9.5)
            _scatter(below, view, player)
            below.set_xlabel(f"equity of {NAMES[player]}'s hand")
        figure.colorbar(
            image, ax=grid[0].tolist(), shrink=0.8, label="EV, share of the pot", format=_percent()
        )
        grid[1, 1].sharey(grid[1, 0])
        grid[1, 0].set_ylabel("EV, share of the pot")
        figure.suptitle(title_of(view, 110), fontsize=11, x=0.01, ha="left")
        write_figure(figure, path)


def _percent() -> Any:
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(1.0, decimals=0)


def _scatter(axes: Any, view: NodeView, player: int) -> None:
    """A dot a hand: expected value against equity."""
    values, equities = view.values[player] / view.pot, view.equities[player]
    weights = view.weights[player]
    counts = weights > LEAST_HEIGHT * weights.max(initial=0.0)
    counts &= np.isfinite(values) & np.isfinite(equities)
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=1, zorder=1, label="EV = equity")
    axes.set_xlim(-0.03, 1.03)
    axes.xaxis.set_major_formatter(_percent())
    axes.yaxis.set_major_formatter(_percent())
    if not counts.any():
        axes.text(0.5, 0.5, "no hand comes here", ha="center", transform=axes.transAxes)
        return
    # As many as there would be if all that count counted the same.
    number = weights[counts].sum() ** 2 / (weights[counts] ** 2).sum()
    areas = np.clip(DOTS_AREA / number, SMALLEST_DOT, LARGEST_DOT) * weights / weights.max()
    if player == view.player:
        names = [f"mostly {action}" for action in view.actions]
        colours, markers = action_colours(view.actions), action_markers(view.actions)
        kinds = list(zip(names, colours, markers, strict=True))
        most_often = view.strategy.argmax(axis=0)
    else:
        kinds = [("a hand", GREY, "o")]
        most_often = np.zeros(len(values), int)
    for i, (label, colour, marker) in enumerate(kinds):
        chosen = counts & (most_often == i)
        if chosen.any():
            axes.scatter(
                equities[chosen],
                values[chosen],
                areas[chosen],
                color=colour,
                marker=marker,
                label=plain(label),
                alpha=0.8,
                edgecolors=BLACK,
                linewidths=0.25,
            )
    legend = axes.legend(loc="best", fontsize=9)
    for handle in legend.legend_handles[1:]:
        handle.set_sizes([36.0])
