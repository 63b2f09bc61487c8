"""Compute the view of any node of a solved spot: reach, strategy and values of every hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_SECOND, NUM_CARDS, NUM_HANDS, Range, range_equity
from infoset.evaluation import evaluation_below
from infoset.explore.node_view import NAMES, NodeView
from infoset.forms import Layout, NodeKind, Place, SpotForm, find_node
from infoset.games.holdem import STREETS
from infoset.strategy import PublicStrategy

Cards = tuple[int, ...]
Floats = NDArray[np.float64]
Hands = NDArray[np.intp]
Pair = tuple[Floats, Floats]

LEAST_MET = 1e-6
"""A smaller part of the opponent's reach is none: sums in single precision do not tell it from
rounding."""


def view_node(strategy: PublicStrategy, path: str = "", *, threads: int = 1) -> NodeView:
    """The node at the end of a path, as `infoset.forms.paths` reads it, if both play a strategy."""
    return _Viewer(strategy, threads).view(path)


def reach_met(own: Hands, other: Hands, reach: Floats) -> Floats:
    """[own] How much of the opponent's reach [other] each hand can meet.

    All but the hands that hold one of its cards; the hand that holds both was taken away twice.

    >>> from infoset.cards import hand_of
    >>> aces, other = np.array([hand_of("AsAh")]), np.array([hand_of("AsKs"), hand_of("KsKh")])
    >>> reach_met(aces, other, np.array([0.5, 0.25]))
    array([0.25])
    """
    by_card, by_hand = np.zeros(NUM_CARDS), np.zeros(NUM_HANDS)
    np.add.at(by_card, HAND_FIRST[other], reach)
    np.add.at(by_card, HAND_SECOND[other], reach)
    by_hand[other] = reach
    total = reach.sum()
    met = total - by_card[HAND_FIRST[own]] - by_card[HAND_SECOND[own]] + by_hand[own]
    return np.where(met > LEAST_MET * total, met, 0.0)


class _Viewer:
    """Works out what there is to see at the nodes of one strategy."""

    def __init__(self, strategy: PublicStrategy, threads: int) -> None:
        assert isinstance(strategy.form, SpotForm)
        self.strategy = strategy
        self.form = strategy.form
        self.tree = strategy.form.tree
        self.threads = threads

    def view(self, path: str) -> NodeView:
        tree = self.tree
        place = find_node(tree, path)
        board = (*tree.spot.board, *place.cards)
        oop, ip = tree.spot.ranges
        hands = oop.without(board).hands, ip.without(board).hands
        reach = self._reach(place, hands)
        met = reach_met(hands[0], hands[1], reach[1]), reach_met(hands[1], hands[0], reach[0])
        is_decision = tree.node_kind[place.node] == NodeKind.DECISION
        player = int(tree.node_player[place.node]) if is_decision else None
        strategy: Floats = np.zeros((0, 0))
        action_values: Floats = np.zeros((0, 0))
        if player is None:
            values = self._node_values(place, hands, reach)
        else:
            strategy = self._strategy(place.node, board, hands[player])
            action_values, values = self._values(place, player, hands, reach, strategy)
        put = tree.node_put[place.node]
        return NodeView(
            path=place.text,
            board=board,
            player=player,
            pot=tree.pot(place.node),
            put=(int(put[0]), int(put[1])),
            actions=self.form.actions_at(place.node) if is_decision else (),
            hands=hands,
            reach=reach,
            weights=(reach[0] * met[0], reach[1] * met[1]),
            values=values,
            equities=(
                _equities(board, hands[0], met[0], hands[1], reach[1]),
                _equities(board, hands[1], met[1], hands[0], reach[0]),
            ),
            strategy=strategy,
            action_values=action_values,
            next_step=self._next_step(place),
            num_locked=sum(
                len(lock.hands)
                for lock in self.form.locks
                if (lock.node, lock.cards) == (place.node, place.cards)
            ),
        )

    def _next_step(self, place: Place) -> str:
        tree, node = self.tree, place.node
        player = int(tree.node_player[node])
        match tree.node_kind[node]:
            case NodeKind.FOLD:
                return f"the hand is over: {NAMES[player]} folded, {NAMES[1 - player]} wins the pot"
            case NodeKind.SHOWDOWN:
                is_dealt = len(tree.spot.board) + len(place.cards) == 5
                end = "" if is_dealt else ", once the board is dealt"
                return f"the hand is over: showdown{end}"
            case NodeKind.CHANCE:
                street = STREETS[int(tree.node_street[node]) + 1]
                return f"the {street} is dealt; add a card to the path to go on"
        return f"{NAMES[player]} acts"

    def _strategy(self, node: int, board: Cards, hands: Hands) -> Floats:
        """[actions, hands] How often hands take each action; uniform where a hand never comes.

        `board` are all cards on the table, those of the spot first, and none of them is in a hand.
        It need not be a board that is played: if another one is for it, hands are looked up there
        under their names with its suits.
        """
        tree, spot = self.tree, self.tree.spot
        player, street = int(tree.node_player[node]), int(tree.node_street[node]) - spot.street
        number, name = self.form.played_board(board[len(spot.board) :])
        by_row = self.strategy.node_probabilities(street, number, node)
        rows = self._rows(self.strategy.layout, street, player, number, name[hands])
        return by_row[:, rows].astype(np.float64)

    def _rows(
        self, layout: Layout, street: int, player: int, board: int, hands: NDArray[np.int16]
    ) -> Hands:
        """[hands] The row of each hand in tables of a board that is played."""
        rows = layout.rows[street][player]
        live = rows.hand[rows.begin[board] :][: rows.num_live[board]]
        row = np.zeros(NUM_HANDS, np.intp)
        row[self.form.hand_numbers[player][live]] = np.arange(len(live))
        return row[hands]

    def _reach(self, place: Place, hands: tuple[Hands, Hands]) -> Pair:
        """Per player: [hands] the weight in the range times the probability of all own actions."""
        tree = self.tree
        reach = [held.weights[of] for held, of in zip(tree.spot.ranges, hands, strict=True)]
        node, num_dealt = place.node, len(place.cards)
        while node > 0:
            parent = int(tree.node_parent[node])
            if tree.node_kind[parent] == NodeKind.CHANCE:
                num_dealt -= 1
            else:
                player = int(tree.node_player[parent])
                board = (*tree.spot.board, *place.cards[:num_dealt])
                action = node - int(tree.node_child_begin[parent])
                reach[player] *= self._strategy(parent, board, hands[player])[action]
            node = parent
        return reach[0], reach[1]

    def _node_values(self, place: Place, hands: tuple[Hands, Hands], reach: Pair) -> Pair:
        """Per player: [hands] what each hand is worth at a place; NaN where it meets no hand.

        A value is the share of the pot less what is still put in: see `NodeView`.
        """
        form, tree = self.form, self.tree
        number, name = form.played_board(place.cards)
        # What was put in before is gone, and the pot is there to be won.
        gone = tree.spot.pot / 2 + tree.node_put[place.node].astype(np.float64)
        part = evaluation_below(
            self.strategy,
            node=place.node,
            street=len(place.cards),
            board=number,
            offsets=gone,
            threads=self.threads,
        )
        # From the hands at the place to rows on the board that is played for it, and back.
        rows = [self._rows(part.layout, 0, p, 0, name[hands[p]]) for p in (0, 1)]
        largest = max(reach[0].max(initial=0.0), reach[1].max(initial=0.0)) or 1.0
        entries = [np.zeros_like(part.walker.root_reach(p)) for p in (0, 1)]
        for p in (0, 1):
            entries[p][rows[p]] = reach[p] / largest
        part.walker.start_with(entries[0], entries[1])
        sums = [part.hand_values(p)[rows[p]] * (form.num_pairs * largest) for p in (0, 1)]
        return (
            _divided(sums[0], reach_met(hands[0], hands[1], reach[1])),
            _divided(sums[1], reach_met(hands[1], hands[0], reach[0])),
        )

    def _values(
        self, place: Place, player: int, hands: tuple[Hands, Hands], reach: Pair, strategy: Floats
    ) -> tuple[Floats, Pair]:
        """At a decision: what each action is worth, and what the node is worth to both.

        For the player who decides, the node is worth the mean of his actions. For the opponent, it
        is the mean of the nodes they lead to, each counted by how much of the reach that a hand can
        meet comes there.
        """
        tree, other = self.tree, 1 - player
        own_hands, other_hands = hands[player], hands[other]
        action_values = np.empty(strategy.shape)
        total = np.zeros(len(other_hands))
        first = int(tree.node_child_begin[place.node])
        for action, child in enumerate(range(first, first + len(strategy))):
            own = reach[player] * strategy[action]
            after = (own, reach[1]) if player == 0 else (reach[0], own)
            values = self._node_values(Place(child, place.cards, ""), hands, after)
            paid = tree.node_put[child, player] - tree.node_put[place.node, player]
            action_values[action] = values[player] - paid
            total += np.nan_to_num(values[other]) * reach_met(other_hands, own_hands, own)
        values_own = (strategy * action_values).sum(axis=0)
        values_other = _divided(total, reach_met(other_hands, own_hands, reach[player]))
        pair = (values_own, values_other) if player == 0 else (values_other, values_own)
        return action_values, pair


def _divided(sums: NDArray[np.floating[Any]], met: Floats) -> Floats:
    """[hands] Means over what each hand meets; NaN where that is nothing."""
    means = np.full(len(met), np.nan)
    np.divide(sums, met, out=means, where=met > 0)
    return means


def _equities(board: Cards, own: Hands, met: Floats, other: Hands, reach: Floats) -> Floats:
    """[own] The equity of every hand that meets some of the opponent's reach, its own or not."""
    equities = np.full(len(own), np.nan)
    has_met = met > 0
    if has_met.any():
        of_own, of_other = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
        of_own[own[has_met]] = 1.0
        of_other[other] = reach / reach.max()
        equities[:] = range_equity(Range(of_own), Range(of_other), board).hand_equity[0][own]
    return equities
