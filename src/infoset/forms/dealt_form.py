"""Small card games in public form: games whose only private information is dealt, card by card.

Kuhn poker, Leduc poker and hold'em with a small deck also consist of hands, boards and betting. The
parts of the public form are inferred from their rules and checked: the cards of a hand from the
hands that it excludes, the cards of a board likewise, the strength of a hand from the hands that it
beats. Games that do not fit are refused.

>>> from infoset.games import make
>>> form = form_of_dealt(make("kuhn"))
>>> form.num_streets, form.num_hands
(1, (3, 3))
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, nearest, shorten
from infoset.forms.betting_tree import NodeKind
from infoset.forms.dealt_reader import DealtReader
from infoset.forms.public_form import Deals, Decision, Place, PublicForm
from infoset.games import DealtGame

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class DealtForm(PublicForm):
    """A game in public form that knows what its infosets are called."""

    hands: tuple[str, ...]
    """[hands] Their labels, the same for both players."""
    node_histories: tuple[tuple[str, ...], ...]
    """[n][boards of its street] What both players have seen there."""
    node_actions: tuple[tuple[str, ...], ...]
    """[n] What may be done there: labels in the order of the children."""

    def actions_at(self, node: int) -> tuple[str, ...]:
        """What may be done at a decision: labels in the order of the children."""
        return self.node_actions[node]

    def hand_name(self, player: int, hand: int) -> str:
        """What a hand is called."""
        return self.hands[hand]

    @cached_property
    def _places(self) -> dict[str, Place]:
        return dict(self.infosets())

    @cached_property
    def _decisions(self) -> dict[str, Decision]:
        """Of every public history at whose end a player decides."""
        names = np.arange(len(self.hands))
        return {
            public_history: Decision(int(self.node_player[node]), street, board, node, names)
            for street in range(self.num_streets)
            for node in range(*self.street_begin[street : street + 2])
            if self.node_kind[node] == NodeKind.DECISION
            for board, public_history in enumerate(self.node_histories[node])
        }

    def find_decision(self, public_history: str) -> Decision:
        """Where a public history leads, as in ``check,check/Kh:bet``, if a player decides there."""
        if public_history not in self._decisions:
            raise BadInputError(f"nobody decides in {self.name} after {shorten(public_history)}")
        return self._decisions[public_history]

    def find_infoset(self, key: str) -> Place:
        """Where the infoset with a key is."""
        if key not in self._places:
            hint = nearest(str(key), list(self._places)[:2000]).split(" Known:")[0]
            raise BadInputError(f"{self.name} has no infoset {key!r}{hint}")
        return self._places[key]

    def infosets(self) -> Iterator[tuple[str, Place]]:
        """Every infoset of the game, as the game calls it, and where it is.

        >>> from infoset.games import make
        >>> dict(form_of_dealt(make("kuhn")).infosets())["J:check,bet"]
        Place(player=0, street=0, board=0, node=4, hand=0)
        """
        for street, deals in enumerate(self.streets):
            live = [~np.isin(self.cards[0], board).any(axis=1) for board in deals.cards]
            for node in range(*self.street_begin[street : street + 2]):
                if self.node_kind[node] != NodeKind.DECISION:
                    continue
                player = int(self.node_player[node])
                for board, public_history in enumerate(self.node_histories[node]):
                    for hand in np.flatnonzero(live[board]).tolist():
                        place = Place(player, street, board, node, hand)
                        yield f"{self.hands[hand]}:{public_history}", place


def form_of_dealt(game: DealtGame) -> DealtForm:
    """A game in public form, each deal a board of its own.

    Hands are single cards or two cards, all equally likely; so are the cards of a board. The game
    ends with a fold, or after the last card with a showdown of the same three amounts on all
    boards. Betting is the same on all boards, on three streets at most.

    >>> from infoset.games import make
    >>> form = form_of_dealt(make("leduc"))
    >>> form.num_streets, len(form.streets[1].cards), form.streets[1].probability
    (2, 6, 0.25)
    >>> form_of_dealt(make("leduc(by_rank=true)"))
    Traceback (most recent call last):
    infoset.errors.BadInputError: leduc(by_rank=true) does not fit the public form: the hands \
left to player 1 are not equally likely; solve it in sequence form
    """
    reader = DealtReader(game)
    reader.walk()
    nodes, num_hands = reader.nodes, len(reader.cards)
    strengths, nothing = _strengths(reader), np.zeros((0, 0), np.int64)
    own = np.arange(num_hands)
    children = np.array([node.children for node in nodes], np.int32)
    payoffs = np.array([node.payoffs for node in nodes])
    name = reader.name
    last = len(reader.streets) - 1
    return DealtForm(
        name=name,
        fingerprint=hashlib.sha256(f"public form of {name}".encode()).hexdigest(),
        node_kind=np.array([node.kind for node in nodes], np.int8),
        node_player=np.array([node.player for node in nodes], np.int8),
        node_child_begin=np.ascontiguousarray(children[:, 0]),
        node_child_end=np.ascontiguousarray(children[:, 1]),
        street_begin=tuple(reader.street_begin),
        terminal_payoffs=np.stack([payoffs, -payoffs[:, ::-1]], axis=1),
        cards=(reader.cards, reader.cards),
        weights=(np.ones(num_hands), np.ones(num_hands)),
        streets=tuple(
            Deals(
                cards=np.array(street.cards, np.int8).reshape(len(street.cards), -1),
                num_new=len(street.cards[0]),
                parent=np.array(street.parent),
                probability=street.probability,
                deal_board=np.arange(len(street.cards)),
                deal_renaming=np.zeros(len(street.cards), np.int64),
                renamings=((own, own),),
                strength=strengths if number == last else (nothing, nothing),
            )
            for number, street in enumerate(reader.streets)
        ),
        hands=tuple(reader.game.hands),
        node_histories=tuple(
            tuple(state.public_history for state in node.states) for node in nodes
        ),
        node_actions=tuple(
            tuple(node.states[0].actions) if node.kind == NodeKind.DECISION else ()
            for node in nodes
        ),
    )


def _strengths(reader: DealtReader) -> tuple[Ints, Ints]:
    """Per player: [boards, hands] Ranks of hands on the last street that say who wins."""
    last = len(reader.streets) - 1
    num_boards, num_hands = len(reader.streets[last].cards), len(reader.cards)
    first = np.zeros((num_boards, num_hands), np.int64)
    second = first.copy()
    if reader.winner is None:
        return first, second
    if reader.shown_on != {last}:
        reader.refuse("hands are shown before the last card")
    for board, winner in enumerate(reader.winner):
        pairs = reader.pairs(last, board)
        # Lift hands above all they beat, until nothing moves; in a circle they move for ever.
        for _ in range(2 * num_hands + 1):
            ranks = first[board].copy(), second[board].copy()
            lifted = np.where(pairs & (winner >= 0), second[board] + winner, 0)
            first[board] = lifted.max(axis=1)
            lifted = np.where(pairs & (winner <= 0), first[board][:, np.newaxis] - winner, 0)
            second[board] = lifted.max(axis=0)
            if np.array_equal(ranks, (first[board], second[board])):
                break
        by_strength = np.sign(first[board][:, np.newaxis] - second[board])
        if (by_strength != winner)[pairs].any():
            label = reader.streets[last].labels[board]
            reader.refuse(f"hands on the board {label} have no order of strength")
    return first, second
