"""Walk the rules of a dealt game on all boards at once, and check that it fits the public form."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from infoset.cards import NUM_CARDS, parse_cards
from infoset.errors import BadInputError, TooLargeError
from infoset.forms.betting_tree import MAX_NODES, NodeKind
from infoset.games import CHANCE, TERMINAL, DealtGame, PublicState, name_of

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
States = tuple[PublicState, ...]
"""[boards of a street] One node of the betting, on every board."""

MOST_STREETS = 3
MOST_DEALS = 10_000_000
"""Pairs of hands times boards: their probabilities and payoffs are asked for one by one."""


@dataclass
class Street:
    """The boards of a street as they are dealt."""

    cards: list[tuple[int, ...]] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    probability: float = 0.0


@dataclass
class Node:
    """A state of the betting."""

    states: States
    before: int
    """Who moved last."""
    kind: NodeKind = NodeKind.DECISION
    player: int = -1
    children: tuple[int, int] = (0, 0)
    payoffs: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """What player 0 gets if he wins, ties, loses."""


class DealtReader:
    """Walks over the public states of a game, all boards together, and checks that they fit.

    After `walk`, the streets, the nodes and who wins are known.
    """

    def __init__(self, game: DealtGame) -> None:
        self.game = game
        if not isinstance(game, DealtGame):
            self.refuse("its rules are not in public form")
        num_boards = self._count_boards()
        self.meets = self._hands_that_meet()
        num_deals = num_boards * int(self.meets.sum())
        if num_deals > MOST_DEALS:
            raise TooLargeError(
                f"{self.name} has {num_deals:,} deals of hands and boards, and {MOST_DEALS:,} are "
                "the most that are read off rules: play with fewer cards"
            )
        self.cards, self.deck = self._cards_of_hands()
        self.streets = [Street([()], [0], [""], 1.0)]
        self.nodes: list[Node] = []
        self.street_begin = [0]
        self.payoffs: dict[Hashable, Floats] = {}
        self.shown_on: set[int] = set()
        self.winner: Floats | None = None
        """[boards, hands, hands] Who wins at every showdown: 1 if player 0, -1 if player 1."""

    @property
    def name(self) -> str:
        """What the game is called."""
        return name_of(self.game)

    def refuse(self, why: str) -> NoReturn:
        """The game does not fit."""
        raise BadInputError(
            f"{self.name} does not fit the public form: {why}; solve it in sequence form"
        )

    def _count_boards(self) -> int:
        """How many boards there may be, along one line: long games are refused before the walk."""
        state, num_boards, num_streets = self.game.public(), 1, 1
        while state.player != TERMINAL:
            if state.player == CHANCE:
                num_boards, num_streets = num_boards * len(state.outcomes), num_streets + 1
                state = state.child(state.outcomes[0])
            else:
                below = (state.child(action) for action in state.actions)
                goes_on = (child for child in below if child.player != TERMINAL)
                state = next(goes_on, state.child(state.actions[0]))
        if num_streets > MOST_STREETS:
            self.refuse(f"it has {num_streets} streets, and {MOST_STREETS} are the limit")
        return num_boards

    # Hands and boards.

    def _hands_that_meet(self) -> Bools:
        """[hands, hands] Which hands can be held together."""
        num_hands = len(self.game.hands)
        meets = np.zeros((num_hands, num_hands), bool)
        first = self.game.deal(None)
        if len(first) != num_hands or len({chance for _, chance in first}) != 1:
            self.refuse("the hands of player 0 are not equally likely")
        for hand in range(num_hands):
            second = self.game.deal(hand)
            if len({chance for _, chance in second}) != 1:
                self.refuse("the hands left to player 1 are not equally likely")
            meets[hand, [other for other, _ in second]] = True
        if len(set(meets.sum(axis=1).tolist())) != 1:
            self.refuse("some hands leave more hands to the opponent than others")
        return meets

    def _cards_of_hands(self) -> tuple[NDArray[np.uint8], list[int]]:
        """[hands, 2] The cards of each hand; and the cards that a board can have."""
        hands = self.game.hands
        own = np.arange(len(hands))
        if (self.meets == (own[:, np.newaxis] != own)).all():
            if 2 * len(hands) > NUM_CARDS:
                self.refuse(f"it has more than {NUM_CARDS // 2} hands of one card")
            shadows = own + len(hands)
            return np.stack([own, shadows], axis=1).astype(np.uint8), own.tolist()
        try:
            cards = np.array([parse_cards(hand) for hand in hands], np.uint8)
        except (BadInputError, ValueError):
            cards = np.zeros((0, 0), np.uint8)
        if cards.shape == (len(hands), 2):
            shares = (cards[:, np.newaxis, :, np.newaxis] == cards[:, np.newaxis]).any(axis=(2, 3))
            if (self.meets == ~shares).all():
                return cards, np.unique(cards).tolist()
        self.refuse("its hands are neither single cards nor two cards each")

    def pairs(self, street: int, board: int) -> Bools:
        """[hands, hands] Which hands can meet on a board."""
        gone = np.array(self.streets[street].cards[board], np.uint8)
        live = ~np.isin(self.cards, gone).any(axis=1)
        return self.meets & np.outer(live, live)

    def _deal(self, states: States, street: int) -> States:
        """The states of the next street, on all its boards; every line must come to the same."""
        if street + 1 == MOST_STREETS:
            self.refuse(
                f"it has more than {MOST_STREETS} streets after {states[0].public_history!r}"
            )
        following, out = Street(), []
        for parent, state in enumerate(states):
            pairs = self.pairs(street, parent)
            for label in state.outcomes:
                new = self._new_cards(state, label, pairs, following)
                if new:
                    following.cards.append(self.streets[street].cards[parent] + new)
                    following.parent.append(parent)
                    following.labels.append(label)
                    out.append(state.child(label))
        if len({len(cards) for cards in following.cards}) != 1:
            self.refuse(
                f"boards after {states[0].public_history!r} have different numbers of cards"
            )
        if len(self.streets) == street + 1:
            self.streets.append(following)
        elif self.streets[street + 1] != following:
            self.refuse(f"after {states[0].public_history!r} other cards come than elsewhere")
        return tuple(out)

    def _new_cards(
        self, state: PublicState, label: str, pairs: Bools, street: Street
    ) -> tuple[int, ...]:
        """The cards that an outcome of chance shows; none if it cannot be."""
        chances = np.zeros(pairs.shape)
        for hand0, hand1 in np.argwhere(pairs).tolist():
            chances[hand0, hand1] = float(state.probability(label, hand0, hand1))
        if not chances.any():
            return ()
        before, after = pairs.any(axis=1), (chances > 0).any(axis=1)
        new = []
        for card in self.deck:
            holds = before & (self.cards == card).any(axis=1)
            if holds.any() and not (holds & after).any():
                new.append(card)
        stays = ~np.isin(self.cards, np.array(new, np.uint8)).any(axis=1)
        expected = pairs & np.outer(stays, stays)
        street.probability = street.probability or float(chances.max())
        if not new or (chances != np.where(expected, street.probability, 0.0)).any():
            self.refuse(
                f"{label} after {state.public_history!r} is not as likely as any other cards that "
                "nobody holds"
            )
        return tuple(new)

    # Betting.

    def walk(self) -> None:
        """Number the nodes, street after street."""
        entries = [Node((self.game.public(),), before=0)]
        street = 0
        while street < len(self.streets):
            self.nodes += entries
            leaving: list[tuple[Node, Node]] = []
            at = self.street_begin[-1]
            while at < len(self.nodes):
                self._visit(self.nodes[at], street, leaving)
                at += 1
            self.street_begin.append(at)
            for number, (above, _) in enumerate(leaving):
                above.children = at + number, at + number + 1
            entries = [below for _, below in leaving]
            street += 1

    def _visit(self, node: Node, street: int, leaving: list[tuple[Node, Node]]) -> None:
        states = node.states
        player = self._who_moves(states)
        if player == TERMINAL:
            self._end(node, states, street)
        elif player == CHANCE:
            # When all are all-in, cards come until the end: a showdown that waits for them.
            after = run_out = self._deal(states, street)
            while (player := self._who_moves(run_out)) == CHANCE:
                street += 1
                run_out = self._deal(run_out, street)
            if player == TERMINAL:
                self._end(node, run_out, street + 1)
            else:
                node.kind = NodeKind.CHANCE
                leaving.append((node, Node(after, node.before)))
        else:
            node.player = player
            actions = states[0].actions
            if any(tuple(state.actions) != tuple(actions) for state in states):
                self.refuse(
                    f"what may be done after {states[0].public_history!r} depends on the board"
                )
            if len(self.nodes) > MAX_NODES:
                raise TooLargeError(
                    f"{self.name} has more than {MAX_NODES:,} states of betting: allow fewer bets"
                )
            node.children = len(self.nodes), len(self.nodes) + len(actions)
            for action in actions:
                below = tuple(state.child(action) for state in states)
                self.nodes.append(Node(below, player))

    def _who_moves(self, states: States) -> int:
        players = {state.player for state in states}
        if len(players) > 1:
            self.refuse(f"who moves after {states[0].public_history!r} depends on the board")
        return players.pop()

    # Ends.

    def _end(self, node: Node, states: States, street: int) -> None:
        """Find out whether the game ended with a fold or a showdown, and for how much."""
        pairs = np.array([self.pairs(street, board) for board in range(len(states))])
        payoffs = np.array([self._settled(s, p) for s, p in zip(states, pairs, strict=True)])
        amounts = np.unique(payoffs[pairs]).tolist()
        if len(amounts) == 1:
            node.kind, node.player = NodeKind.FOLD, node.before
            node.payoffs = (amounts[0],) * 3
            return
        where = f"after {states[0].public_history!r}"
        if len(amounts) > 3:
            self.refuse(f"the showdown {where} has more than three results")
        self.shown_on.add(street)
        lose, win = amounts[0], amounts[-1]
        tie = amounts[1] if len(amounts) == 3 else (win + lose) / 2
        winner = np.where(pairs, np.sign(payoffs - tie), 0.0)
        self.winner = winner if self.winner is None else self.winner
        if not np.array_equal(self.winner, winner):
            self.refuse(f"other hands win {where} than elsewhere")
        node.kind, node.payoffs = NodeKind.SHOWDOWN, (win, tie, lose)

    def _settled(self, state: PublicState, pairs: Bools) -> Floats:
        """[hands, hands] What player 0 wins; asked once for each ending and pair of hands."""
        ending = state.ending
        payoffs = self.payoffs.setdefault(ending, np.full(pairs.shape, np.nan))
        for hand0, hand1 in np.argwhere(pairs & np.isnan(payoffs)).tolist():
            payoffs[hand0, hand1] = float(self.game.payoff(ending, hand0, hand1))
        return payoffs.copy()
