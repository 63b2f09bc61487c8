"""What hands are worth at a node of a solved spot: the kernels, on what is below it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from infoset.explore.averages import hands_on, played_board, reach_met
from infoset.forms.paths import Place
from infoset.forms.public_layout import lay_out
from infoset.machine.simd16 import WIDTH
from infoset.solvers.recipe import Recipe
from infoset.solvers.vector.solver import VectorSolver
from infoset.solvers.vector.spot_solver import SpotSolver

__all__ = ["node_values"]

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


def node_values(solver: SpotSolver, place: Place, reach: Pair) -> Pair:
    """Per player: [hands] what each hand is worth at a place; NaN where it meets no hand.

    Hands are those of `hands_on` the board there, and `reach` says how often each comes there. A
    value is the share of the pot less what is still put in: see `NodeView`.
    """
    spot, tree, form = solver.spot, solver.tree, solver.layout.form
    number, name = played_board(solver, place.cards)
    hands = hands_on(spot, (*spot.board, *place.cards))
    street = len(place.cards)
    # In chips from here on: what was put in before is gone, and the pot is there to be won.
    gone = spot.pot / 2 + tree.node_put[place.node].astype(np.float64)
    form = replace(form, worth=form.worth + gone[:, np.newaxis])
    part = VectorSolver(
        lay_out(form, node=place.node, street=street, board=number),
        Recipe(),
        threads=solver.threads,
        bits=solver.bits,
    )
    _copy_averages(solver, part, street)
    # From the hands at the place to rows on the board that is played for it, and back.
    rows_of = []
    for p in (0, 1):
        rows = part.layout.rows[0][p]
        row = np.zeros(len(name), np.intp)
        live = rows.hand[: rows.num_live[0]]
        row[solver.hand_numbers[p][live]] = np.arange(len(live))
        rows_of.append(row[name[hands[p]]])
    largest = max(reach[0].max(initial=0.0), reach[1].max(initial=0.0)) or 1.0
    entries = [np.zeros_like(part.root_reach(p)) for p in (0, 1)]
    for entry, row, own in zip(entries, rows_of, reach, strict=True):
        entry[row] = own / largest
    part.start_with(entries[0], entries[1])
    values = []
    for p in (0, 1):
        sums = part.hand_values(p)[rows_of[p]] * (part.layout.num_pairs * largest)
        met = reach_met(hands[p], hands[1 - p], reach[1 - p])
        values.append(np.divide(sums, met, out=np.full(len(met), np.nan), where=met > 0))
    return values[0], values[1]


def _copy_averages(solver: SpotSolver, part: VectorSolver, first: int) -> None:
    """Let a part of the game be played as in the whole."""
    part.has_average = solver.has_average
    for here, pair in enumerate(part.tables):
        boards = part.layout.boards[here]
        for player, table in enumerate(pair):
            whole = solver.layout.bettings[first + here][player]
            betting = part.layout.bettings[here][player]
            if not betting.nodes:
                continue
            begin = solver.layout.rows[first + here][player].begin
            blocks = slice(begin[boards.start] // WIDTH, begin[boards.stop] // WIDTH)
            nodes = np.searchsorted(whole.nodes, betting.nodes)
            sequences = np.concatenate(
                [
                    np.arange(slot, slot + actions)
                    for slot, actions in zip(
                        whole.node_slot[nodes] - whole.num_lines,
                        betting.node_actions,
                        strict=True,
                    )
                ]
            )
            source = solver.tables[first + here][player].average
            data = source.data.reshape(-1, whole.num_sequences, WIDTH)[blocks]
            target = table.average.data.reshape(-1, len(sequences), WIDTH)
            np.take(data, sequences, axis=1, out=target)
            if source.scale.size:
                scale = source.scale.reshape(-1, len(whole.nodes))[blocks]
                table.average.scale[:] = scale[:, nodes].reshape(-1)
            locked = solver.tables[first + here][player].locked
            if locked.size:
                locked = locked.reshape(-1, whole.num_sequences, WIDTH)[blocks]
                part.lock(here, player, np.ascontiguousarray(locked[:, sequences]).reshape(-1))
