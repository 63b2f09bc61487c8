"""Hands of heads-up hold'em that were played somewhere: checked by the rules, read and written.

A `HandHistory` is a hand in a game of `holdem`, with what the game does not know: who played, what
is hidden, antes, and stacks that are not the same. Of two stacks the larger counts no more than the
smaller: what goes beyond cannot be called, so a bet beyond is all-in.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from infoset.cards import mask_of, parse_cards
from infoset.errors import BadInputError
from infoset.games import CHANCE, TERMINAL, Number
from infoset.games.holdem import NOBODY, HoldemState, acpc
from infoset.interop.acpc import LoggedHand
from infoset.interop.phh import (
    BOARD,
    FOLD,
    HAND,
    LIMIT,
    NO_LIMIT,
    RAISE,
    SHOW,
    STAY,
    PhhAction,
    PhhHand,
)
from infoset.machine.storage import write_atomically

MAX_NAMED_STACK = 1_000_000
"""Largest stack that the text of a game can have."""


@dataclass(frozen=True)
class HandHistory:
    """A hand of two players; player 0 posts the big blind, as in `holdem`."""

    game: acpc.Holdem
    """Its stack is that of the player who had less."""
    steps: tuple[str, ...]
    """The actions and cards after the deal, by the labels of the game."""
    hands: tuple[str, str] = ("", "")
    """The cards of each player; empty where they are not known."""
    names: tuple[str, str] = ("", "")
    number: int | None = None
    stacks: tuple[int | None, int | None] | None = None
    """What each had before antes and blinds, as far as it is known; `None` for the stack of the
    game."""
    antes: tuple[int, int] = (0, 0)
    unit: Fraction = Fraction(1)
    """What a chip is worth in the money that was played for."""

    @classmethod
    def of_steps(
        cls,
        game: acpc.Holdem,
        steps: Iterable[str],
        *,
        names: tuple[str, str] = ("", ""),
        number: int | None = None,
    ) -> HandHistory:
        """A hand from all its steps, deals too, as `infoset.agents.Hand` has them.

        >>> from infoset.games import make
        >>> hand = HandHistory.of_steps(make("holdem"), ("9s8h", "JdTc", "raise300", "fold"))
        >>> hand.hands, hand.payoff
        (('9s8h', 'JdTc'), -100)
        """
        first, second, *rest = steps
        history = cls(game, tuple(rest), (first, second), names, number)
        history.public  # noqa: B018  refuses what is against the rules
        return history

    @classmethod
    def of_logged(cls, game: acpc.Holdem, logged: LoggedHand) -> HandHistory:
        """A hand from a line of an ACPC log."""
        return cls.of_steps(game, logged.steps, names=logged.names, number=logged.number)

    @classmethod
    def of_phh(cls, hand: PhhHand) -> HandHistory:
        """A hand from what a PHH file says, checked by the rules."""
        return _Reader(hand).history()

    @cached_property
    def public(self) -> HoldemState:
        """The public state that the hand led to."""
        public = self.game.public()
        for step in self.steps:
            public = public.child(step)
        known = parse_cards("".join(self.hands))
        if mask_of(known) & mask_of(public.board):
            raise BadInputError("a card on the board is also in the hand of a player")
        return public

    @property
    def payoff(self) -> Number | None:
        """What player 0 won, antes counted; `None` if that cannot be said.

        So it is before the end, and where hands that decide are not known.
        """
        if self.public.player != TERMINAL:
            return None
        ending = self.public.ending
        if ending.winner is None:
            if not all(self.hands):
                return None
            number_of = self.game.hand_of
            hand0, hand1 = (number_of[_highest_first(cards)] for cards in self.hands)
            won = self.game.payoff(ending, hand0, hand1)
        else:
            won = ending.chips if ending.winner == 0 else -ending.chips
        if won == 0:
            return Fraction(sum(self.antes), 2) - self.antes[0]
        return won + self.antes[1] if won > 0 else won - self.antes[0]


def _highest_first(cards: str) -> str:
    return "".join(sorted((cards[:2], cards[2:]), key=parse_cards, reverse=True))


class _Reader:
    """Follows a hand of a file by the rules."""

    def __init__(self, hand: PhhHand) -> None:
        if len(hand.stacks) != 2:
            raise BadInputError(
                f"there are {len(hand.stacks)} players; only hands of two players are hands of a "
                "game here"
            )
        self._hand = hand
        self._left = _stacks_after_antes(hand)
        self._game = _game_of(hand, int(min(self._left)))
        self._public = self._game.public()
        self._steps: list[str] = []
        self._cards = ["", ""]

    def history(self) -> HandHistory:
        """The hand as it was played."""
        hand = self._hand
        for action in hand.actions:
            try:
                self._follow(action)
            except BadInputError as error:
                raise BadInputError(f"{action.shown}: {error}") from error
        first, second = (cards if "?" not in cards else "" for cards in self._cards)
        if any(len(cards) not in (0, 4) for cards in (first, second)):
            raise BadInputError("a hand of hold'em has two cards")
        history = HandHistory(
            *(self._game, tuple(self._steps), (first, second)),
            names=(hand.names[0], hand.names[1]),
            number=hand.number,
            stacks=(hand.stacks[0], hand.stacks[1]),
            antes=(hand.antes[0], hand.antes[1]),
            unit=hand.unit,
        )
        history.public  # noqa: B018  refuses cards that are there twice
        return history

    def _follow(self, action: PhhAction) -> None:
        public = self._public
        if action.kind in (HAND, SHOW):
            self._see_cards(action)
            return
        if action.kind == BOARD:
            if "?" in action.cards:
                raise BadInputError("cards of the board must be known")
            if public.player != CHANCE:
                raise public.refusal(action.cards)
            label = action.cards
        else:
            label = self._label(action)
        self._public = public.child(label)
        self._steps.append(label)

    def _see_cards(self, action: PhhAction) -> None:
        before, cards = self._cards[action.player], action.cards
        if action.kind == HAND:
            if self._steps:
                raise BadInputError("hands are dealt before anything else happens")
            self._cards[action.player] = before + cards
        elif cards and "?" not in cards:
            if "?" not in before and before and set(parse_cards(before)) != set(parse_cards(cards)):
                raise BadInputError(f"the hand was {before}")
            self._cards[action.player] = cards
        parse_cards("".join(cards for cards in self._cards if "?" not in cards))

    def _label(self, action: PhhAction) -> str:
        """What the game calls an action."""
        public, player = self._public, action.player
        if public.player < 0:
            raise public.refusal(action.kind)
        if public.player != player:
            raise BadInputError(f"it is the turn of p{public.player + 1}")
        if action.kind == FOLD:
            return "fold"
        if action.kind == STAY:
            return "call" if public.is_facing_bet else "check"
        total = public.betting.start + action.amount
        if total > self._left[player]:
            raise BadInputError(f"p{player + 1} has {self._left[player]} chips in total")
        total = min(total, self._game.stack)
        if self._game.bets is None:
            return f"raise{total}"
        if total not in public.raises:
            raise public.refusal(f"raise to {total}")
        return "raise"


def _stacks_after_antes(hand: PhhHand) -> tuple[float, float]:
    """What each player has for blinds and bets; infinity where it is not known."""
    first, second = (
        math.inf if stack is None else stack - ante
        for stack, ante in zip(hand.stacks, hand.antes, strict=True)
    )
    if first == second == math.inf:
        raise BadInputError(
            "starting_stacks: neither stack is known, so nobody knows what all-in is"
        )
    if min(first, second) < 1:
        raise BadInputError("starting_stacks: after the antes a player has nothing left")
    return first, second


def _game_of(hand: PhhHand, stack: int) -> acpc.Holdem:
    """The game in which a hand was played."""
    big, small = hand.blinds
    if not 0 < small <= big <= MAX_NAMED_STACK:
        raise BadInputError(
            f"blinds_or_straddles: p1 posts {big} and p2 {small}, but a small and a big blind are "
            "posted; write the smaller one first"
        )
    is_limit = hand.variant == LIMIT
    expected = (big, 2 * big) if is_limit else (big,)
    if hand.bets != expected:
        named = "small_bet and big_bet are" if is_limit else "min_bet is"
        raise BadInputError(
            f"{named} {' and '.join(map(str, hand.bets))}, but with a big blind of {big} only "
            f"{' and '.join(map(str, expected))} can be played here"
        )
    game = acpc.holdem(
        stack=min(stack, MAX_NAMED_STACK),
        small_blind=small,
        big_blind=big,
        betting="limit" if is_limit else "no_limit",
    )
    if stack > MAX_NAMED_STACK:
        game = replace(game, name=f"holdem with {stack:,} chips", stack=stack)
    return game


def format_phh(history: HandHistory) -> str:
    """A hand as the text of a PHH file.

    >>> from infoset.games import make
    >>> steps = "9s8h", "JdTc", "raise300", "call", "8d7h2c", "check", "raise750", "fold"
    >>> print(format_phh(HandHistory.of_steps(make("holdem"), steps, names=("Alice", "Bob"))))
    variant = "NT"
    antes = [0, 0]
    blinds_or_straddles = [50, 100]
    min_bet = 100
    starting_stacks = [20000, 20000]
    actions = ["d dh p1 9s8h", "d dh p2 JdTc", "p2 cbr 300", "p1 cc", "d db 8d7h2c", "p1 cc", \
"p2 cbr 450", "p1 f"]
    players = ["Alice", "Bob"]
    <BLANKLINE>
    """
    game = history.game
    big, small = game.blinds
    stacks = history.stacks or (game.stack, game.stack)

    def money(*chips: int) -> str:
        return ", ".join(_decimal(n * history.unit) for n in chips)

    if game.bets is None:
        variant, bets = NO_LIMIT, [f"min_bet = {money(big)}"]
    else:
        variant = LIMIT
        bets = [f"small_bet = {money(game.bets[0])}", f"big_bet = {money(game.bets[-1])}"]
    if game.street_cards != (0, 3, 1, 1) or len(game.deck) != 52 or game.sizes is not None:
        raise BadInputError(f"PHH has no variant for {game.name}: it is no whole hold'em")
    lines = [
        f"variant = {_quoted(variant)}",
        f"antes = [{money(*history.antes[::-1])}]",
        f"blinds_or_straddles = [{money(small, big)}]",
        *bets,
        f"starting_stacks = [{', '.join('inf' if n is None else money(n) for n in stacks)}]",
        f"actions = [{', '.join(map(_quoted, _actions(history)))}]",
    ]
    if history.number is not None:
        lines.append(f"hand = {history.number}")
    if any(history.names):
        lines.append(f"players = [{', '.join(map(_quoted, history.names))}]")
    return "\n".join(lines) + "\n"


def format_phhs(histories: Iterable[HandHistory]) -> str:
    """Several hands as the text of one file, each in a table that is named by a number."""
    return "\n".join(f"[{n}]\n{format_phh(hand)}" for n, hand in enumerate(histories, start=1))


def write_phh(path: str | os.PathLike[str], history: HandHistory | Iterable[HandHistory]) -> None:
    """Write a hand, or several, in one step: the file is whole or not there."""
    one = isinstance(history, HandHistory)
    text = format_phh(history) if one else format_phhs(history)  # type: ignore[arg-type]
    write_atomically(path, text.encode())


def _actions(history: HandHistory) -> list[str]:
    """The actions as PHH writes them; at a showdown both hands are shown, if they are known."""
    actions = [f"d dh p{n} {cards or '????'}" for n, cards in enumerate(history.hands, start=1)]
    public = history.game.public()
    for step in history.steps:
        before, public = public, public.child(step)
        player, after = before.player + 1, public.betting
        if before.player == CHANCE:
            actions.append(f"d db {step}")
        elif after.folder != NOBODY:
            actions.append(f"p{player} {FOLD}")
        elif after.put[before.player] > max(before.betting.put):
            total = after.put[before.player] - before.betting.start
            actions.append(f"p{player} {RAISE} {_decimal(total * history.unit)}")
        else:
            actions.append(f"p{player} {STAY}")
    if public.player == TERMINAL and public.betting.folder == NOBODY:
        actions += [f"p{n} {SHOW} {cards}" for n, cards in enumerate(history.hands, 1) if cards]
    return actions


def _decimal(money: Fraction) -> str:
    """Money of a few decimals, exactly.

    >>> _decimal(Fraction(5, 2)), _decimal(Fraction(300)), _decimal(Fraction(1, 100))
    ('2.5', '300', '0.01')
    """
    return f"{Decimal(money.numerator) / Decimal(money.denominator):f}"


def _quoted(text: str) -> str:
    # JSON escapes what TOML does, but for one letter.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
