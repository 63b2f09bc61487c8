"""Figures of a node of a solved spot: ranges and values. matplotlib is imported only to draw."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import CLASS_NAMES, format_cards
from infoset.errors import BadInputError
from infoset.explore.node_view import NAMES, ClassTable, NodeView
from infoset.explore.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    check_path,
    panels,
    plain,
    write_figure,
)
from infoset.games.holdem import STREETS

Floats = NDArray[np.floating[Any]]
PathLike = str | os.PathLike[str]

EMPTY = "#ececec"
"""The part of a class that does not come here."""
FAINT = "#a0a0a0"
"""Names of classes that do not come here."""
UNKNOWN = "#bdbdbd"
"""What comes here, but meets no hand of the opponent."""
REACHED = ORANGE
"""What comes here where nobody acts."""

# Shades of the vermilion of Okabe & Ito. With their blue and green, any two of the colours are told
# apart with any kind of colour vision, and the shades also in grey.
_SMALLEST, _LARGEST, _ALL_IN = "#FBC9AE", "#8F3800", "#4A1500"

LEAST_HEIGHT = 0.005
"""Of a cell; what is less cannot be seen, and is mostly left over from early iterations."""

CELLS = 13

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
    from matplotlib.patches import Patch

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
        colours, words = [*colours, EMPTY], [*words, "not here"]
        figure.legend(
            [Patch(color=colour) for colour in colours],
            [*map(plain, words)],
            loc="outside lower center",
            ncols=-(-len(words) // _legend_rows(len(words))),
            title=_height_words(float(table.reach.max())),
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
        kinds = [
            (f"mostly {action}", colour, _colour_and_marker(action)[1])
            for action, colour in zip(view.actions, action_colours(view.actions), strict=True)
        ]
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


# Parts of the figures.


def action_colours(actions: Sequence[str]) -> list[str]:
    """A colour for each action: blue folds, green checks and calls, redder the more is bet.

    Actions are in the order of the betting tree, bets and raises from small to large.

    >>> action_colours(["fold", "call 50", "raise to 150", "all-in 900"])
    ['#0072B2', '#009E73', '#D55E00', '#4A1500']
    """
    colours = [_colour_and_marker(action)[0] for action in actions]
    shades = iter(_shades(colours.count(RED)))
    return [next(shades) if colour == RED else colour for colour in colours]


def _colour_and_marker(action: str) -> tuple[str, str]:
    """The colour of a kind of action, and the shape of its dots, for print without colours."""
    kinds = {"fold": (BLUE, "v"), "check": (GREEN, "o"), "call": (GREEN, "o")}
    kinds["all-in"] = _ALL_IN, "D"
    return kinds.get(action.partition(" ")[0], (RED, "^"))


def _shades(number: int) -> list[str]:
    """So many reds, from light to dark."""
    if number <= 1:
        return [RED] * number
    return [_between(2 * i / (number - 1)) for i in range(number)]


def _between(place: float) -> str:
    """The colour at a place from 0, the lightest red, over 1, plain red, to 2, the darkest."""
    begin, end = (_SMALLEST, RED) if place < 1 else (RED, _LARGEST)
    part = place if place < 1 else place - 1
    pairs = [(int(begin[i : i + 2], 16), int(end[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + part * (b - a)):02X}" for a, b in pairs)


def heights_of(table: ClassTable) -> Floats:
    """[13, 13] How full each cell is: 1 for the class of which most comes here."""
    most = table.reach.max()
    return table.reach / most if most > 0 else np.zeros_like(table.reach)


def empty_grid(axes: Any) -> None:
    """Room for the 13 x 13 hand classes, aces above and at the left; a cell is 1 by 1."""
    axes.set_xlim(0, CELLS)
    axes.set_ylim(CELLS, 0)
    axes.set_aspect("equal")
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_facecolor(EMPTY)
    for line in range(1, CELLS):
        axes.axhline(line, color="white", linewidth=1.2, zorder=3)
        axes.axvline(line, color="white", linewidth=1.2, zorder=3)
    for spine in axes.spines.values():
        spine.set_visible(False)


def fill_cells(axes: Any, shares: Floats, heights: Floats, colours: Sequence[str]) -> list[Any]:
    """Fill each cell from below up to its height, side by side in the colours by their shares.

    `shares` is [colours, 13, 13], `heights` [13, 13] from 0 to 1. Returns a collection of
    rectangles for each colour. What has no width or no height is left out.
    """
    from matplotlib.collections import PolyCollection

    ends = np.cumsum(shares, axis=0)
    drawn = []
    for share, end, colour in zip(shares, ends, colours, strict=True):
        rows, columns = np.nonzero((share > 0) & (heights > 0))
        right = columns + end[rows, columns]
        left = right - share[rows, columns]
        bottom = rows + 1.0
        top = bottom - heights[rows, columns]
        sides = [(left, bottom), (right, bottom), (right, top), (left, top)]
        corners = np.array(sides).transpose(2, 0, 1)
        # Without edges and smoothing, neighbours in one colour touch without a seam.
        drawn.append(
            PolyCollection([*corners], facecolors=colour, edgecolors="none", antialiaseds=False)
        )
        axes.add_collection(drawn[-1], autolim=False)
    return drawn


def shade_cells(axes: Any, values: Floats, is_there: NDArray[np.bool_], norm: Any) -> Any:
    """Colour each cell by its value and write name and value in percent into it.

    Where there is nothing, the cell is left empty; where the value is NaN, it is grey.
    """
    edges = np.arange(CELLS + 1)
    is_known = is_there & np.isfinite(values)
    fill_cells(axes, (is_there & ~is_known)[None].astype(float), np.ones(values.shape), [UNKNOWN])
    mesh = axes.pcolormesh(
        edges, edges, np.ma.masked_array(values, ~is_known), cmap="viridis", norm=norm
    )
    for row, column in np.ndindex(CELLS, CELLS):
        text = CLASS_NAMES[CELLS * row + column]
        ink = "black" if is_there[row, column] else FAINT
        if is_known[row, column]:
            value = values[row, column]
            # Adding zero makes a plain 0 of a negative one.
            text += f"\n{np.round(100 * value) + 0.0:.0f}"
            ink = "white" if norm(value) < 0.5 else "black"
        style = {"ha": "center", "va": "center", "fontsize": 6, "linespacing": 1.15, "color": ink}
        axes.text(column + 0.5, row + 0.52, text, zorder=4, **style)
    return mesh


def name_cells(axes: Any, is_there: NDArray[np.bool_]) -> None:
    """Write the name of each class into its upper left corner, in grey where there is nothing."""
    from matplotlib.patheffects import withStroke

    for row, column in np.ndindex(CELLS, CELLS):
        name, ink = CLASS_NAMES[CELLS * row + column], "black" if is_there[row, column] else FAINT
        style = {"ha": "left", "va": "top", "fontsize": 7.5, "color": ink}
        text = axes.text(column + 0.07, row + 0.09, name, zorder=4, **style)
        if is_there[row, column]:
            # Readable on every colour, and where two colours meet.
            text.set_path_effects([withStroke(linewidth=1.8, foreground="white")])


def title_of(view: NodeView, width: int) -> str:
    """Board, pot and who acts; below, folded to so many characters, what led here."""
    cards = format_cards(view.board)
    spaced = " ".join(cards[i : i + 2] for i in range(0, len(cards), 2))
    acts = "nobody" if view.player is None else NAMES[view.player]
    street = STREETS[len(view.board) - 2]
    lines = [f"{street} {spaced}: pot {view.pot:,}, {acts} to act"]
    lines += textwrap.wrap(view.path, width)
    return plain("\n".join(lines))


def words_for_range(view: NodeView, player: int) -> str:
    """What a player's whole range has here: how many hands, what they are worth, their equity."""
    count = float(view.reach[player].sum())
    words = [f"{NAMES[player]}: {count:.4g} combos"]
    value, equity = view.value(player), view.equity(player)
    if np.isfinite(value):
        words.append(f"EV {value:.4g} ({value / view.pot:.1%} of the pot)")
    if np.isfinite(equity):
        words.append(f"equity {equity:.1%}")
    return ", ".join(words)
