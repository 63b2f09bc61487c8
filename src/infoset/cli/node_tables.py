"""What there is to see at a node of a solved spot, as tables and as a grid."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from infoset.cli.output import Column, Table, chips, labels, percent

if TYPE_CHECKING:
    from rich.text import Text

    from infoset.explore import NodeView

NAMES = ("OOP", "IP")

CELL = 6
"""Columns of a class in the grid."""


def _ranges_table(view: NodeView) -> Table:
    """Both players' ranges as a whole."""
    values = [view.value(player) for player in (0, 1)]
    acts = [" (acts)" if view.player == player else "" for player in (0, 1)]
    return Table.of(
        (labels("player"), [NAMES[player] + acts[player] for player in (0, 1)]),
        (Column("hands", "hands", "{:,}".format), [int((r > 0).sum()) for r in view.reach]),
        (Column("combos", "combos", "{:.2f}".format), [float(r.sum()) for r in view.reach]),
        (Column("value", "EV", chips), values),
        (Column("value_share_of_pot", "% of pot", _percent_of_pot), [v / view.pot for v in values]),
        (Column("equity", "equity %", percent), [view.equity(player) for player in (0, 1)]),
    )


def _percent_of_pot(share: float) -> str:
    """Beyond 100 where bets are won too."""
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def _actions_table(view: NodeView, player: int) -> Table:
    """How often the player who decides takes each action."""
    combos = [float((view.reach[player] * row).sum()) for row in view.strategy]
    return Table.of(
        (labels("action", f"{NAMES[player]}:"), view.actions),
        (Column("frequency", "%", percent), view.frequencies.tolist()),
        (Column("combos", "combos", "{:.2f}".format), combos),
    )


def hand_order(view: NodeView, player: int) -> list[int]:
    """The rows of a player's hands, class by class as in the grid."""
    from infoset.cards import HAND_CLASS

    hands = view.hands[player].tolist()
    return sorted(range(len(hands)), key=lambda row: (int(HAND_CLASS[hands[row]]), -hands[row]))


def hand_table(view: NodeView, player: int, rows: list[int]) -> Table:
    """Hands of a player, a line each."""
    from infoset.cards import format_hand

    view = view.only(player, rows)
    actions = view.actions if view.player == player else ()
    worth = zip(actions, view.action_values[: len(actions)].tolist(), strict=True)
    return Table.of(
        (labels("hand", f"{NAMES[player]}:"), map(format_hand, view.hands[player].tolist())),
        (Column("reach", "reach", "{:.3g}".format), view.reach[player].tolist()),
        *_how_often(actions, view.strategy[: len(actions)].tolist()),
        (Column("value", "EV", chips), view.values[player].tolist()),
        (Column("equity", "equity %", percent), view.equities[player].tolist()),
        *((Column(f"value {action}", f"EV {action}", chips), values) for action, values in worth),
    )


def _how_often(actions: Sequence[str], strategy: Sequence[Any]) -> list[tuple[Column, Any]]:
    """A column for each action."""
    heads = [Column(action, f"{action} %", percent) for action in actions]
    return [*zip(heads, strategy, strict=True)]


def class_order(view: NodeView, player: int) -> list[int]:
    """The classes of hands that come here, the most frequent first."""
    shares = view.by_class(player).share.ravel().tolist()
    return sorted((i for i, share in enumerate(shares) if share > 0), key=lambda i: -shares[i])


def class_table(view: NodeView, player: int, classes: list[int]) -> Table:
    """Classes of hands of the player who decides, a line each; each is the mean of its hands."""
    from infoset.cards import CLASS_NAMES

    table = view.by_class(player)
    return Table.of(
        (labels("class"), [CLASS_NAMES[i] for i in classes]),
        (Column("share_of_range", "range %", percent), table.share.flat[classes].tolist()),
        *_how_often(view.actions, [often.flat[classes].tolist() for often in table.strategy]),
        (Column("value", "EV", chips), table.value.flat[classes].tolist()),
        (Column("equity", "equity %", percent), table.equity.flat[classes].tolist()),
    )


def print_node(view: NodeView) -> None:
    """Both ranges, and what the player who decides does with his."""
    _ranges_table(view).print()
    if view.player is not None:
        _actions_table(view, view.player).print()
        _print_grid(view, view.player)


def _print_grid(view: NodeView, player: int) -> None:
    """The 169 classes in colours, on terminals that have them: each cell is divided by action."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    from infoset.cards import CLASS_NAMES
    from infoset.explore import action_colours

    colours = action_colours(view.actions)
    console = Console(highlight=False)
    for action, colour in zip(view.actions, colours, strict=True):
        console.print(Text("  ", Style(bgcolor=colour)), action, end="  ", markup=False)
    console.print()
    table = view.by_class(player)
    for row in range(13):
        line = Text()
        for column in range(13):
            is_there = table.weight[row, column] > 0
            strategy = table.strategy[:, row, column].tolist() if is_there else []
            line.append_text(_cell(CLASS_NAMES[13 * row + column], strategy, colours))
        console.print(line)
    console.print()


def _cell(name: str, strategy: list[float], colours: list[str]) -> Text:
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
