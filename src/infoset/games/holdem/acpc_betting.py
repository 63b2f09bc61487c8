"""How a hand of hold'em goes, as both players see it: bets, the board, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from infoset.errors import BadInputError, shorten
from infoset.games.holdem.acpc_rules import (
    Cards,
    HoldemRules,
    list_boards,
    mask_of,
    read_cards,
    write_cards,
)
from infoset.games.rules import CHANCE, TERMINAL, Number

__all__ = ["HoldemState", "Settlement"]

_RAISE = re.compile(r"raise([1-9][0-9]{0,8})")


class Settlement(NamedTuple):
    """How a hand ended: what the loser loses; who was left by a fold; else the board, sorted."""

    chips: int
    winner: int | None
    board: Cards


@dataclass(frozen=True, slots=True)
class HoldemState:
    """What both players see.

    `paid` is what each player has put in over the whole hand, `least_raise` the size of the last
    bet or raise of the street (the big blind if there was none), `is_opening` says that nobody
    has spoken on this street yet, and `winner` is who was left by a fold.
    """

    game: HoldemRules = field(repr=False)
    player: int
    paid: tuple[int, int]
    least_raise: int
    street: int = 0
    board: Cards = ()
    is_opening: bool = True
    winner: int | None = None
    story: str = ""

    @property
    def actions(self) -> tuple[str, ...]:
        """Stay in or get out, then every raise from the smallest."""
        stay = ("fold", "call") if self.is_facing_bet else ("check",)
        totals = self.raises
        if isinstance(totals, range):
            return stay + self.game.raise_labels[totals.start : totals.stop]
        return stay + tuple(f"raise{total}" for total in totals)

    @property
    def is_facing_bet(self) -> bool:
        """Whether the opponent has put in more."""
        return self.paid[1 - self.player] > self.paid[self.player]

    @property
    def raises(self) -> Sequence[int]:
        """What the player may raise to, ascending: chips put in over the whole hand."""
        stack, opposite = self.game.stack, self.paid[1 - self.player]
        if opposite == stack:
            return ()
        least = min(stack, opposite + self.least_raise)
        if self.game.sizes is None:
            return range(least, stack + 1)
        wanted = (opposite + int(size * 2 * opposite) for size in self.game.sizes)
        return tuple(sorted({min(stack, max(least, total)) for total in wanted} | {stack}))

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The cards that may come up on the board, whatever the hands are."""
        left = tuple(card for card in self.game.deck if card not in self.board)
        return list_boards(left, self.game.street_cards[self.street + 1])

    def probability(self, outcome: str, hand0: int, hand1: int) -> Number:
        """How likely a board is: the cards of both players are out of the deck."""
        masks = self.game.hand_masks
        is_held = mask_of(read_cards(outcome)) & (masks[hand0] | masks[hand1])
        return 0 if is_held else self.game.board_odds[self.street + 1]

    def child(self, action: str) -> HoldemState:
        """The state after an action or the next cards of the board."""
        if self.player == CHANCE:
            return self.after_board(read_cards(action))
        if self.player != TERMINAL:
            opponent = 1 - self.player
            story = self.story + ("" if self.is_opening else ",") + action
            spoken = replace(self, player=opponent, is_opening=False, story=story)
            if action == ("call" if self.is_facing_bet else "check"):
                level = max(self.paid)
                # An opponent who is all-in has nothing to say.
                is_over = not self.is_opening or level == self.game.stack
                player = self.game.after_street(self.street) if is_over else opponent
                return replace(spoken, player=player, paid=(level, level))
            if action == "fold" and self.is_facing_bet:
                return replace(spoken, player=TERMINAL, winner=opponent)
            raised = _RAISE.fullmatch(action)
            if raised is not None and int(raised[1]) in self.raises:
                total, opposite = int(raised[1]), self.paid[opponent]
                paid = (total, opposite) if opponent else (opposite, total)
                return replace(spoken, paid=paid, least_raise=total - opposite)
        raise self.refusal(action)

    def after_board(self, cards: Cards) -> HoldemState:
        """The big blind speaks first now, unless there is nothing left to bet."""
        game, street = self.game, self.street + 1
        is_left = set(game.deck).difference(self.board).issuperset(cards)
        if not is_left or len(cards) != game.street_cards[street]:
            raise self.refusal(write_cards(cards))
        cards = tuple(sorted(cards, reverse=True))
        is_all_in = self.paid[0] == game.stack
        player = game.after_street(street) if is_all_in else 0
        return HoldemState(
            game,
            player,
            self.paid,
            game.blinds[0],
            street,
            self.board + cards,
            story=f"{self.story}/{write_cards(cards)}:",
        )

    @property
    def settlement(self) -> Settlement:
        """What the loser put in is lost to the winner of the fold or of the showdown."""
        board = () if self.winner is not None else tuple(sorted(self.board))
        return Settlement(min(self.paid), self.winner, board)

    def refusal(self, label: str) -> BadInputError:
        """The error that says that this cannot happen here, and what can."""
        if self.player == TERMINAL:
            possible = "the hand is over"
        elif self.player == CHANCE:
            count = self.game.street_cards[self.street + 1]
            possible = f"what comes up is {count} of the cards in the deck"
        else:
            possible = "there are fold and call" if self.is_facing_bet else "there is check"
            if totals := self.raises:
                possible += f", and raises from {totals[0]} to {totals[-1]}"
        where = f"after {shorten(self.story)}" if self.story else "at the start"
        return BadInputError(f"{shorten(label)} is not possible {where}: {possible}")
