"""A spot of hold'em in public form: betting tree, boards up to suits, locks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.cards import (
    HAND_FIRST,
    HAND_SECOND,
    NUM_CARDS,
    NUM_HANDS,
    format_cards,
    format_hand,
    hand_of,
    strengths_on,
)
from infoset.errors import BadInputError, shorten
from infoset.forms.betting_tree import MAX_NODES, BettingTree, NodeKind, build_betting_tree
from infoset.forms.boards import Boards, hands_renamed, runouts_of
from infoset.forms.locked_nodes import LockedNode, locked_nodes
from infoset.forms.paths import find_node
from infoset.forms.public_form import Deals, Decision, Place, PublicForm
from infoset.forms.seams import with_leaves
from infoset.games import name_of
from infoset.games.holdem import BIG_BLIND, RIVER, Spot, format_spot, terminal_payoffs

Cards = tuple[int, ...]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class SpotForm(PublicForm):
    """A spot in public form. Payoffs are chips relative to half the pot: zero-sum but for rake."""

    spot: Spot
    tree: BettingTree
    runouts: tuple[Boards, ...]
    """Of every street; those before the spot's own have no boards."""
    locks: tuple[LockedNode, ...]
    whole: SpotForm | None = None
    """Of a trunk: the form that it was cut from."""

    @cached_property
    def hand_numbers(self) -> tuple[Ints, Ints]:
        """Per player: which of the 1,326 hands each hand is, ascending."""
        first, second = (np.flatnonzero(held.weights) for held in self.spot.ranges)
        return first, second

    def locked(self, street: int, player: int) -> Iterator[tuple[int, int, Floats]]:
        """Decisions at which hands are locked: board, node, [actions, hands] probabilities."""
        boards = {cards: number for number, cards in enumerate(self.dealt(street))}
        numbers = self.hand_numbers[player]
        for lock in self.locks:
            is_here = lock.player == player and len(lock.cards) == street
            # Others have a twin on the board that is played instead: see `runouts_of`.
            if is_here and lock.cards in boards:
                probabilities = np.full((len(lock.strategy), len(numbers)), -1.0)
                probabilities[:, np.searchsorted(numbers, lock.hands)] = lock.strategy
                yield boards[lock.cards], lock.node, probabilities

    def dealt(self, street: int) -> list[Cards]:
        """[boards] The cards of each board that were dealt since the spot began."""
        cards = self.streets[street].cards[:, len(self.spot.board) :]
        return [tuple(row) for row in cards.tolist()]

    def played_board(self, dealt: Cards) -> tuple[int, NDArray[np.int16]]:
        """The board that is played when cards are dealt; [1326] what each hand is called there."""
        number, name = 0, np.arange(NUM_HANDS, dtype=np.int16)
        suits = np.arange(4)
        for street, card in enumerate(dealt, self.spot.street + 1):
            boards = self.runouts[street]
            # Suits may have got other names when the card before was dealt.
            renamed = 4 * (card // 4) + int(suits[card % 4])
            is_deal = (boards.deal_parent == number) & (boards.deal_card == renamed)
            (deal,) = np.flatnonzero(is_deal)
            number = int(boards.deal_board[deal])
            name = hands_renamed(boards.deal_suits[deal])[name]
            suits = boards.deal_suits[deal][suits]
        return number, name

    # Names.

    def actions_at(self, node: int) -> tuple[str, ...]:
        """What may be done at a decision, in words."""
        return tuple(map(self.tree.action_text, self.tree.children(node)))

    def find_infoset(self, key: str) -> Place:
        """Where an infoset is: a hand, and what was done, as in ``AhQh:check,bet 100/2c:check``.

        Actions are written as in paths (see `infoset.forms.paths`); the board need not be one that
        is played.

        >>> form = form_of_spot(Spot("Ks9h7d4c2s", "AA,QQ", "JJ", 100, 100))
        >>> form.find_infoset("QhQd:check, bet 50%").node
        5
        """
        hand_text, colon, public_history = (
            key.partition(":") if isinstance(key, str) else ("", "", "")
        )
        if not colon:
            raise BadInputError(
                f"{shorten(str(key))} is no infoset; one is called, for instance, "
                f"{next(self.infosets())[0]!r}"
            )
        where, dealt = self._decision(public_history)
        number = hand_of(hand_text)
        held = self.spot.ranges[where.player].without((*self.spot.board, *dealt)).weights
        if held[number] <= 0:
            raise BadInputError(
                f"player {where.player} never holds {format_hand(number)} after "
                f"{shorten(public_history)}"
            )
        hand = int(where.names[np.searchsorted(self.hand_numbers[where.player], number)])
        return Place(where.player, where.street, where.board, where.node, hand)

    def find_decision(self, public_history: str) -> Decision:
        """Where a public history leads, as in ``check,bet 100/2c:check``, if somebody decides.

        >>> form = form_of_spot(Spot("Ks9h7d4c2s", "AA,QQ", "JJ", 100, 100))
        >>> form.find_decision("check, bet 50%").node
        5
        """
        return self._decision(public_history)[0]

    def _decision(self, public_history: str) -> tuple[Decision, Cards]:
        """A decision, and the cards that were dealt on the way to it."""
        place = find_node(self.tree, public_history.replace("/", ",").replace(":", ","))
        if self.node_kind[place.node] == NodeKind.LEAF:
            raise BadInputError(
                f"{shorten(public_history)} is below the cut at which the solution was trimmed; "
                "re-solve it: infoset resolve"
            )
        if self.tree.node_kind[place.node] != NodeKind.DECISION:
            raise BadInputError(f"nobody decides after {shorten(public_history)}")
        player = int(self.tree.node_player[place.node])
        board, name = self.played_board(place.cards)
        own = self.hand_numbers[player]
        names = np.searchsorted(own, name[own]).astype(np.int64)
        return Decision(player, len(place.cards), board, place.node, names), place.cards

    def infosets(self) -> Iterator[tuple[str, Place]]:
        """The key of every infoset on the boards that are played, and where it is."""
        for street in range(self.num_streets):
            for board, dealt in enumerate(self.dealt(street)):
                live = [np.flatnonzero(self._is_live(p, dealt)).tolist() for p in (0, 1)]
                for node in range(*self.street_begin[street : street + 2]):
                    if self.node_kind[node] != NodeKind.DECISION:
                        continue
                    player = int(self.node_player[node])
                    public_history = self.public_history(node, dealt)
                    for hand in live[player]:
                        place = Place(player, street, board, node, hand)
                        yield f"{self.hand_name(player, hand)}:{public_history}", place

    def hand_name(self, player: int, hand: int) -> str:
        """What a hand is called."""
        return format_hand(int(self.hand_numbers[player][hand]))

    def public_history(self, node: int, dealt: Cards) -> str:
        """What both players have seen on the way to a node, as keys of infosets have it."""
        tree, words, cards = self.tree, [], list(dealt)
        while node > 0:
            parent = int(tree.node_parent[node])
            if tree.node_kind[parent] == NodeKind.CHANCE:
                words.append(f"/{format_cards([cards.pop()])}:")
            else:
                words.append(tree.action_text(node))
            node = parent
        text = ",".join(reversed(words))
        return text.replace(",/", "/").replace(":,", ":")

    def _is_live(self, player: int, dealt: Cards) -> NDArray[np.bool_]:
        holds = np.isin(self.cards[player], np.array(dealt, np.uint8))
        return np.logical_not(holds.any(axis=1))


def form_of_spot(spot: Spot, *, max_nodes: int = MAX_NODES) -> SpotForm:
    """A spot in public form; refused if its betting tree has more than ``max_nodes``."""
    tree = build_betting_tree(spot, max_nodes=max_nodes)
    runouts = runouts_of(spot, tree)
    ranges = spot.ranges
    numbers = np.flatnonzero(ranges[0].weights), np.flatnonzero(ranges[1].weights)
    return SpotForm(
        name=name_of(spot),
        fingerprint=_fingerprint(spot),
        node_kind=tree.node_kind,
        node_player=tree.node_player,
        node_child_begin=tree.node_child_begin,
        node_child_end=tree.node_child_end,
        street_begin=tuple(tree.street_begin[spot.street :].tolist()),
        terminal_payoffs=_terminal_payoffs(tree),
        cards=(_cards(numbers[0]), _cards(numbers[1])),
        # Up to a factor; with the largest at 1, single precision has room for the others.
        weights=(
            ranges[0].weights[numbers[0]] / ranges[0].weights.max(),
            ranges[1].weights[numbers[1]] / ranges[1].weights.max(),
        ),
        streets=tuple(
            _deals(runouts[street], street, street - spot.street, numbers)
            for street in range(spot.street, RIVER + 1)
        ),
        spot=spot,
        tree=tree,
        runouts=runouts,
        locks=locked_nodes(tree),
    )


def trunk_of_spot(form: SpotForm, street: int) -> SpotForm:
    """The form up to where a street begins, counted from its first; nothing is won there."""
    if not 1 <= street < form.num_streets:
        raise BadInputError(f"{form.name!r} has no street {street} to be cut at")
    begin, end = form.street_begin[street - 1 : street + 1]
    nodes = begin + np.flatnonzero(form.node_kind[begin:end] == NodeKind.CHANCE)
    trunk = with_leaves(form, nodes.tolist(), {})
    assert isinstance(trunk, SpotForm)
    return replace(trunk, whole=form)


def _fingerprint(spot: Spot) -> str:
    """The same for spots that are the same game."""
    text = format_spot(replace(spot, name="", big_blind=BIG_BLIND))
    return hashlib.sha256(text.encode()).hexdigest()


def _cards(numbers: Ints) -> NDArray[np.uint8]:
    return np.stack([HAND_FIRST[numbers], HAND_SECOND[numbers]], axis=1).astype(np.uint8)


def _terminal_payoffs(tree: BettingTree) -> Floats:
    spot = tree.spot
    payoffs = np.zeros((tree.num_nodes, 2, 3))
    chips, which = np.unique(tree.node_put.min(axis=1), return_inverse=True)
    by_chips = np.array([terminal_payoffs(n, spot.pot, spot.rake) for n in chips.tolist()], float)
    is_showdown = tree.node_kind == NodeKind.SHOWDOWN
    payoffs[is_showdown] = by_chips[which[is_showdown], None, :]
    nodes = np.flatnonzero(tree.node_kind == NodeKind.FOLD)
    folder, (win, _, lose) = tree.node_player[nodes], by_chips[which[nodes]].T
    payoffs[nodes, folder] = lose[:, None]
    payoffs[nodes, 1 - folder] = win[:, None]
    return payoffs


def _deals(boards: Boards, street: int, num_new: int, numbers: tuple[Ints, Ints]) -> Deals:
    suits, deal_renaming = np.unique(boards.deal_suits, axis=0, return_inverse=True)
    renamings = []
    for renaming in suits:
        renamed = hands_renamed(renaming)
        pair = []
        for own in numbers:
            place = np.zeros(len(HAND_FIRST), np.int64)
            place[own] = np.arange(len(own))
            pair.append(place[renamed[own]])
        renamings.append((pair[0], pair[1]))
    is_last = street == RIVER
    strength = strengths_on(boards.board_cards) if is_last else np.zeros((0, NUM_HANDS), np.int16)
    return Deals(
        cards=boards.board_cards,
        num_new=num_new,
        parent=boards.board_parent.astype(np.int64),
        probability=1.0 / (NUM_CARDS - (street + 1) - 4) if num_new else 1.0,
        deal_board=boards.deal_board.astype(np.int64),
        deal_renaming=deal_renaming.reshape(-1).astype(np.int64),
        renamings=tuple(renamings),
        strength=tuple(
            strength[:, own].astype(np.int64) if is_last else np.zeros((0, 0), np.int64)
            for own in numbers
        ),  # type: ignore[arg-type]
    )
