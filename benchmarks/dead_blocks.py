"""How much of a spot is dead for a player: ``python -m benchmarks.dead_blocks``.

Dead is what the player's own plan does not reach at an iteration. Shares are counts, without noise:
of single hands, and of blocks of sixteen hands, at the decisions of the last street. They bound
what pruning can win where whole blocks are left out; [PRUNING.md](PRUNING.md) has the bounds.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.report import Table
from benchmarks.spot_games import SITUATIONS, find

if TYPE_CHECKING:
    from infoset.forms.public_layout import Betting
    from infoset.games.holdem import Spot
    from infoset.solvers import VectorSolver

WIDE = "22+,A2s+,K2s+,Q2s+,J4s+,T6s+,96s+,85s+,75s+,64s+,53s+,A2o+,K7o+,Q8o+,J8o+,T8o+,98o,87o"
BOARDS = {
    "river": "Ks9h7d4c2s",
    "turn": "Td9d6hQc",
    "flop": "QsJh2h",
    "paired flop": "9s9h4d",
    "monotone flop": "Ks8s3s",
}
STACKS = {"river": (5000, 17500), "turn": (200, 700)}
FLOP_STACKS = 200, 300
"""The pot, and what is behind."""
SIZES = {
    1: "66%",
    2: "50%, a",
    4: "33%, 75%, 150%, a",
    6: "25%, 50%, 75%, 100%, 150%, a",
}
COUNTS = {
    "river": (2, 4, 6),
    "turn": (2, 4, 6),
    "flop": (1, 2),
    "paired flop": (1, 2),
    "monotone flop": (2, 4, 6),
}
"""How many sizes of bets are measured; the last of them takes minutes, and 4 GB."""
ALGORITHM = "dcfr(gamma=3)"
MARKS = (10, 50, 100, 200)
"""Iterations after which is counted; flops end at half of them."""


def wide_spot(kind: str, sizes: int) -> Spot:
    """Both hold every hand (rivers) or half of them; raises are all-in, on rivers of any size."""
    from infoset.games.holdem import Spot

    pot, stack = STACKS.get(kind, FLOP_STACKS)
    is_river = kind == "river"
    hands = find("river_deepstack").ranges if is_river else (WIDE, WIDE)
    raises = SIZES[sizes] if is_river else "a"
    bets = {"bet": SIZES[sizes], "raise": raises}
    return Spot(BOARDS[kind], *hands, pot=pot, stack=stack, bet_sizes=bets)


def main() -> None:
    """Count what is dead on wide spots, and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.dead_blocks", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("kinds", nargs="*", default=list(COUNTS), choices=list(COUNTS))
    table = Table(
        f"Hold'em, wide ranges: percent dead on the last street, both players, {ALGORITHM}",
        ("spot", "iterations", "% of the pot", *UNITS),
    )
    for kind in parser.parse_args().kinds:
        spots = {f"{kind}, {n} sizes": wide_spot(kind, n) for n in COUNTS[kind]}
        if kind == "river":
            spots |= {name: find(name) for name in ("river_deepstack", *SITUATIONS[:2])}
        for name, spot in spots.items():
            table.rows += rows_of(name, spot, MARKS[:-1] if "flop" in kind else MARKS)
    table.show(Console(width=None if Console().is_terminal else 140))


def rows_of(name: str, spot: Spot, marks: tuple[int, ...]) -> list[tuple[str, ...]]:
    """A row of the table after each of some iterations."""
    from infoset.forms import form_of_spot
    from infoset.solvers import VectorSolver
    from infoset.solvers.algorithms import find_recipe

    solver = VectorSolver(form_of_spot(spot), find_recipe(ALGORITHM))
    rows = []
    for mark in marks:
        solver.run(mark - solver.iteration)
        left = 100 * solver.exploitability() / spot.pot
        shares = (f"{100 * share:.0f}" for share in dead_shares(solver))
        rows.append((name, str(mark), f"{left:.2f}", *shares))
    return rows


UNITS = ("hands", "blocks, actions", "blocks, decisions", "blocks, lines", "tiles")
"""Hands and blocks at actions; blocks at decisions, where no action is reached; blocks that
a line of betting does not bring to the street; and tiles of 16 hands at 16 terminals."""


def dead_shares(solver: VectorSolver) -> NDArray[np.float64]:
    """[units] What the next plans do not reach on the last street, the mean of both players."""
    layout, plans = solver.layout, solver._current_plans()[-1]
    shares = []
    for player, plan in enumerate(plans):
        betting, rows = layout.bettings[-1][player], layout.rows[-1][player]
        is_zero = plan.data.reshape(-1, betting.num_sequences, 16) == 0.0
        is_live = (rows.hand >= 0).reshape(-1, 1, 16)
        hands = (is_zero & is_live).sum() / (is_live.sum() * betting.num_sequences)
        actions = is_zero.all(axis=2)
        begin = betting.node_slot - betting.num_lines
        decisions = np.logical_and.reduceat(actions, begin, axis=1)
        slots = np.hstack([_dead_lines(betting, decisions), actions])
        weights = np.bincount(_lines_of(betting), betting.node_actions, betting.num_lines)
        lines = (slots[:, : betting.num_lines] @ weights).mean() / weights.sum()
        terminals = slots[:, layout.bettings[-1][1 - player].terminal_other]
        tiles = terminals.reshape(len(slots), -1, 16).all(axis=2)
        shares.append([hands, actions.mean(), decisions.mean(), lines, tiles.mean()])
    return np.mean(shares, axis=0)


def _dead_lines(betting: Betting, decisions: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[blocks, lines] Whether a line brings nobody: none of its first decisions is reached."""
    dead: NDArray[Any] = np.ones((len(decisions), betting.num_lines), bool)
    for node, parent in enumerate(betting.node_parent):
        if parent < betting.num_lines:
            dead[:, parent] &= decisions[:, node]
    return dead


def _lines_of(betting: Betting) -> NDArray[np.int64]:
    """[decisions] The line that each decision is below."""
    line_of = np.zeros(betting.num_lines + betting.num_sequences, np.int64)
    line_of[: betting.num_lines] = range(betting.num_lines)
    for slot, count, parent in zip(
        betting.node_slot, betting.node_actions, betting.node_parent, strict=True
    ):
        line_of[slot : slot + count] = line_of[parent]
    return line_of[betting.node_slot]


if __name__ == "__main__":
    main()
