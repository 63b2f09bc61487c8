"""What there is to see at a node of a solved spot, as tables and as a grid."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.style import Style
from rich.text import Text

from infoset.cli.output import print_table, table
from infoset.explore.style import BLUE, GREEN, RED

if TYPE_CHECKING:
    from infoset.explore.node_view import NodeView

__all__ = [
    "NAMES",
    "Row",
    "chips",
    "class_rows",
    "hand_rows",
    "print_classes",
    "print_grid",
    "print_hands",
    "print_ranges",
]

NAMES = ("OOP", "IP")

BET_COLOURS = ("#FBC9AE", RED, "#8F3800")
"""Of bets and raises, small ones first; the last for all that are left."""
ALL_IN_COLOUR = "#4A1500"


class Row(NamedTuple):
    """One hand, or all hands of a class together, of one player at a node."""

    name: str
    amount: float
    """Of a hand its reach, of a class its share of the range."""
    strategy: tuple[float, ...]
    """Of each action; empty where the player does not decide."""
    action_values: tuple[float, ...]
    """The same, in chips; empty for classes."""
    value: float
    equity: float


def hand_rows(view: NodeView, player: int) -> list[Row]:
    """Every hand of a player that the board allows, class by class as in the grid."""
    from infoset.cards import HAND_CLASS, format_hand

    hands = view.hands[player].tolist()
    decides = view.player == player
    return [
        Row(
            name=format_hand(hands[i]),
            amount=float(view.reach[player][i]),
            strategy=tuple(view.strategy[:, i].tolist()) if decides else (),
            action_values=tuple(view.action_values[:, i].tolist()) if decides else (),
            value=float(view.values[player][i]),
            equity=float(view.equities[player][i]),
        )
        for i in sorted(range(len(hands)), key=lambda i: (int(HAND_CLASS[hands[i]]), -hands[i]))
    ]


def class_rows(view: NodeView, player: int) -> list[Row]:
    """The classes of hands that come here, as in the grid; each is the mean of its hands."""
    from infoset.cards import CLASS_NAMES

    classes = view.by_class(player)
    weights = classes.weight.ravel()
    strategy = classes.strategy.reshape(-1, len(CLASS_NAMES))
    total = float(weights.sum())
    return [
        Row(
            name=name,
            amount=float(weights[i]) / total,
            strategy=tuple(strategy[:, i].tolist()),
            action_values=(),
            value=float(classes.value.flat[i]),
            equity=float(classes.equity.flat[i]),
        )
        for i, name in enumerate(CLASS_NAMES)
        if weights[i] > 0
    ]


def percent(share: float) -> str:
    """A share in percent, honest about what is only almost nothing or almost all.

    >>> [percent(p) for p in (0.0, 1e-5, 0.25, 0.9999, 1.0, float("nan"))]
    ['0', '<0.1', '25.0', '>99.9', '100', '-']
    """
    if math.isnan(share):
        return "-"
    # Sums of single-precision numbers miss 1 by a few units of the seventh digit.
    if share <= 0.0 or share >= 1.0 - 1e-6:
        return "0" if share <= 0.0 else "100"
    if share < 0.0005:
        return "<0.1"
    return ">99.9" if share >= 0.9995 else f"{100 * share:.1f}"


def chips(value: float) -> str:
    """Chips, to a hundredth; a dash where there is nothing to expect.

    >>> chips(1234.5678), chips(-0.001), chips(float("nan"))
    ('1,234.57', '0.00', '-')
    """
    return "-" if math.isnan(value) else f"{round(value, 2) + 0.0:,.2f}"


def print_ranges(view: NodeView) -> None:
    """Both players' ranges as a whole, and how often the one who decides takes each action."""
    heads = ("hands", "combos", "EV", "% of pot", "equity %")
    shown = table("player", *heads, numbers=heads)
    for player in (0, 1):
        value = view.value(player)
        shown.add_row(
            NAMES[player] + (" (acts)" if view.player == player else ""),
            f"{int((view.reach[player] > 0).sum()):,}",
            f"{float(view.reach[player].sum()):.2f}",
            chips(value),
            percent_of(value, view.pot),
            percent(view.equity(player)),
        )
    print_table(shown)
    if view.player is None:
        return
    shown = table(f"{NAMES[view.player]}:", "%", "combos", numbers=("%", "combos"))
    frequencies = view.frequencies.tolist()
    reach = view.reach[view.player]
    for action, frequency, row in zip(view.actions, frequencies, view.strategy, strict=True):
        shown.add_row(action, percent(frequency), f"{float((reach * row).sum()):.2f}")
    print_table(shown)


def percent_of(value: float, pot: int) -> str:
    """Chips in percent of the pot; beyond 100 where bets are won too."""
    return "-" if math.isnan(value) else f"{100 * value / pot:.1f}"


def print_hands(view: NodeView, rows: Sequence[Row], player: int) -> None:
    """Hands of a player, a line each."""
    actions = view.actions if view.player == player else ()
    heads = (
        "reach",
        *(f"{action} %" for action in actions),
        "EV",
        *(f"EV {action}" for action in actions),
        "equity %",
    )
    shown = table(f"{NAMES[player]}:", *heads, numbers=heads)
    for row in rows:
        shown.add_row(
            row.name,
            f"{row.amount:.3g}",
            *map(percent, row.strategy),
            chips(row.value),
            *map(chips, row.action_values),
            percent(row.equity),
        )
    print_table(shown)


def print_classes(view: NodeView, rows: Sequence[Row]) -> None:
    """Classes of the player who decides, a line each."""
    heads = ("range %", *(f"{action} %" for action in view.actions), "EV", "equity %")
    shown = table("class", *heads, numbers=heads)
    for row in rows:
        strategy = map(percent, row.strategy)
        shown.add_row(
            row.name, percent(row.amount), *strategy, chips(row.value), percent(row.equity)
        )
    print_table(shown)


def print_grid(view: NodeView) -> None:
    """The 169 classes in colours, on terminals that have them: each cell is divided by action."""
    if view.player is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return
    from infoset.cards import CLASS_NAMES

    colours = action_colours(view.actions)
    rows = {row.name: row for row in class_rows(view, view.player)}
    console = Console(highlight=False)
    for action, colour in zip(view.actions, colours, strict=True):
        console.print(Text("  ", Style(bgcolor=colour)), action, end="  ", markup=False)
    console.print()
    for begin in range(0, 169, 13):
        line = Text()
        for name in CLASS_NAMES[begin : begin + 13]:
            row = rows.get(name)
            line.append_text(_cell(name, row.strategy if row else (), colours))
        console.print(line)


CELL = 6
"""Columns of a class in the grid."""


def _cell(name: str, strategy: tuple[float, ...], colours: list[str]) -> Text:
    """A class, its columns coloured in the proportion in which it takes the actions."""
    text = f"{name:<{CELL}}"
    if not strategy:
        return Text(text, Style(dim=True))
    out, begin, total = Text(), 0, 0.0
    for share, colour in zip(strategy, colours, strict=True):
        total += share
        end = round(CELL * min(total, 1.0))
        out.append(text[begin:end], Style(color=_ink(colour), bgcolor=colour))
        begin = end
    return out


def _ink(colour: str) -> str:
    """Black or white, whichever is read better on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 299 * red + 587 * green + 114 * blue > 100_000 else "#ffffff"


def action_colours(actions: Iterable[str]) -> list[str]:
    """A colour for each action, as in the figures, but without matplotlib.

    >>> action_colours(("fold", "call 50", "raise to 150")) == [BLUE, GREEN, BET_COLOURS[0]]
    True
    """
    known = {"fold": BLUE, "check": GREEN, "call": GREEN, "all-in": ALL_IN_COLOUR}
    colours, bets = [], 0
    for action in actions:
        word = action.partition(" ")[0]
        colours.append(known.get(word) or BET_COLOURS[min(bets, len(BET_COLOURS) - 1)])
        bets += word not in known
    return colours
