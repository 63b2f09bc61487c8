"""Paths to a node of a spot, as text: ``check, bet 50%, raise to 340, call, 2c, check``.

A path is a list of steps with commas between; small and capital letters are the same. A step is an
action as `BettingTree.action_text` writes it, a shorter word for it, or, where a card is dealt, the
card:

==============================  ==================================================================
``check``, ``x``
``fold``, ``f``
``call``, ``c``, ``call 100``
``bet 100``, ``b 100``          a bet of 100 chips
``raise to 340``, ``r 340``     a raise that makes it 340 chips on this street
``bet 50%``, ``raise 2.5x``     a size as in `infoset.games.holdem.sizes`; of percents, the
                                nearest there is, if it is as near as rounding makes it
``bet``, ``raise``              where there is only one
``all-in``, ``a``, ``bet a``    all that is left
``2c``                          the two of clubs is dealt; a flop is ``Td9d6h``
==============================  ==================================================================
"""

from __future__ import annotations

import re
from typing import NamedTuple

from infoset.cards import format_cards, parse_cards
from infoset.cursor import check_text
from infoset.errors import BadInputError, shorten
from infoset.forms.betting_tree import BettingTree, NodeKind
from infoset.games.holdem import (
    PREFLOP,
    ActionKind,
    PotShare,
    Size,
    SizingContext,
    parse_sizes,
    sizing_context,
)

MAX_LENGTH = 100_000
"""Longest text that is read as a path, in characters."""

EXAMPLE = "write a path as in 'check, bet 50%, call, 2c, check'"

_BETS = (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN)
_ALL_IN = r"all[ -]?in|a"
_STEP = re.compile(
    rf"(?:(check|x)|(fold|f)|(call|c)|(bet|b)|(raise|r)|({_ALL_IN})) ?(.*)",
    re.ASCII | re.IGNORECASE,
)
_WORDS = ("check", "fold", "call", "bet", "raise", "all-in")
_IS_ALL_IN = re.compile(_ALL_IN, re.ASCII | re.IGNORECASE)
_TO = re.compile(r"to ?", re.ASCII | re.IGNORECASE)
_AMOUNT = re.compile(r"[0-9]{1,12}")


class Place(NamedTuple):
    """A node of a betting tree, and the cards that were dealt on the way to it."""

    node: int
    cards: tuple[int, ...]
    """In the order they came, without those of the spot."""
    text: str
    """The path in full; `find_node` reads it back."""


_SHARE = re.compile(r"(?<=[0-9])\s*\([0-9.e+]{1,12}%\)\s*$")


def find_node(tree: BettingTree, path: str) -> Place:
    """The node at the end of a path; the empty path leads to the root.

    A path may end where a card is due.

    >>> from infoset.forms.betting_tree import build_betting_tree
    >>> from infoset.games.holdem.spot import Spot
    >>> tree = build_betting_tree(Spot("Td9d6hQc", "AA", "KK", 200, 900))
    >>> find_node(tree, "x, bet 50%, raise to 340, c, 2C, check").text
    'check, bet 100, raise to 340, call 340, 2c, check'
    >>> find_node(tree, "check, bet 75%")
    Traceback (most recent call last):
    infoset.errors.BadInputError: step 2 of the path, 'bet 75%' after 'check', is not possible: \
there are check, bet 100 (50%), bet 200 (100%), all-in 900 (450%)
    >>> find_node(tree, "check, check, check")
    Traceback (most recent call last):
    infoset.errors.BadInputError: step 3 of the path, 'check' after 'check, check', is not \
possible: a card is due, such as 2c
    """
    walk = _Walk(tree)
    for number, step in enumerate(_steps(path), 1):
        try:
            walk.take(step)
        except BadInputError as error:
            after = f" after {shorten(walk.text)}" if walk.words else ""
            raise BadInputError(
                f"step {number} of the path, {shorten(step)}{after}, is not possible: {error}"
            ) from None
    return Place(walk.node, tuple(walk.cards), walk.text)


def find_action(tree: BettingTree, place: Place, action: str) -> int:
    """The node that an action at a decision leads to; the action is written as in a path.

    >>> from infoset.forms.betting_tree import build_betting_tree
    >>> from infoset.games.holdem.spot import Spot
    >>> tree = build_betting_tree(Spot("Td9d6hQc", "AA", "KK", 200, 900))
    >>> place = find_node(tree, "check")
    >>> tree.action_text(find_action(tree, place, "bet 50%"))
    'bet 100'
    >>> find_action(tree, place, "call")
    Traceback (most recent call last):
    infoset.errors.BadInputError: 'call' is no action there: there are check, bet 100 (50%), \
bet 200 (100%), all-in 900 (450%)
    """
    walk = _Walk(tree)
    for step in _steps(place.text):
        walk.take(step)
    steps = _steps(action)
    try:
        walk.act(steps[0] if len(steps) == 1 else "")
    except BadInputError as error:
        raise BadInputError(f"{shorten(action)} is no action there: {error}") from None
    return walk.node


def _steps(path: str) -> list[str]:
    """The steps, with at most single spaces in them."""
    check_text(path, "a path", longest=MAX_LENGTH, example=EXAMPLE)
    # As actions are listed, a bet may have its share of the pot behind it: "bet 100 (50%)".
    steps = [" ".join(_SHARE.sub("", step).split()) for step in path.split(",")]
    if not steps[-1]:
        steps.pop()  # nothing at all, or a comma at the end
    return steps


class _Walk:
    """Where a path has led so far."""

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree
        self.node = 0
        self.cards: list[int] = []
        self.words: list[str] = []
        self.state = tree.spot.first_state()

    @property
    def text(self) -> str:
        return ", ".join(self.words)

    def take(self, step: str) -> None:
        match self.tree.node_kind[self.node]:
            case NodeKind.DECISION:
                self.act(step)
            case NodeKind.CHANCE:
                self.deal(step)
            case _:
                raise BadInputError("the hand is over")

    def deal(self, step: str) -> None:
        cards = _cards(step)
        is_flop = self.state.street == PREFLOP
        if len(cards) != (3 if is_flop else 1):
            due = "the flop is due, such as Td9d6h" if is_flop else "a card is due, such as 2c"
            raise BadInputError(due)
        for card in cards:
            if card in self.tree.spot.board or card in self.cards:
                raise BadInputError(f"{format_cards([card])} is on the board already")
            self.cards.append(card)
        self.words.append(format_cards(cards))
        self.state = self.tree.spot.betting.next_street(self.state)
        self.node = int(self.tree.node_child_begin[self.node])

    def act(self, step: str) -> None:
        meant = self.meant(step)
        children = self.tree.children(self.node)
        if len(meant) != 1:
            possible = ", ".join(map(self.shown, meant or children))
            if meant:
                raise BadInputError(f"it could be any of {possible}")
            is_card = "no card is due; " if _cards(step) else ""
            raise BadInputError(f"{is_card}there are {possible}")
        (self.node,) = meant
        self.words.append(self.tree.action_text(self.node))
        self.state = self.tree.spot.betting.steps(self.state)[self.node - children[0]].state

    def shown(self, child: int) -> str:
        """An action in words, bets and raises also in percent of the pot."""
        text = self.tree.action_text(child)
        if self.tree.node_action[child] not in _BETS:
            return text
        context = self.context()
        added = int(self.tree.node_amount[child]) - context.previous
        return f"{text} ({100 * added / context.pot:.3g}%)"

    def context(self) -> SizingContext:
        """What sizes depend on."""
        spot = self.tree.spot
        return sizing_context(self.state, pot=spot.pot, stack=spot.stack)

    def meant(self, step: str) -> list[int]:
        """The actions that a step can mean: one, or none, or several."""
        match = _STEP.fullmatch(step)
        if match is None:
            return []
        word = next(word for word, is_it in zip(_WORDS, match.groups(), strict=False) if is_it)
        rest = match[7]
        kinds = _BETS if word in ("bet", "raise") else (ActionKind[word.upper().replace("-", "_")],)
        actions, children = self.tree.node_action, self.tree.children(self.node)
        fitting = [child for child in children if actions[child] in kinds]
        if word in ("bet", "raise"):
            is_raise = self.state.num_bets > 0
            if is_raise != (word == "raise"):
                return []
            return self.sized(fitting, rest, is_raise=is_raise)
        if not rest:
            return fitting
        is_amount = word in ("call", "all-in") and _AMOUNT.fullmatch(rest)
        return self.of_amount(fitting, int(rest)) if is_amount else []

    def of_amount(self, bets: list[int], amount: int) -> list[int]:
        return [bet for bet in bets if self.tree.node_amount[bet] == amount]

    def sized(self, bets: list[int], rest: str, *, is_raise: bool) -> list[int]:
        """The bets or raises of a size; all if none is said."""
        if not rest:
            return bets
        to = _TO.match(rest) if is_raise else None
        size = rest[to.end() :] if to else rest
        if _IS_ALL_IN.fullmatch(size):
            return [bet for bet in bets if self.tree.node_action[bet] == ActionKind.ALL_IN]
        if _AMOUNT.fullmatch(size):
            return self.of_amount(bets, int(size))
        if to:
            return []
        try:
            sizes = parse_sizes(size, for_raises=is_raise)
        except BadInputError:
            return []
        return self.nearest(bets, sizes[0]) if sizes else []

    def nearest(self, bets: list[int], size: Size) -> list[int]:
        """The bet that a size in a menu stands for, or else the nearest to a share of the pot."""
        context = self.context()
        smallest = context.previous + self.state.last_raise
        exact = self.of_amount(bets, min(max(size.total(context), smallest), context.all_in))
        if exact or not bets or not isinstance(size, PotShare):
            return exact
        wanted = context.previous + size.percent * context.pot / 100
        off = [abs(int(self.tree.node_amount[bet]) - wanted) for bet in bets]
        best = min(off)
        # Half a percent, or what rounding to a chip can do.
        is_near = best < 1 or 200 * best <= context.pot
        return [bet for bet, by in zip(bets, off, strict=True) if is_near and by == best]


def _cards(step: str) -> tuple[int, ...]:
    """The card or the flop that a step is, highest card first; nothing if it is neither."""
    try:
        cards = parse_cards(step)
    except BadInputError:
        return ()
    return tuple(sorted(cards, reverse=True)) if len(cards) in (1, 3) else ()
