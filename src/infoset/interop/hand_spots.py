"""A spot from a hand that was played: the same board, pot and stacks, at the start of a street.

What the players could have held is not in a hand, so ranges are given; all hands, if not. Bet sizes
are those that are given, and those that were bet in the hand, each for the player and the street.
A player who bet half of the pot may then do so whenever he may bet on that street.

Chips are counted so finely that a big blind is at least a hundred: sizes are whole chips.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from infoset.cards import Range
from infoset.errors import BadInputError, shorten
from infoset.games import CHANCE
from infoset.games.holdem import (
    BIG_BLIND,
    MAX_PERCENT,
    PLAYERS,
    STREETS,
    AllIn,
    BetSizes,
    Betting,
    Chips,
    HoldemState,
    PotShare,
    Size,
    SizingContext,
    Spot,
    format_sizes,
    format_spot,
    sizing_context,
)
from infoset.interop.hand_history import HandHistory
from infoset.interop.hand_situations import Later, Situation, situation_of
from infoset.interop.phh import PhhHand

MAX_DECIMALS = 4
"""Decimals of a percentage of the pot; what needs more is written in chips."""

IN_WORDS = ("out of position", "in position")


class SpotFromHand(NamedTuple):
    """A spot, and what was done in it."""

    spot: Spot
    street: str
    played: tuple[str, ...]
    """The actions and cards of the hand from there on, by the labels of the spot."""
    path: str
    """The same as `infoset show --path` reads it: without cards that nobody acts after."""
    names: tuple[str, str]
    """Out of position and in position."""
    hands: tuple[str, str]
    """What they held; empty where it is not known."""
    number: int | None
    chip: Fraction
    """What a chip of the spot is worth in the money of the hand."""


def spot_from_hand(
    hand: HandHistory | PhhHand,
    street: str,
    *,
    range_oop: Range | str = "random",
    range_ip: Range | str = "random",
    bets: str | None = None,
    raises: str | None = None,
) -> SpotFromHand:
    """The spot at the start of a street of a hand.

    Of a hand of more than two players, two must be left when the street begins.

    >>> from infoset.games import make
    >>> steps = "9s8h", "JdTc", "raise300", "call", "8d7h2c", "check", "raise750", "fold"
    >>> hand = HandHistory.of_steps(make("holdem"), steps)
    >>> made = spot_from_hand(hand, "flop", bets="50%, a", raises="a")
    >>> made.spot.pot, made.spot.stack, made.played
    (600, 19700, ('check', 'bet 450', 'fold'))
    >>> format_sizes(made.spot.bet_sizes.menus[1][1].bets)
    '50%, 75%, a'
    """
    if street not in STREETS:
        raise BadInputError(
            f"there is no street {shorten(street)}; streets are {', '.join(STREETS)}"
        )
    place = STREETS.index(street)
    situation = situation_of(hand, place)
    # What a big blind of the hand has too few chips for, one of the spot is a fraction of.
    finer = -(-BIG_BLIND // situation.big_blind)
    situation = situation.in_finer_chips(finer)
    spot = Spot(
        situation.board,
        range_oop,
        range_ip,
        situation.pot,
        situation.stack,
        _bet_sizes(situation, place, bets, raises),
        blinds=situation.blinds,
        big_blind=situation.big_blind,
        name=street if hand.number is None else f"{street} of hand {hand.number}",
    )
    labels = _labels(spot, situation.later)
    return SpotFromHand(
        *(spot, street, labels, _path(spot, labels), situation.names, situation.hands),
        number=hand.number,
        chip=situation.unit / finer,
    )


def _labels(spot: Spot, later: Sequence[Later]) -> tuple[str, ...]:
    """What was done, by the labels of the spot."""
    public, labels = spot.public(), []
    for step in later:
        labels.append(_label(public, step))
        public = public.child(labels[-1])
    return tuple(labels)


def _path(spot: Spot, labels: Sequence[str]) -> str:
    """What was done, up to where both players are all-in."""
    public, steps = spot.public(), []
    for label in labels:
        if public.player == CHANCE and max(public.betting.put) == spot.stack:
            break
        steps.append(label)
        public = public.child(label)
    return ", ".join(steps)


def _label(public: HoldemState, step: Later) -> str:
    if step.cards:
        if public.player != CHANCE:
            raise public.refusal(step.cards)
        return step.cards
    if public.player != step.player:
        raise public.refusal(f"an action {IN_WORDS[step.player]}")
    if step.total is None:
        return "fold"
    if step.total <= max(public.betting.put):
        return public.stay_label
    if step.total not in public.raises:
        raise public.refusal(f"a bet that makes it {step.total} chips")
    return public.raise_label(step.total)


def _bet_sizes(situation: Situation, street: int, bets: str | None, raises: str | None) -> BetSizes:
    """The given sizes, and those of the hand where they were bet."""
    given = {"bet": bets, "raise": raises}
    menus: dict[str, object] = {what: sizes for what, sizes in given.items() if sizes is not None}
    base = BetSizes(menus)
    for (at, player, what), sizes in _sizes_bet(situation, street).items():
        menu = base.menus[at][player]
        known = menu.raises if what == "raise" else menu.bets
        new = [size for size in dict.fromkeys(sizes) if size not in known]
        if new:
            of_street = menus.setdefault(STREETS[at], {})
            assert isinstance(of_street, dict)
            of_player = of_street.setdefault(PLAYERS[player], {})
            of_player[what] = format_sizes(tuple(sorted((*known, *new), key=_order)))
    return BetSizes(menus)


def _order(size: Size) -> tuple[int, Fraction]:
    """Shares of the pot first, from small to large, then all others as they are."""
    return (0, size.percent) if isinstance(size, PotShare) else (1, Fraction(0))


def _sizes_bet(situation: Situation, street: int) -> dict[tuple[int, int, str], list[Size]]:
    """By street, player and ``bet`` or ``raise``: the sizes of the hand."""
    stack, blinds = situation.stack, situation.blinds
    betting = Betting(
        stack,
        lambda state, smallest: range(smallest, stack + 1),
        min_bet=blinds[1] if blinds else 1,
    )
    state = betting.post_blinds(*blinds) if blinds else betting.open_street(street)
    sizes: dict[tuple[int, int, str], list[Size]] = {}
    for step in situation.later:
        if step.cards:
            if state.player != CHANCE:
                break  # `_labels` says what is wrong
            state = betting.next_street(state)
            continue
        if state.player != step.player or step.total is None:
            break
        if step.total <= max(state.put):
            state = betting.call(state)
            continue
        if step.total not in betting.raises(state):
            raise BadInputError(
                f"on the {STREETS[state.street]}, {IN_WORDS[step.player]}: a bet that makes it "
                f"{step.total - state.start} chips is against the rules"
            )
        context = sizing_context(state, pot=situation.pot, stack=stack)
        what = "raise" if state.num_bets else "bet"
        size = _size_of(step.total - state.start, context)
        sizes.setdefault((state.street, step.player, what), []).append(size)
        state = betting.raise_to(state, step.total)
    return sizes


def _size_of(total: int, context: SizingContext) -> Size:
    """What a bet is called: all-in, the roundest share of the pot that comes to it, or chips."""
    if total == context.all_in:
        return AllIn()
    more = total - context.previous
    share = Fraction(100 * more, context.pot)
    for decimals in range(MAX_DECIMALS + 1):
        percent = Fraction(round(share * 10**decimals), 10**decimals)
        if 0 < percent <= MAX_PERCENT and PotShare(percent).total(context) == total:
            return PotShare(percent)
    return Chips(more)


def spot_text(made: SpotFromHand, source: str = "a hand") -> str:
    """The spot as the text of a file that says where it comes from."""
    who = [
        f"{words}: {name or 'unknown'}" + (f", who had {cards}" if cards else "")
        for words, name, cards in zip(IN_WORDS, made.names, made.hands, strict=True)
    ]
    which = "a hand" if made.number is None else f"hand {made.number}"
    where = f"the {made.street}" if made.spot.board else "before the flop"
    lines = [
        f"From {which} of {source}: {where}.",
        *(line[0].upper() + line[1:] + "." for line in who),
        f"Played from here on: {made.path or 'nothing'}.",
    ]
    if made.chip != 1:
        lines.append(f"One chip here is {float(made.chip):g} in the hand.")
    spot = made.spot
    all_hands = [
        words
        for words, r in zip(IN_WORDS, (spot.range_oop, spot.range_ip), strict=True)
        if r == Range.random()
    ]
    if all_hands:
        lines.append(f"Nobody knows what could be held: all hands {' and '.join(all_hands)}.")
    comments = "".join(f"# {line}\n" for line in lines)
    return f"{comments}\n{format_spot(spot)}"
