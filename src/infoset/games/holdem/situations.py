"""Random situations, as DeepStack's networks are trained on and instant CFR is measured on.

Moravcik et al. (2017), "DeepStack", supplementary material: pots, boards and ranges are drawn at
random, the ranges so that strong hands and weak hands come in every mixture. River(500), River(5k)
and Turn(5k) of the papers fix the street and the pot, what both players have put in together; in
training data, what is drawn is what each of them has put in. Stacks are 20,000 chips before the
hand (200 big blinds), and the actions are those of DeepStack's lookahead: half the pot, the pot,
twice the pot and all-in for the first two actions on the river, fewer later.
"""

from __future__ import annotations

import math
import numbers
import re

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_MASK, NUM_CARDS, NUM_HANDS, Range, mask_of, range_equity, strengths
from infoset.errors import BadInputError, shorten
from infoset.games.holdem.bet_sizes import BetSizes
from infoset.games.holdem.betting import FLOP, RIVER, STREETS, TURN
from infoset.games.holdem.spot import Spot

STACK = 20_000
"""What each player has before the hand."""

COMMITMENTS = ((100, 101), (200, 400), (400, 2000), (2000, 6000), (6000, 19_951))
"""What each player has put in, for training: one of these half-open spans is drawn, then a number
of chips from it."""

LATER = "100%, a"
"""DeepStack's sizes after the first two actions."""

OPENING = {
    FLOP: ("50%, 100%, a", "100%, a"),
    TURN: ("50%, 100%, a", "100%, a"),
    RIVER: ("50%, 100%, 200%, a", "50%, 100%, 200%, a"),
}
"""DeepStack's sizes for the first and the second action, by street."""

# Both, one or none of pot and seed: River(5k, seed=1), River(5k), River(seed=1), River.
_SITUATION = re.compile(
    r"""\s*
    (?P<kind>(?P<street>[A-Za-z]+) (?:\s*\(\s* (?P<pot>[0-9]{1,6})\s*(?P<thousands>[kK]?) )?)
    (?: \s*(?(pot),|\()\s* seed\s*=\s*(?P<seed>[0-9]{1,18})\s* (?(pot)|\)) )?
    (?P<end>(?(pot)\s*\))) \s*""",
    re.VERBOSE,
)

EXAMPLE = "write it as in River(500), River(5k) or Turn(5k, seed=3), or River for a random pot"


def is_situation_text(text: str) -> bool:
    """Whether a text begins like a random situation: with a street from the flop on.

    >>> is_situation_text("river(5m)"), is_situation_text("River.toml")
    (True, False)
    """
    return text.partition("(")[0].strip().lower() in STREETS[FLOP:]


def random_situation(kind: str = "River(5k)", seed: int = 0) -> Spot:
    """A random situation: the same one for the same kind and seed.

    The board is uniform among all deals. Without a pot, as in ``River``, what each player has put
    in is drawn as for training. Each range is drawn by `draw_range`, one after the other, and sums
    to 1. Hands are ordered by strength on the river. Before it they are ordered by their equity
    against a random hand, all cards that can come dealt; hands of equal strength or equity stay in
    the order of their numbers.

    Flops are described too, but played out to the end: DeepStack itself stops at the turn and asks
    a network.

    The seed may also be part of the text: ``River(5k, seed=1)``.

    >>> spot = random_situation("River(5k)", seed=1)
    >>> spot.name, spot.pot, spot.stack, spot.num_hands
    ('River(5k) #1', 5000, 17500, (1081, 1081))
    >>> round(spot.range_oop.num_combos, 9)
    1.0
    >>> random_situation("River(5k, seed=1)") == spot
    True
    """
    match = _SITUATION.fullmatch(kind) if isinstance(kind, str) else None
    if match is None or not is_situation_text(match["street"]):
        shown = shorten(kind) if isinstance(kind, str) else type(kind).__name__
        raise BadInputError(f"{shown} is not a kind of situation; {EXAMPLE}")
    if match["seed"]:
        if seed != 0:
            raise BadInputError(f"the seed is given twice: {seed}, and in {shorten(kind)}")
        seed = int(match["seed"])
    if not isinstance(seed, numbers.Integral) or isinstance(seed, bool) or seed < 0:
        raise BadInputError(f"the seed must be a whole number of at least 0, not {seed}")
    kind = match["kind"] + match["end"]
    street = STREETS.index(match["street"].lower())
    random = np.random.default_rng(int(seed))
    board = tuple(int(card) for card in random.permutation(NUM_CARDS)[: street + 2])
    if match["pot"]:
        pot = int(match["pot"]) * (1000 if match["thousands"] else 1)
        if pot % 2 or not 2 <= pot < 2 * STACK:
            raise BadInputError(
                f"the pot of {kind} must be an even number from 2 to {2 * STACK - 2:,}: each "
                f"player has put in half of it, of {STACK:,} chips"
            )
    else:
        pot = 2 * int(random.integers(*COMMITMENTS[random.integers(len(COMMITMENTS))]))
    order = _weakest_first(board)
    return Spot(
        board=board,
        range_oop=draw_range(order, random),
        range_ip=draw_range(order, random),
        pot=pot,
        stack=STACK - pot // 2,
        bet_sizes=BetSizes({"bet": LATER, "raise": LATER}, opening=OPENING[street]),
        name=f"{kind} #{seed}",
    )


def draw_range(hands: NDArray[np.integer], random: np.random.Generator) -> Range:
    """Spread a mass of 1 over hands, which are ordered by strength, at random.

    The list is cut in halves and the mass split between them by a uniform share, and so on down to
    single hands. A list of odd length has its middle hand fall to either half.
    """
    weights = np.zeros(NUM_HANDS)
    pieces = [(0, len(hands), 1.0)]
    while pieces:
        begin, end, mass = pieces.pop()
        length = end - begin
        if length == 1:
            weights[hands[begin]] = mass
            continue
        middle = begin + length // 2
        if length % 2:
            middle += int(random.integers(2))
        share = random.random()
        pieces.append((middle, end, mass * (1.0 - share)))
        pieces.append((begin, middle, mass * share))
    total = math.fsum(weights)
    return Range(weights / total)


def _weakest_first(board: tuple[int, ...]) -> NDArray[np.intp]:
    """The hands that a board allows, from weak to strong."""
    hands = np.flatnonzero((HAND_MASK & np.uint64(mask_of(board))) == 0)
    if len(board) == 5:
        strength = strengths(board)[hands].astype(np.float64)
    else:
        equity = range_equity(Range.random(), Range.random(), board).hand_equity[0]
        # What differs by rounding errors alone is equal.
        strength = equity[hands].round(9)
    return hands[np.argsort(strength, kind="stable")]
