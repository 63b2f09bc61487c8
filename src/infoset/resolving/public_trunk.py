"""What is left of the strategy of a spot when its parts are thrown away, in public form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation import PublicEvaluation, evaluation_below
from infoset.forms import NodeKind, PartRoot, PublicForm, SpotForm, find_node, layout_of, way_to
from infoset.games.holdem import STREETS
from infoset.resolving.cuts import Cut, parse_cut
from infoset.strategy import PublicAverages, PublicStrategy

Floats = NDArray[np.floating[Any]]
Pair = tuple[Floats, Floats]
Tables = dict[tuple[int, int], NDArray[Any]]
"""By street and player: [boards, sequences, hands] probabilities."""


def roots_of(form: SpotForm, where: str | Cut) -> tuple[PartRoot, ...]:
    """The places at which a cut of a spot begins its parts, on the boards that are played.

    >>> from infoset.forms import form_of_spot
    >>> from infoset.games.holdem import Spot
    >>> form = form_of_spot(Spot("Ks9h7d4c", "AA,QQ", "JJ", 100, 100))
    >>> len(roots_of(form, "river")), roots_of(form, "check, bet 50%")
    (144, (PartRoot(node=5, street=0, board=0),))
    """
    cut = parse_cut(where)
    spot, tree = form.spot, form.tree
    if cut.kind == "path":
        place = find_node(tree, cut.path)
        if tree.node_kind[place.node] not in (NodeKind.DECISION, NodeKind.CHANCE):
            raise BadInputError(f"nobody decides anything after {cut.path!r}")
        board, _ = form.played_board(place.cards)
        return (PartRoot(place.node, len(place.cards), board),)
    if cut.kind == "depth":
        depth = np.array([len(way_to(form, node)) for node in range(tree.num_nodes)])
        nodes = np.flatnonzero((depth == cut.number) & (tree.node_kind == NodeKind.DECISION))
        after_chance = tree.node_kind[np.maximum(tree.node_parent, 0)] == NodeKind.CHANCE
        nodes = nodes[~after_chance[nodes] | (depth[tree.node_parent[nodes]] == cut.number)]
    else:
        # A round begins before its card is dealt, a street after it.
        number = {"street": cut.number - spot.street, "round": cut.number - 1}.get(cut.kind, 1)
        if not 1 <= number < form.num_streets:
            rest = ", ".join(STREETS[spot.street + 1 :]).lower()
            raise BadInputError(
                f"{form.name!r} begins on the {STREETS[spot.street].lower()} and cannot be cut at "
                f"{cut}" + (f": there are {rest}" if rest else ", its last street")
            )
        begin, end = form.street_begin[number : number + 2]
        is_first = tree.node_kind[tree.node_parent[begin:end]] == NodeKind.CHANCE
        nodes = begin + np.flatnonzero(is_first)
        if cut.kind == "round":
            nodes = tree.node_parent[nodes].astype(np.int64)
    if not len(nodes):
        raise BadInputError(f"{form.name!r} cannot be cut at {cut}: nobody decides anything there")
    streets = np.searchsorted(form.street_begin, nodes, "right") - 1
    return tuple(
        PartRoot(int(node), int(street), board)
        for node, street in zip(nodes, streets, strict=True)
        for board in range(len(form.streets[street].cards))
    )


def tables_of(strategy: PublicStrategy) -> Tables:
    """The probabilities of all actions of a strategy."""
    places = np.ndindex(strategy.form.num_streets, 2)
    return {(street, player): strategy.probabilities(street, player) for street, player in places}


def boards_above(form: PublicForm, street: int) -> list[NDArray[np.int64]]:
    """[street up to that] For each board of a street, the board on which it came up."""
    boards = [np.arange(len(form.streets[street].cards))]
    for later in range(street, 0, -1):
        boards.insert(0, form.streets[later].parent[boards[0]])
    return boards


class NodeSequences:
    """Where the actions of decisions are in tables of probabilities."""

    def __init__(self, form: PublicForm) -> None:
        layout = layout_of(form)
        self.begin: dict[int, tuple[int, int]] = {}
        """By node: its street, and the first of its sequences there."""
        for street, pair in enumerate(layout.bettings):
            for betting in pair:
                for node, slot in zip(betting.nodes, betting.node_slot.tolist(), strict=True):
                    self.begin[node] = street, slot - betting.num_lines


def reaches_at(
    form: PublicForm, tables: Tables, places: NodeSequences, node: int, street: int
) -> Pair:
    """Per player: [boards, hands] his own probability of coming to a node with each hand.

    On all boards of the node's street. Ranges are not in it. Hands that a board blocks have what
    they have without it.
    """
    boards = boards_above(form, street)
    reach = [np.ones((len(boards[-1]), count), np.float32) for count in form.num_hands]
    for before, action in way_to(form, node):
        player = int(form.node_player[before])
        earlier, begin = places.begin[before]
        reach[player] *= tables[earlier, player][boards[earlier], begin + action]
    return reach[0], reach[1]


def reaches_of(form: SpotForm, tables: Tables, roots: Sequence[PartRoot]) -> Pair:
    """Per player: [roots, hands] what `reaches_at` says of each root."""
    places = NodeSequences(form)
    reach = [np.zeros((len(roots), count), np.float32) for count in form.num_hands]
    known: dict[int, Pair] = {}
    for number, root in enumerate(roots):
        if root.node not in known:
            known = {root.node: reaches_at(form, tables, places, root.node, root.street)}
        for player, of_player in enumerate(known[root.node]):
            reach[player][number] = of_player[root.board]
    return reach[0], reach[1]


@dataclass(frozen=True, eq=False)
class PublicTrunk:
    """A spot that is cut, how both players' hands come to its parts, and what they win there."""

    form: SpotForm
    roots: tuple[PartRoot, ...]
    reach: Pair
    """Per player: [roots, hands] the probability with which his own actions lead to a root."""
    values: Pair
    """Per player: [roots, hands] the most a hand can win from a root on against the opponent's
    strategy, summed over the opponent's hands by weight and reach; in chips relative to half of the
    pot that the spot began with, the probability of the cards left out."""

    @classmethod
    def of(
        cls, form: SpotForm, roots: tuple[PartRoot, ...], strategy: PublicStrategy
    ) -> PublicTrunk:
        """The trunk of a strategy of the whole spot."""
        reach = reaches_of(form, tables_of(strategy), roots)
        street = roots[0].street
        are_first = {root.node for root in roots} <= set(
            layout_of(form).bettings[street][0].line_nodes
        )
        if street > 0 and are_first:
            return cls(form, roots, reach, _line_values(strategy, roots))
        values = [np.zeros((len(roots), count), np.float32) for count in form.num_hands]
        for number, root in enumerate(roots):
            here = reach[0][number], reach[1][number]
            for player, of_player in enumerate(best_values(strategy, root, here)):
                values[player][number] = of_player
        return cls(form, roots, reach, (values[0], values[1]))


def _line_values(strategy: PublicStrategy, roots: Sequence[PartRoot]) -> Pair:
    """Per player: [roots, hands] what `best_values` says of each root, all where a street begins.

    Found in one walk for each player.
    """
    form, street = strategy.form, roots[0].street
    layout, evaluation = layout_of(form), PublicEvaluation.of(strategy)
    dealt = float(np.prod([deals.probability for deals in form.streets[1 : street + 1]]))
    out = []
    for player in (0, 1):
        rows = layout.rows[street][player]
        found = evaluation.line_values(street, player, best=True) * (form.num_pairs / dealt)
        line_of = {node: n for n, node in enumerate(layout.bettings[street][player].line_nodes)}
        values = np.zeros((len(roots), form.num_hands[player]), np.float32)
        for number, root in enumerate(roots):
            begin = int(rows.begin[root.board])
            live = slice(begin, begin + int(rows.num_live[root.board]))
            values[number, rows.hand[live]] = found[line_of[root.node], live]
        out.append(values)
    return out[0], out[1]


def best_values(strategy: PublicAverages, root: PartRoot, reach: Pair) -> Pair:
    """Per player: [hands] what a best response wins from a root on; see `PublicTrunk.values`."""
    form = strategy.form
    evaluation = evaluation_below(
        strategy, node=root.node, street=root.street, board=root.board, offsets=np.zeros(2)
    )
    rows = evaluation.layout.rows[0]
    by_row = []
    for player in (0, 1):
        hand = rows[player].hand
        weight = form.weights[player] * reach[player]
        by_row.append(np.where(hand >= 0, weight[np.maximum(hand, 0)], 0.0).astype(np.float32))
    evaluation.walker.start_with(by_row[0], by_row[1])
    out = []
    for player in (0, 1):
        values = np.zeros(form.num_hands[player])
        live = rows[player].hand[: rows[player].num_live[0]]
        found = evaluation.hand_values(player, best=True)[: len(live)]
        values[live] = found * form.num_pairs
        out.append(values)
    return out[0], out[1]
