"""What there is to see at a node of a solved spot, as tables and as a grid."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from infoset.cli.output import Column, Table, chips, labels, percent

if TYPE_CHECKING:
    from rich.text import Text

    from infoset.explore import NodeView, Row

NAMES = ("OOP", "IP")

CELL = 6
"""Columns of a class in the grid."""


def _ranges_table(view: NodeView) -> Table:
    """Both players' ranges as a whole."""
    columns = (
        labels("player"),
        Column("hands", "hands", "{:,}".format),
        Column("combos", "combos", "{:.2f}".format),
        Column("value", "EV", chips),
        Column("value_share_of_pot", "% of pot", _percent_of_pot),
        Column("equity", "equity %", percent),
    )
    rows = []
    for player in (0, 1):
        value = view.value(player)
        rows.append(
            (
                NAMES[player] + (" (acts)" if view.player == player else ""),
                int((view.reach[player] > 0).sum()),
                float(view.reach[player].sum()),
                value,
                value / view.pot,
                view.equity(player),
            )
        )
    return Table(columns, rows)


def _percent_of_pot(share: float) -> str:
    """Beyond 100 where bets are won too."""
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def _actions_table(view: NodeView) -> Table:
    """How often the player who decides takes each action."""
    assert view.player is not None
    columns = (
        labels("action", f"{NAMES[view.player]}:"),
        Column("frequency", "%", percent),
        Column("combos", "combos", "{:.2f}".format),
    )
    reach = view.reach[view.player]
    combos = [float((reach * row).sum()) for row in view.strategy]
    frequencies = view.frequencies.tolist()
    return Table(columns, list(zip(view.actions, frequencies, combos, strict=True)))


def hand_table(view: NodeView, rows: Sequence[Row], player: int) -> Table:
    """Hands of a player, a line each."""
    actions = view.actions if view.player == player else ()
    name, reach = labels("hand", f"{NAMES[player]}:"), Column("reach", "reach", "{:.3g}".format)
    values = [Column(f"value {action}", f"EV {action}", chips) for action in actions]
    return _rows_table(rows, name, reach, actions, values)


def class_table(view: NodeView, rows: Sequence[Row]) -> Table:
    """Classes of hands of the player who decides, a line each."""
    share = Column("share_of_range", "range %", percent)
    return _rows_table(rows, labels("class"), share, view.actions, [])


def _rows_table(
    rows: Sequence[Row],
    name: Column,
    amount: Column,
    actions: Sequence[str],
    action_values: Sequence[Column],
) -> Table:
    columns = (
        name,
        amount,
        *(Column(action, f"{action} %", percent) for action in actions),
        Column("value", "EV", chips),
        Column("equity", "equity %", percent),
        *action_values,
    )
    cells = [
        (row.name, row.amount, *row.strategy, row.value, row.equity, *row.action_values)
        for row in rows
    ]
    return Table(columns, cells)


def print_node(view: NodeView) -> None:
    """Both ranges, and what the player who decides does with his."""
    _ranges_table(view).print()
    if view.player is not None:
        _actions_table(view).print()
        _print_grid(view, view.player)


def _print_grid(view: NodeView, player: int) -> None:
    """The 169 classes in colours, on terminals that have them: each cell is divided by action."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    from infoset.cards import CLASS_NAMES
    from infoset.explore import action_colours, class_rows

    colours = action_colours(view.actions)
    rows = {row.name: row for row in class_rows(view, player)}
    console = Console(highlight=False)
    for action, colour in zip(view.actions, colours, strict=True):
        console.print(Text("  ", Style(bgcolor=colour)), action, end="  ", markup=False)
    console.print()
    for begin in range(0, len(CLASS_NAMES), 13):
        line = Text()
        for name in CLASS_NAMES[begin : begin + 13]:
            row = rows.get(name)
            line.append_text(_cell(name, row.strategy if row else (), colours))
        console.print(line)
    console.print()


def _cell(name: str, strategy: tuple[float, ...], colours: list[str]) -> Text:
    """A class, its columns coloured in the proportion in which it takes the actions."""
    from rich.style import Style
    from rich.text import Text

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
