"""Where two players stand at the start of a street of a hand, and what they did from there on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from infoset.cards import format_cards, parse_cards
from infoset.errors import BadInputError
from infoset.games import CHANCE
from infoset.games.holdem import NOBODY, PREFLOP, STREETS, HoldemState, Spot
from infoset.interop.hand_history import HandHistory
from infoset.interop.phh import BOARD, FOLD, HAND, LIMIT, RAISE, SHOW, PhhAction, PhhHand


class Later(NamedTuple):
    """What happened after a spot begins: cards, or an action of a player."""

    cards: str
    player: int
    total: int | None
    """The chips that a player has put in since the spot began; `None` for a fold."""


@dataclass(frozen=True)
class Situation:
    """Where two players stand at the start of a street."""

    board: str
    pot: int
    """Without the blinds, if they are only then posted."""
    stack: int
    """What the player with less has left."""
    big_blind: int
    blinds: tuple[int, int] | None
    names: tuple[str, str]
    """Out of position and in position."""
    hands: tuple[str, str]
    unit: Fraction
    later: tuple[Later, ...]

    def in_finer_chips(self, number: int) -> Situation:
        """The same with so many chips for each."""
        return replace(
            self,
            pot=self.pot * number,
            stack=self.stack * number,
            big_blind=self.big_blind * number,
            blinds=self.blinds and (self.blinds[0] * number, self.blinds[1] * number),
            later=tuple(
                step._replace(total=step.total and step.total * number) for step in self.later
            ),
        )


def situation_of(hand: HandHistory | PhhHand, street: int) -> Situation:
    """The start of a street of a hand in which two players are then left."""
    if isinstance(hand, PhhHand) and len(hand.stacks) == 2:
        hand = HandHistory.of_phh(hand)
    return _of_two(hand, street) if isinstance(hand, HandHistory) else _of_many(hand, street)


def _on(street: int) -> str:
    return f"on the {STREETS[street]}" if street else "before the flop"


def _ended(where: str, street: int) -> BadInputError:
    return BadInputError(f"the hand {where}, so there is no {STREETS[street]}")


def _all_in(street: int) -> BadInputError:
    return BadInputError(
        f"a player is all-in before the {STREETS[street]}, so there is nothing left to decide"
    )


# --- hands of two players, by the rules ---------------------------------------------------------


def _of_two(hand: HandHistory, street: int) -> Situation:
    game = hand.game
    if game.bets is not None:
        raise BadInputError("the hand is one of limit hold'em; spots are of no-limit hold'em")
    if game.street_cards != Spot.street_cards or len(game.deck) != len(Spot.deck):
        raise BadInputError(f"spots are of whole hold'em, and the hand is one of {game.name}")
    states = [game.public()]
    for step in hand.steps:
        states.append(states[-1].child(step))
    begin = next((n for n, s in enumerate(states) if _begins(s, street)), None)
    if begin is None:
        last = states[-1].betting
        if last.folder != NOBODY:
            raise _ended(f"ended with a fold {_on(last.street)}", street)
        if min(last.put) == game.stack:
            raise _all_in(street)
        raise _ended(f"is known only as far as it was played {_on(last.street)}", street)
    first = states[begin]
    if first.player < 0:
        raise _all_in(street)
    start = first.betting.start
    later = []
    for step, before, after in zip(
        hand.steps[begin:], states[begin:], states[begin + 1 :], strict=False
    ):
        if before.player == CHANCE:
            later.append(Later(step, -1, None))
        else:
            total = after.betting.put[before.player] - start
            folded = after.betting.folder != NOBODY
            later.append(Later("", before.player, None if folded else total))
    big, small = game.blinds
    return Situation(
        board=format_cards(first.board),
        pot=2 * start + sum(hand.antes),
        stack=game.stack - start,
        big_blind=big,
        blinds=(small, big) if street == PREFLOP else None,
        names=hand.names,
        hands=hand.hands,
        unit=hand.unit,
        later=tuple(later),
    )


def _begins(state: HoldemState, street: int) -> bool:
    """Whether this is the first state of a street."""
    return state.betting.street == street and state.betting.num_actions == 0


# --- hands of more players, by their chips ------------------------------------------------------


class _Table:
    """The chips of a hand of many players, followed as far as two are left.

    Whose turn it is, is not checked before the spot begins: only that chips are there.
    """

    def __init__(self, hand: PhhHand) -> None:
        self.left = [
            math.inf if stack is None else stack - ante
            for stack, ante in zip(hand.stacks, hand.antes, strict=True)
        ]
        self.pot = sum(hand.antes)
        self.bets = [0] * len(self.left)
        self.in_hand = set(range(len(self.left)))
        self.board = ""
        if min(self.left) < 0:
            raise BadInputError("antes: a player has less than his ante")
        for player, blind in enumerate(hand.blinds):
            self.put(player, int(min(blind, self.left[player])))

    def put(self, player: int, chips: int) -> None:
        """Bet so many chips more."""
        if chips > self.left[player]:
            raise BadInputError(f"p{player + 1} has only {self.left[player]} chips left")
        self.left[player] -= chips
        self.bets[player] += chips

    def follow(self, action: PhhAction) -> None:
        """An action, or cards of the board."""
        if action.kind == BOARD:
            self._deal(action.cards)
            return
        player, level = action.player, max(self.bets)
        if player not in self.in_hand:
            raise BadInputError(f"p{player + 1} has folded")
        if action.kind == FOLD:
            self.in_hand.remove(player)
            if not self.in_hand:
                raise BadInputError("nobody is left in the hand")
        elif action.kind == RAISE:
            if action.amount <= level:
                raise BadInputError(f"{level} chips are bet already")
            self.put(player, action.amount - self.bets[player])
        else:
            self.put(player, int(min(level - self.bets[player], self.left[player])))

    def _deal(self, cards: str) -> None:
        if "?" in cards:
            raise BadInputError("cards of the board must be known")
        level = max(self.bets)
        if any(self.bets[p] < level and self.left[p] > 0 for p in self.in_hand):
            raise BadInputError("cards come before everybody has called or folded")
        self.pot += sum(self.bets)
        self.bets = [0] * len(self.bets)
        self.board += cards
        parse_cards(self.board)
        if len(self.board) not in (6, 8, 10):
            raise BadInputError("three cards are a flop, then one comes at a time")


def _of_many(hand: PhhHand, street: int) -> Situation:
    if hand.variant == LIMIT:
        raise BadInputError("the hand is one of limit hold'em; spots are of no-limit hold'em")
    if street == PREFLOP:
        raise BadInputError(
            f"before the flop the hand has {len(hand.stacks)} players, and a spot has two; choose "
            "a later street"
        )
    table, cards = _Table(hand), [""] * len(hand.stacks)
    rest: list[PhhAction] = []
    has_begun = False
    for action in hand.actions:
        if action.kind in (HAND, SHOW):
            if action.cards and "?" not in action.cards:
                cards[action.player] = action.cards
        elif has_begun:
            rest.append(action)
        else:
            try:
                table.follow(action)
            except BadInputError as error:
                raise BadInputError(f"{action.shown}: {error}") from error
            has_begun = len(table.board) == 2 * (street + 2)
    if not has_begun:
        last = max(len(table.board) // 2 - 2, 0)
        raise _ended(f"ended {_on(last)}, or is known no further", street)
    if len(table.in_hand) != 2:
        raise BadInputError(
            f"when the {STREETS[street]} comes, {len(table.in_hand)} players are in the hand, and "
            "a spot has two; choose a later street"
        )
    oop, ip = sorted(table.in_hand)
    stack = min(table.left[oop], table.left[ip])
    if stack == math.inf:
        raise BadInputError("starting_stacks: the stacks of both players are unknown")
    if stack == 0:
        raise _all_in(street)
    return Situation(
        board=table.board,
        pot=table.pot,
        stack=int(stack),
        big_blind=hand.bets[0],
        blinds=None,
        names=(hand.names[oop], hand.names[ip]),
        hands=(cards[oop], cards[ip]),
        unit=hand.unit,
        later=_later(rest, (oop, ip), int(stack)),
    )


def _later(actions: Sequence[PhhAction], players: tuple[int, int], stack: int) -> tuple[Later, ...]:
    """What two players did from the start of a street on."""
    later, start, put = [], 0, [0, 0]
    for action in actions:
        if action.kind == BOARD:
            start = max(put)
            later.append(Later(action.cards, -1, None))
            continue
        if action.player not in players:
            raise BadInputError(f"{action.shown}: p{action.player + 1} is not in the hand")
        player = players.index(action.player)
        if action.kind == FOLD:
            later.append(Later("", player, None))
            continue
        total = start + action.amount if action.kind == RAISE else max(put)
        put[player] = min(total, stack)
        later.append(Later("", player, put[player]))
    return tuple(later)
