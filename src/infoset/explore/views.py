"""Any node of a solved spot, hand by hand: who comes there, what they do, and what it is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.cards import NUM_HANDS, Range, range_equity
from infoset.explore.averages import average_strategy, hands_on, reach_met
from infoset.explore.below import node_values
from infoset.explore.node_view import NodeView
from infoset.forms.betting_tree import BettingTree, NodeKind
from infoset.forms.paths import Place, find_node
from infoset.solvers.vector.spot_solver import SpotSolver

__all__ = ["view_node"]

Floats = NDArray[np.float64]
Hands = NDArray[np.intp]
Pair = tuple[Floats, Floats]


def view_node(solver: SpotSolver, path: str = "") -> NodeView:
    """The node at the end of a path, as `infoset.forms.paths` reads it, if both play the averages.

    >>> from infoset.solvers.presets import PRESETS
    >>> from infoset.calls import parse_call
    >>> from infoset.games.holdem.spot import Spot
    >>> spot = Spot("Ks9h7d4c2s", "AA,QQ", "KcKd,JJ", 100, 100, {"bet": "a", "raise": ""})
    >>> solver = SpotSolver(spot, PRESETS["dcfr"].recipe(parse_call("dcfr"))[0])
    >>> solver.run(200)
    >>> view = view_node(solver, "check, bet all-in")
    >>> view.player, view.pot, view.actions
    (0, 200, ('fold', 'call 100'))
    >>> bool(view.mean(0, view.strategy[1]) > 0.3)
    True
    """
    tree = solver.tree
    place = find_node(tree, path)
    board = (*tree.spot.board, *place.cards)
    hands = hands_on(tree.spot, board)
    reach = _reach(solver, place, hands)
    met = _met(hands, reach)
    is_decision = tree.node_kind[place.node] == NodeKind.DECISION
    player = int(tree.node_player[place.node]) if is_decision else None
    strategy: Floats = np.zeros((0, 0))
    action_values: Floats = np.zeros((0, 0))
    if player is None:
        values = node_values(solver, place, reach)
    else:
        strategy = average_strategy(solver, place.node, board, hands[player])
        action_values, values = _values(solver, place, player, hands, reach, strategy)
    put = tree.node_put[place.node]
    return NodeView(
        path=place.text,
        board=board,
        player=player,
        pot=tree.pot(place.node),
        put=(int(put[0]), int(put[1])),
        actions=tuple(map(tree.action_text, _children(tree, place.node))) if is_decision else (),
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
    )


def _children(tree: BettingTree, node: int) -> range:
    return range(int(tree.node_child_begin[node]), int(tree.node_child_end[node]))


def _met(hands: tuple[Hands, Hands], reach: Pair) -> Pair:
    return (
        reach_met(hands[0], hands[1], reach[1]),
        reach_met(hands[1], hands[0], reach[0]),
    )


def _reach(solver: SpotSolver, place: Place, hands: tuple[Hands, Hands]) -> Pair:
    """Per player: [hands] the weight in the range times the chance of all own actions."""
    tree = solver.tree
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
            reach[player] *= average_strategy(solver, parent, board, hands[player])[action]
        node = parent
    return reach[0], reach[1]


def _values(
    solver: SpotSolver,
    place: Place,
    player: int,
    hands: tuple[Hands, Hands],
    reach: Pair,
    strategy: Floats,
) -> tuple[Floats, Pair]:
    """At a decision: what each action is worth, and what the node is worth to both.

    For the player who decides, the node is worth the mean of his actions. For the opponent, it is
    the mean of the nodes they lead to, each counted by how much of the reach that a hand can meet
    comes there.
    """
    tree = solver.tree
    other = 1 - player
    action_values = np.empty(strategy.shape)
    total = np.zeros(len(hands[other]))
    for action, child in enumerate(_children(tree, place.node)):
        own = reach[player] * strategy[action]
        after = (own, reach[1]) if player == 0 else (reach[0], own)
        values = node_values(solver, Place(child, place.cards, ""), after)
        paid = tree.node_put[child, player] - tree.node_put[place.node, player]
        action_values[action] = values[player] - paid
        total += np.nan_to_num(values[other]) * _met(hands, after)[other]
    met = _met(hands, reach)[other]
    values_other = np.divide(total, met, out=np.full(len(met), np.nan), where=met > 0)
    values_own = (strategy * action_values).sum(axis=0)
    return action_values, (
        (values_own, values_other) if player == 0 else (values_other, values_own)
    )


def _equities(
    board: tuple[int, ...], own: Hands, met: Floats, other: Hands, reach: Floats
) -> Floats:
    """[own] The equity of every hand that meets some of the opponent's reach, its own or not."""
    equities = np.full(len(own), np.nan)
    has_met = met > 0
    if has_met.any():
        of_own, of_other = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
        of_own[own[has_met]] = 1.0
        of_other[other] = reach / reach.max()
        equities[:] = range_equity(Range(of_own), Range(of_other), board).hand_equity[0][own]
    return equities
