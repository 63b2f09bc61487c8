"""Look at a saved solution: a node of a spot, the strategy of a game."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.node_tables import NAMES, hand_order, hand_table, print_node
from infoset.cli.options import option
from infoset.cli.output import print_facts, printable, write_json
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine, has_nodes
from infoset.cli.strategy_rows import (
    MOST_ACTIONS,
    Infosets,
    find_infosets,
    strategy_lines,
    write_infosets,
)
from infoset.cli.streams import attempt, end
from infoset.errors import BadInputError, shorten
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.explore import NodeView
    from infoset.solvers import Solution

MOST_ROWS = 40
"""Hands or infosets that are shown unless all are asked for."""

PLAYERS = {"0": 0, "oop": 0, "1": 1, "ip": 1}


@command(example='infoset show turn.infoset --path "check, bet 50%"')
def show(
    file: Path = options.SOLVED,
    path: str | None = option(
        "--path -p ACTIONS", 'What was done so far, as in "check, bet 50%, call, 7h".'
    ),
    infoset: str | None = option(
        "--infoset KEY", 'Only this infoset, as in "Ks:check,bet" or "AhQh:check,bet 100".'
    ),
    hand: str | None = option("--hand CARDS", "Only this hand, as in AsKd."),
    hand_class: str | None = option("--class CLASS", "Of a spot: only these hands, as in AKs."),
    player: str | None = option(
        "--player 0|1|oop|ip", "Only this player; of a spot, whose hands. Default: who acts."
    ),
    everything: bool = option("--all", f"All hands or infosets, not only {MOST_ROWS}."),
    plot: Path | None = option(
        "--plot FILE",
        "Draw the grid of hands of a spot, or the convergence on a game, as .svg, .pdf or .png.",
    ),
    values: Path | None = option("--values FILE", "Of a spot: draw what the hands are worth."),
    game: str | None = options.GAME,
    json: bool = options.JSON,
    csv: bool = options.CSV,
    quiet: bool = options.QUIET,
) -> None:
    """Show what a solution does, everywhere or at one point.

    Of a spot: what each hand does at one node, and what it is worth. Of a game: the strategy, at
    all infosets, at those after a path, or at one.
    """
    for one, other, is_given in (
        ("--hand", "--class", hand is not None and hand_class is not None),
        ("--infoset", "--path", infoset is not None and path is not None),
        ("--infoset", "--hand", infoset is not None and (hand or hand_class) is not None),
    ):
        if is_given:
            raise BadInputError(f"{one} and {other} exclude each other: choose one")
    check_files(
        read={"FILE": file, "--game": target_file(game)},
        drawn={"--plot": plot, "--values": values},
    )
    chosen = _Chosen(path, infoset, hand, hand_class, _player(player))

    from infoset import api, explore

    with LiveLine(printable(str(file)), quiet=quiet) as line, heard_interrupts():
        line.announce("reading the solution")
        solution = api.load(file, game)
        if has_nodes(solution):
            line.announce("working out what each hand is worth")
            view, shown, owner = _spot_views(solution, chosen)
            problems = [
                *attempt(plot, lambda path: explore.draw_range_grid(path, view, owner)),
                *attempt(values, lambda path: explore.draw_values(path, view)),
            ]
        else:
            infosets = _game_infosets(solution, chosen, values)
            problems = attempt(plot, lambda path: explore.draw_convergence(path, [solution]))
    if not has_nodes(solution):
        is_limited = chosen.is_everything and not everything
        if csv:
            write_infosets(infosets)
        elif json:
            write_json(
                _game_document(solution, infosets), indent=None if chosen.infoset is None else 2
            )
        else:
            _print_game(infosets, is_limited=is_limited)
    else:
        is_limited = not everything and len(shown.hands[owner]) == len(view.hands[owner])
        if csv:
            hand_table(shown, owner, hand_order(shown, owner)).write_csv()
        elif json:
            write_json(_spot_document(solution, view, shown))
        else:
            _print_spot(solution, view, shown, owner, is_limited=is_limited)
    end(problems)


class _Chosen(NamedTuple):
    """What is to be shown, as it was typed."""

    path: str | None
    infoset: str | None
    hand: str | None
    hand_class: str | None
    player: int | None

    @property
    def is_everything(self) -> bool:
        """Whether nothing says which infosets."""
        return (self.path, self.infoset, self.hand) == (None, None, None)


def _player(typed: str | None) -> int | None:
    if typed is not None and typed.lower() not in PLAYERS:
        raise BadInputError(f"--player is 0 (oop) or 1 (ip), not {shorten(typed)}")
    return None if typed is None else PLAYERS[typed.lower()]


# Spots.


def _spot_views(solution: Solution, chosen: _Chosen) -> tuple[NodeView, NodeView, int]:
    """The node, the node with the hands that are asked for, and whose they are."""
    from infoset import api
    from infoset.cards import HAND_CLASS, hand_of

    path, hand = chosen.path or "", chosen.hand
    if chosen.infoset is not None:
        key = chosen.infoset
        solution.strategy[key if chosen.player is None else (chosen.player, key)]
        hand, _, public = key.partition(":")
        path = public.replace("/", ",").replace(":", ",")
    view = api.view(solution, path)
    whose = chosen.player
    if whose is None:
        whose = 0 if view.player is None else view.player
    hands = view.hands[whose]
    is_wanted = hands >= 0
    if hand is not None:
        is_wanted = hands == hand_of(hand)
    elif chosen.hand_class is not None:
        is_wanted = HAND_CLASS[hands] == _class_number(chosen.hand_class)
    if not is_wanted.any():
        which = hand or chosen.hand_class or "a hand"
        raise BadInputError(f"{NAMES[whose]} never has {which} there; see all hands with: --all")
    return view, view.only(whose, is_wanted), whose


def _class_number(text: str) -> int:
    """The number of a class of hands, as in ``AKs``, ``AKo`` or ``77``.

    >>> _class_number("aa"), _class_number("AKs")
    (0, 1)
    """
    from infoset.cards import CLASS_NAMES

    names = [name.lower() for name in CLASS_NAMES]
    if text.lower() not in names:
        raise BadInputError(
            f"there is no class of hands {shorten(text)}; write it as in AKs, AKo or 77"
        )
    return names.index(text.lower())


def _print_spot(
    solution: Solution, view: NodeView, shown: NodeView, player: int, *, is_limited: bool
) -> None:
    print_facts(_node_facts(solution, view))
    print_node(view)
    rows = hand_order(shown, player)
    if is_limited:
        rows = [row for row in rows if shown.reach[player][row] > 0]
    if not rows:
        print(f"No hand of {NAMES[player]} comes here.")
        return
    hand_table(shown, player, rows[:MOST_ROWS] if is_limited else rows).print()
    if is_limited and len(rows) > MOST_ROWS:
        print(f"These are {MOST_ROWS} of {len(rows):,} hands; all of them: --all")


def _spot_document(solution: Solution, view: NodeView, shown: NodeView) -> dict[str, Any]:
    """What the tables show, for programs; means are over the whole ranges."""

    def number(value: float) -> float | None:
        return None if math.isnan(value) else value

    frequencies = [] if view.player is None else view.frequencies.tolist()
    return {
        "spot": _spot_name(solution),
        "next": view.next_step,
        "locked": view.num_locked,
        "frequencies": [number(frequency) for frequency in frequencies],
        "value": [number(view.value(player)) for player in (0, 1)],
        "equity": [number(view.equity(player)) for player in (0, 1)],
        **shown.as_dict(),
    }


def _spot_name(solution: Solution) -> str:
    assert solution.spot is not None
    return solution.spot.name


def _node_facts(solution: Solution, view: NodeView) -> list[tuple[str, str]]:
    from infoset.cards import format_cards

    put = ", ".join(f"{name} {chips:,}" for name, chips in zip(NAMES, view.put, strict=True))
    facts = [
        ("spot", printable(_spot_name(solution)) or "-"),
        ("path", view.path or "(start)"),
        ("board", format_cards(view.board)),
        ("pot", f"{view.pot:,} (put in since the start: {put})"),
        ("next", view.next_step),
    ]
    if view.num_locked:
        facts.append(("locked", f"{view.num_locked:,} hand{'s' * (view.num_locked > 1)}"))
    return facts


# Games.


def _game_infosets(solution: Solution, chosen: _Chosen, values: Path | None) -> Infosets:
    for name, given in (("--class", chosen.hand_class), ("--values", values)):
        if given is not None:
            what = "is a game" if solution.spot is None else "was not solved in public form"
            raise BadInputError(f"{name} is for spots, and {solution.game!r} {what}")
    return find_infosets(
        solution.strategy,
        (0, 1) if chosen.player is None else (chosen.player,),
        infoset=chosen.infoset,
        hand=chosen.hand,
        path=chosen.path,
    )


def _game_document(solution: Solution, infosets: Infosets) -> dict[str, Any]:
    return {
        "game": solution.game,
        "algorithm": solution.algorithm,
        "iterations": solution.iterations,
        "value": solution.value,
        "exploitability": solution.exploitability,
        "infosets": [
            {"player": player, "infoset": key, "probabilities": actions}
            for player, key, actions in infosets
        ],
    }


def _print_game(infosets: Infosets, *, is_limited: bool) -> None:
    total = sum(1 for _ in infosets) if is_limited else 0
    is_cut = total > MOST_ROWS
    if is_cut:
        infosets = replace(infosets, most=MOST_ROWS // len(infosets.players))
    for line in strategy_lines(infosets, MOST_ACTIONS if is_limited else None):
        print(line)
    if is_cut:
        num_shown = sum(1 for _ in infosets)
        print(f"These are {num_shown} of {total:,} infosets; all of them: --all")
