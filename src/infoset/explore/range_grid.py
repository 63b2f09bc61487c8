"""Parts of the figures of a solved spot: colours of actions, grids of hand classes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import CLASS_NAMES, format_cards
from infoset.explore.node_view import NAMES, ClassTable, NodeView
from infoset.explore.style import BLUE, GREEN, ORANGE, RED, plain
from infoset.games.holdem import STREETS

Floats = NDArray[np.floating[Any]]

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


def action_colours(actions: Sequence[str]) -> list[str]:
    """A colour for each action: blue folds, green checks and calls, redder the more is bet.

    Actions are in the order of the betting tree, bets and raises from small to large.

    >>> action_colours(["fold", "call 50", "raise to 150", "all-in 900"])
    ['#0072B2', '#009E73', '#D55E00', '#4A1500']
    """
    bets = [i for i, action in enumerate(actions) if _kind(action) == "bet"]
    colours = {"fold": BLUE, "check": GREEN, "call": GREEN, "all-in": _ALL_IN}
    shades = dict(zip(bets, _shades(len(bets)), strict=True))
    return [shades.get(i) or colours[_kind(action)] for i, action in enumerate(actions)]


def action_markers(actions: Sequence[str]) -> list[str]:
    """A shape of dot for each kind of action, for print without colours."""
    shapes = {"fold": "v", "check": "o", "call": "o", "bet": "^", "all-in": "D"}
    return [shapes[_kind(action)] for action in actions]


def _kind(action: str) -> str:
    word = action.partition(" ")[0]
    return word if word in ("fold", "check", "call", "all-in") else "bet"


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
        axes.text(
            column + 0.5,
            row + 0.52,
            text,
            ha="center",
            va="center",
            fontsize=6,
            linespacing=1.15,
            color=ink,
            zorder=4,
        )
    return mesh


def name_cells(axes: Any, is_there: NDArray[np.bool_]) -> None:
    """Write the name of each class into its upper left corner, in grey where there is nothing."""
    from matplotlib.patheffects import withStroke

    for row, column in np.ndindex(CELLS, CELLS):
        text = axes.text(
            column + 0.07,
            row + 0.09,
            CLASS_NAMES[CELLS * row + column],
            ha="left",
            va="top",
            fontsize=7.5,
            color="black" if is_there[row, column] else FAINT,
            zorder=4,
        )
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
