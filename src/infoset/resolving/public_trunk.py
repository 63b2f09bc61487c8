"""What is left of the strategy of a spot when its parts are thrown away, in public form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation import PublicEvaluation, evaluation_below
from infoset.forms import (
    NodeKind,
    PartRoot,
    PublicForm,
    SpotForm,
    bettings_of,
    find_node,
    layout_of,
    way_to,
)
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
    cut, tree = parse_cut(where), form.tree
    if cut.kind == "path":
        place = find_node(tree, cut.path)
        if tree.node_kind[place.node] not in (NodeKind.DECISION, NodeKind.CHANCE):
            raise BadInputError(f"nobody decides anything after {cut.path!r}")
        board, _ = form.played_board(place.cards)
        return (PartRoot(place.node, len(place.cards), board),)
    nodes, streets = nodes_at(form, cut)
    return tuple(
        PartRoot(node, street, board)
        for node, street in zip(nodes, streets, strict=True)
        for board in range(len(form.streets[street].cards))
    )


def nodes_at(form: SpotForm, cut: Cut) -> tuple[list[int], list[int]]:
    """Where a cut other than a path begins its parts, on every board; the street of each."""
    spot, tree = form.spot, form.tree
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
    return nodes.tolist(), streets.tolist()


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


Begins = Mapping[int, tuple[int, int]]
"""By decision: its street, and the first of its sequences in tables of probabilities there."""

_begins: WeakKeyDictionary[PublicForm, Begins] = WeakKeyDictionary()


def begins_of(form: PublicForm) -> Begins:
    """Where the actions of decisions are in tables of probabilities; found once for a form."""
    if form not in _begins:
        _begins[form] = {
            node: (street, slot - betting.num_lines)
            for street, pair in enumerate(bettings_of(form))
            for betting in pair
            for node, slot in zip(betting.nodes, betting.node_slot.tolist(), strict=True)
        }
    return _begins[form]


def reaches_at(
    form: PublicForm, tables: Tables, node: int, street: int, board: int | None = None
) -> Pair:
    """Per player: [boards, hands] his own probability of coming to a node with each hand.

    On all boards of the node's street, or on one. Ranges are not in it. Hands that a board blocks
    have what they have without it.
    """
    boards, begins = boards_above(form, street), begins_of(form)
    if board is not None:
        boards = [above[board : board + 1] for above in boards]
    reach = [np.ones((len(boards[-1]), count), np.float32) for count in form.num_hands]
    for before, action in way_to(form, node):
        player = int(form.node_player[before])
        earlier, begin = begins[before]
        reach[player] *= tables[earlier, player][boards[earlier], begin + action]
    return reach[0], reach[1]


def reaches_of(form: SpotForm, tables: Tables, roots: Sequence[PartRoot]) -> Pair:
    """Per player: [roots, hands] what `reaches_at` says of each root."""
    if len(roots) == 1:
        return reaches_at(form, tables, *roots[0])
    reach = [np.zeros((len(roots), count), np.float32) for count in form.num_hands]
    known: dict[int, Pair] = {}
    for number, root in enumerate(roots):
        if root.node not in known:
            known = {root.node: reaches_at(form, tables, root.node, root.street)}
        for player, of_player in enumerate(known[root.node]):
            reach[player][number] = of_player[root.board]
    return reach[0], reach[1]


def _unknown_slack() -> Pair:
    raise BadInputError(
        "'reach' needs the whole solution, and this one was trimmed: re-solve by gadget or "
        "max-margin"
    )


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
    find_slack: Callable[[], Pair] = field(default=_unknown_slack, repr=False)
    """Computes `slack`, which costs evaluations and is needed by one method only."""

    @cached_property
    def slack(self) -> Pair:
        """Per player: [roots, hands] by how much these values may rise; see `slack_of`."""
        return self.find_slack()

    @classmethod
    def of(
        cls, form: SpotForm, roots: tuple[PartRoot, ...], strategy: PublicStrategy
    ) -> PublicTrunk:
        """The trunk of a strategy of the whole spot."""
        reach = reaches_of(form, tables_of(strategy), roots)
        street = roots[0].street
        first = layout_of(form).bettings[street][0].line_nodes
        if street > 0 and {root.node for root in roots} <= set(first):
            found = _line_values(strategy, roots)
        else:
            values = [np.zeros((len(roots), count), np.float32) for count in form.num_hands]
            for number, root in enumerate(roots):
                here = reach[0][number], reach[1][number]
                for player, of_player in enumerate(best_values(strategy, root, here)):
                    values[player][number] = of_player
            found = values[0], values[1]
        slack = partial(slack_of, strategy, roots, found)
        return cls(form, roots, reach, found, find_slack=slack)


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


def compatible_hands(form: PublicForm, player: int) -> NDArray[np.float64]:
    """[hands of a player, hands of the opponent] 1 where both can be held at once, else 0."""
    own, other = form.cards[player], form.cards[1 - player]
    shared = (own[:, None, :, None] == other[None, :, None, :]).any(axis=(2, 3))
    return np.where(shared, 0.0, 1.0)


def slack_of(strategy: PublicStrategy, roots: tuple[PartRoot, ...], values: Pair) -> Pair:
    """Per player: [roots, hands] how much more each hand may win at a root than ``values`` say.

    If no hand of a player wins more than its value and its slack at any root, his best response
    wins no more in the whole spot, however many parts are re-solved at once. (The *gifts* of Brown
    & Sandholm 2017, shared out among the parts; `infoset.resolving.trunk` has them in sequence
    form.) All numbers are of one player and one of his hands, and counterfactual: sums over the
    opponent's hands by weight and reach, the probability of earlier cards left out. With ``u(n)``
    for what his best response wins from a node of the trunk on, the slack ``s(n)`` is 0 at the
    start, and after a node ``n`` it is:

    - where he decides: ``s(na) = u(n) - u(na) + s(n)`` for action ``a``, what he gives up by it;
    - where the opponent decides: ``s(na) = s(n) * m(na) / m(n)``;
    - where card ``c`` is dealt: ``s(nc) = s(n) * m(nc) / m(n)``.

    The *mass* ``m`` of a root, or of a decision of his that leads to one, is the weight and reach
    of the opponent's hands that can be held beside his; of other nodes it is the sum over what
    follows, cards times their probability, and zero where nothing leads to a root. So the shares
    of the opponent's actions sum to 1, and so do those of cards times their probability.

    The proof is by induction from the roots up: what is won after re-solving, ``u'``, is at most
    ``u + s`` at every node. At roots it is by assumption, and where no root follows ``u' = u``.
    Where the player decides, ``u'(n) = max u'(na) <= max (u(na) + s(na)) = u(n) + s(n)``. Where the
    opponent decides, ``u'(n) = sum u'(na) <= sum u(na) + s(na) = u(n) + s(n)``. Where a card is
    dealt, each with probability ``q``, ``u'(n) = sum q u'(nc) <= u(n) + s(n) sum q m(nc) / m(n)``,
    which is ``u(n) + s(n)``.

    That every card gets the whole slack would not do: ``q`` is the probability of a card given
    both hands, and beside one hand alone two more cards are possible, so the sum of ``q`` is more
    than 1 (46/44 on the river).

    A board that is played for several cards has hands play for hands of other names. What a hand
    may win more there must suit all of those that it plays for: it gets the least of their shares.
    """
    return _SlackWalk(strategy, roots, values).slack()


class _SlackWalk:
    """Up the trunk for values and masses, then down for the slack."""

    def __init__(self, strategy: PublicStrategy, roots: tuple[PartRoot, ...], values: Pair) -> None:
        form = strategy.form
        assert isinstance(form, SpotForm)
        self.strategy, self.form, self.values = strategy, form, values
        self.tables = tables_of(strategy)
        self.number = {root: number for number, root in enumerate(roots)}
        self.leading = self._leading()
        self.compatible = compatible_hands(form, 0), compatible_hands(form, 1)
        self.won: dict[PartRoot, Pair] = {}
        """Of all nodes that lead to a root, and those right after them: [hands] for each player."""
        self.mass: dict[PartRoot, Pair] = {}

    def _leading(self) -> set[PartRoot]:
        """The nodes above the roots, on their boards."""
        form, found = self.form, set()
        for root in self.number:
            node, street = root.node, root.street
            while node > 0:
                node = int(form.tree.node_parent[node])
                street -= int(form.node_kind[node] == NodeKind.CHANCE)
                place = PartRoot(
                    node, street, int(boards_above(form, root.street)[street][root.board])
                )
                if place in found:
                    break
                found.add(place)
        return found

    def _after(self, place: PartRoot) -> list[PartRoot]:
        """What follows a node: actions, or the boards that are played."""
        form, street = self.form, place.street
        begin, end = int(form.node_child_begin[place.node]), int(form.node_child_end[place.node])
        if form.node_kind[place.node] != NodeKind.CHANCE:
            return [PartRoot(child, street, place.board) for child in range(begin, end)]
        boards = np.flatnonzero(form.streets[street + 1].parent == place.board)
        return [PartRoot(begin, street + 1, board) for board in boards.tolist()]

    def _names(self, place: PartRoot, player: int) -> list[NDArray[np.int64]]:
        """For each card that leads to the board of a place: [hands] what plays for each hand."""
        deals = self.form.streets[place.street]
        here = np.flatnonzero(deals.deal_board == place.board)
        return [deals.renamings[number][player] for number in deals.deal_renaming[here].tolist()]

    def slack(self) -> Pair:
        """[roots, hands] for each player."""
        start = PartRoot(0, 0, 0)
        counts = self.form.num_hands
        self._go_up(start)
        first, second = (np.zeros((len(self.number), count), np.float32) for count in counts)
        self._go_down(start, (np.zeros(counts[0]), np.zeros(counts[1])), (first, second))
        return first, second

    def _go_up(self, place: PartRoot) -> None:
        """Write down what hands win from a node on, and its masses."""
        pair = reaches_at(self.form, self.tables, place.node, place.street)
        reach = pair[0][place.board], pair[1][place.board]
        masses = self._masses(place, reach)
        if place in self.number:
            number = self.number[place]
            first, second = (of_player[number].astype(np.float64) for of_player in self.values)
            self.won[place], self.mass[place] = (first, second), masses
            return
        if place not in self.leading:
            self.won[place] = best_values(self.strategy, place, reach)
            self.mass[place] = np.zeros_like(masses[0]), np.zeros_like(masses[1])
            return
        after = self._after(place)
        for each in after:
            self._go_up(each)
        mover = int(self.form.node_player[place.node])
        is_chance = self.form.node_kind[place.node] == NodeKind.CHANCE
        won, mass = [], []
        for player in (0, 1):
            if is_chance:
                won.append(self._over_cards(self.won, after, player))
                mass.append(self._over_cards(self.mass, after, player))
            elif player == mover:
                won.append(np.max([self.won[each][player] for each in after], axis=0))
                mass.append(masses[player])
            else:
                won.append(np.sum([self.won[each][player] for each in after], axis=0))
                mass.append(np.sum([self.mass[each][player] for each in after], axis=0))
        self.won[place], self.mass[place] = (won[0], won[1]), (mass[0], mass[1])

    def _masses(self, place: PartRoot, reach: Pair) -> Pair:
        """[hands] Weight and reach of the opponent's hands beside each, for both players."""
        form = self.form
        deals = form.streets[place.street]
        dealt = deals.cards[place.board][deals.cards.shape[1] - deals.num_new :]
        live = [~np.isin(form.cards[player], dealt).any(axis=1) for player in (0, 1)]
        held = [form.weights[player] * reach[player] * live[player] for player in (0, 1)]
        first, second = (live[p] * (self.compatible[p] @ held[1 - p]) for p in (0, 1))
        return first, second

    def _over_cards(
        self, numbers: dict[PartRoot, Pair], boards: list[PartRoot], player: int
    ) -> Floats:
        """[hands] The sum over all cards, each times its probability."""
        total = np.zeros(self.form.num_hands[player])
        for board in boards:
            for names in self._names(board, player):
                total += numbers[board][player][names]
        return total * self.form.streets[boards[0].street].probability

    def _go_down(self, place: PartRoot, slack: Pair, out: Pair) -> None:
        """Share the slack of a node out among what follows, down to the roots."""
        if place in self.number:
            for player in (0, 1):
                out[player][self.number[place]] = slack[player]
        if place not in self.leading:
            return
        share = [_ratio(slack[player], self.mass[place][player]) for player in (0, 1)]
        mover = int(self.form.node_player[place.node])
        is_chance = self.form.node_kind[place.node] == NodeKind.CHANCE
        for each in self._after(place):
            pair = []
            for player in (0, 1):
                own_share = share[player]
                if is_chance:
                    own_share = _least(share[player], self._names(each, player))
                elif player == mover:
                    given_up = self.won[place][player] - self.won[each][player]
                    pair.append(given_up + slack[player])
                    continue
                pair.append(own_share * self.mass[each][player])
            self._go_down(each, (pair[0], pair[1]), out)


def _ratio(number: Floats, by: Floats) -> Floats:
    """Zero where there is nothing to divide by."""
    return np.divide(number, by, out=np.zeros_like(number), where=by > 0)


def _least(numbers: Floats, names: list[NDArray[np.int64]]) -> Floats:
    """[hands] The least number of those for which a hand plays."""
    out = np.full(len(numbers), np.inf)
    for name in names:
        out[name] = np.minimum(out[name], numbers)
    return out
