"""AIVAT on a compiled game: what luck was worth, for every way a hand can end, at once.

AIVAT (Burch, Schmid, Moravcik, Morrill & Bowling 2018) takes from a player's winnings the luck
that can be known: that of the cards, and that of the choices of players whose strategy is known.
Let ``P`` be chance and these players, and ``u`` a guess at what each history is worth, fixed in
advance. Histories that look alike to the opponent and have the same public past make a *part* H; at
a part where P moves and ``o`` happened, the correction is ::

    k_H = sum_{h, a} pi_P(h a) u(h a) / sum_h pi_P(h) - sum_h pi_P(h o) u(h o) / sum_h pi_P(h o)

and the payoff is replaced by its mean over the histories of the last part, weighted by ``pi_P``.
Every correction has mean zero whatever ``u`` is, so the result stays unbiased.

Here ``u`` is an array over all histories. `infoset.agents.aivat` does the same without the tree.

Deviations and choices:

- Both private hands are dealt in one step, which shows the opponent's hand: one correction, whose
  ``u`` is that of the history after the deal. Our own hand is not corrected for, since the parts
  average over it anyway.
- The opponent's hand is part of what a part knows, also if his strategy is known too. His choices
  are then corrected for as ours are, and the result is the mean of two views: his hand known and
  ours averaged, and the other way round. On hold'em that left a fifth less deviation than the
  better of the two.
- Games whose rules do not say what is public have parts of a single history. The result is still
  unbiased: plain control variates for chance and known choices (Zinkevich et al. 2006), but nothing
  is averaged over our hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.agents.hands import Hand
from infoset.errors import AgentError, BadInputError, shorten
from infoset.forms import HistoryTree, SequenceForm, sequence_form_of
from infoset.games import CHANCE, TERMINAL, Game, name_of
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def exact_values(strategy: SequenceStrategy) -> Floats:
    """[num_nodes] What player 0 wins from every history on if both play a strategy: the best ``u``.

    >>> import infoset
    >>> round(float(exact_values(infoset.uniform("kuhn"))[0]), 9)
    0.125
    """
    tree = strategy.form.history
    values = tree.node_payoff.astype(np.float64)
    steps = node_steps(strategy.form, (strategy, strategy))
    depth = along_paths(np.add, np.ones(tree.num_nodes), tree.node_parent.astype(np.int64))
    order = np.argsort(-depth, kind="stable")
    ends = np.flatnonzero(np.diff(depth[order])) + 1
    for level in np.split(order, ends)[:-1]:  # the last one is the root
        np.add.at(values, tree.node_parent[level], steps[level] * values[level])
    return values


def node_steps(form: SequenceForm, known: Sequence[SequenceStrategy | None]) -> Floats:
    """[num_nodes] The probability of the step into a history by chance or a known player, else 1.

    ``known [seat]`` are strategies of the form.
    """
    tree = form.history
    steps = tree.node_chance.astype(np.float64)
    parent = tree.node_parent
    mover = np.where(parent >= 0, tree.node_player[parent], CHANCE)
    for seat, strategy in enumerate(known):
        if strategy is None:
            continue
        nodes = np.flatnonzero(mover == seat)
        above = parent[nodes]
        begin = form.treeplexes[seat].infoset_begin[tree.node_infoset[above]]
        slot = nodes - tree.node_child[above]
        steps[nodes] = strategy.probabilities[seat][begin + slot]
    return steps


def along_paths(combine: np.ufunc, numbers: Floats, parent: Ints) -> Floats:
    """Each node's number combined with those of all nodes above it; ``parent`` is -1 at roots.

    >>> along_paths(np.multiply, np.array([1.0, 0.5, 0.25]), np.array([-1, 0, 1]))
    array([1.   , 0.5  , 0.125])
    """
    total, above = numbers.copy(), parent.copy()
    below = np.flatnonzero(above >= 0)
    while len(below):
        # Numbers of `above` cover as long a path as those of `below`, and no node twice.
        jumps = above[below]
        total[below] = combine(total[below], total[jumps])
        above[below] = above[jumps]
        below = below[above[below] >= 0]
    return total


@dataclass(frozen=True, eq=False)
class TreeAivat:
    """AIVAT for hands of a compiled game.

    ``known`` are the strategies of agents A and B, `None` for one that is not known; at least one
    is. ``node_values`` [num_nodes] is the guess ``u``, in what player 0 wins: `exact_values` of a
    strategy, or anything that was fixed before the hands were played.

    >>> import infoset
    >>> game, uniform = infoset.game("kuhn"), infoset.uniform("kuhn")
    >>> aivat = TreeAivat(game, (uniform, uniform), exact_values(uniform))
    >>> hand = Hand(("K", "J", "bet", "call"), 2)
    >>> round(aivat.value(hand, seat=0), 12), round(aivat.value(hand, seat=1), 12)
    (0.125, -0.125)
    """

    game: Game
    known: tuple[SequenceStrategy | None, SequenceStrategy | None]
    node_values: Floats

    def __post_init__(self) -> None:
        for strategy in self.known:
            if strategy is not None and strategy.form.fingerprint != self.form.fingerprint:
                raise AgentError(
                    f"AIVAT of {name_of(self.game)} needs strategies of this very game, but one "
                    f"is of {strategy.name}; lift or translate it first"
                )
        if self.known == (None, None):
            raise BadInputError("AIVAT needs the strategy of at least one of the two agents")
        if np.shape(self.node_values) != (self.form.history.num_nodes,):
            raise BadInputError(
                f"node_values has the shape {np.shape(self.node_values)}, but {name_of(self.game)} "
                f"has {self.form.history.num_nodes:,} histories"
            )

    @property
    def name(self) -> str:
        """What it is called in logs."""
        return "AIVAT"

    @cached_property
    def form(self) -> SequenceForm:
        """The compiled game."""
        return sequence_form_of(self.game)

    def terminal_values(self, seat: int) -> Floats:
        """[num_nodes] What agent A has won at a terminal, luck taken out, when he sat in a seat.

        NaN where known agents never go, and at histories that are not terminal.
        """
        return self._values[seat]

    def value(self, hand: Hand, seat: int) -> float:
        """What agent A has won in a hand, luck taken out, when he sat in a seat."""
        value = float(self.terminal_values(seat)[self.node_of(hand.steps)])
        if np.isnan(value):
            raise AgentError(
                f"the hand {shorten(' '.join(hand.steps))} has an action that a known agent never "
                "takes: it was played by another strategy, or from other seats"
            )
        return value

    def node_of(self, steps: Sequence[str]) -> int:
        """The terminal at the end of a hand."""
        tree, state, node = self.form.history, self.game.root(), 0
        for step in steps:
            if state.player == CHANCE:
                labels = [label for label, _ in state.chance]
            else:
                labels = list(state.actions)
            if step not in labels:
                raise BadInputError(
                    f"{shorten(step)} is not possible in {name_of(self.game)} there"
                )
            node = int(tree.node_child[node]) + labels.index(step)
            state = state.child(step)
        if tree.node_player[node] != TERMINAL:
            raise BadInputError(f"the hand {shorten(' '.join(steps))} is not over")
        return node

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        first, second = (self._seated(seat) for seat in (0, 1))
        return first, second

    def _seated(self, seat: int) -> Floats:
        """`terminal_values` with A in a seat: the mean of the views of those who are known."""
        views = []
        for agent, strategy in enumerate(self.known):
            if strategy is not None:
                whose = seat if agent == 0 else 1 - seat
                views.append(self._viewed(seat, other=1 - whose))
        values: Floats = np.mean(views, axis=0)
        return values if seat == 0 else -values

    def _viewed(self, seat: int, other: int) -> Floats:
        """[num_nodes] What player 0 has won with A in a seat, the hand of ``other`` known."""
        by_seat = self.known if seat == 0 else self.known[::-1]
        tree, steps = self.form.history, node_steps(self.form, by_seat)
        is_ours = np.array([strategy is not None for strategy in by_seat] + [False, True])
        # Players 0 and 1, TERMINAL (-2) and CHANCE (-1), as indices from either end.
        moves = is_ours[tree.node_player]
        view = _single if tree.public is None else _public
        values = view(tree, moves, steps, np.asarray(self.node_values, np.float64), other)
        values[tree.node_player != TERMINAL] = np.nan
        return values


def _single(
    tree: HistoryTree, moves: NDArray[np.bool_], steps: Floats, guess: Floats, _other: int
) -> Floats:
    """[num_nodes] AIVAT with parts of one history."""
    parent = tree.node_parent.astype(np.int64)
    mean = np.zeros(tree.num_nodes)
    np.add.at(mean, parent[1:], steps[1:] * guess[1:])
    correction = np.zeros(tree.num_nodes)
    correction[1:] = np.where(moves[parent[1:]], mean[parent[1:]] - guess[1:], 0.0)
    values = tree.node_payoff + along_paths(np.add, correction, parent)
    values[along_paths(np.multiply, steps, parent) == 0.0] = np.nan
    return values


def _public(
    tree: HistoryTree, moves: NDArray[np.bool_], steps: Floats, guess: Floats, other: int
) -> Floats:
    """[num_nodes] AIVAT with parts by public state and hand of the player ``other``."""
    assert tree.public is not None
    assert tree.node_public is not None
    table, worlds = tree.public.table, tree.public.worlds
    num_rows, first = len(table.player), 1 + len(tree.public.hands)
    parent = tree.node_parent.astype(np.int64)
    reach = along_paths(np.multiply, steps, parent)
    # From every history up to the one right after the deal, which says who holds what.
    dealt = np.arange(tree.num_nodes)
    num_dealt = int(worlds.begin[1] - worlds.begin[0])
    while (is_below := dealt >= first + num_dealt).any():
        dealt[is_below] = parent[dealt[is_below]]
    hand = worlds.hand[other, worlds.begin[0] + np.maximum(dealt - first, 0)]
    num_hands = int(worlds.hand.max()) + 1
    part = tree.node_public * num_hands + hand
    part[:first] = num_rows * num_hands  # of the deal itself: a part that is not asked for

    def over_parts(numbers: Floats) -> Floats:
        sums = np.zeros(num_rows * num_hands + 1)
        np.add.at(sums, part, numbers)
        return sums[:-1].reshape(num_rows, num_hands)

    weight, guessed, paid = (over_parts(reach * x) for x in (1.0, guess, tree.node_payoff))
    is_reached = weight > 0.0
    divisor = np.where(is_reached, weight, 1.0)
    above = np.asarray(table.parent, np.int64)
    mean = np.zeros((num_rows, num_hands))
    np.add.at(mean, above[1:], guessed[1:])
    mean /= divisor
    correction = guessed[:1].sum() - guessed / divisor
    rows_move = np.zeros(num_rows, bool)
    rows_move[tree.node_public[first:]] = moves[first:]
    own = mean[above[1:]] - guessed[1:] / divisor[1:]
    correction[1:] = np.where(rows_move[above[1:], np.newaxis], own, 0.0)
    values = paid / divisor + along_paths(np.add, correction, above)
    values[~is_reached] = np.nan
    of_nodes: Floats = np.append(values.ravel(), np.nan)[part]
    return of_nodes
