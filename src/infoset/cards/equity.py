"""Equity: the share of the pot that hands win if all cards still to come are dealt.

A tie is half a win. Hands that share a card never meet, and cards that either player holds are not
dealt; both are exact. Boards that differ only by suits that neither the ranges nor the board tell
apart are alike, and one of them is dealt for all.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.cards.cards import NUM_CARDS, board_of, format_cards, mask_of
from infoset.cards.evaluate import evaluator_tables, hands_for_kernels
from infoset.cards.hands import HAND_FIRST, HAND_INDEX, HAND_MASK, HAND_SECOND, NUM_HANDS
from infoset.cards.kernels.equity import complete_board_into, meet_into
from infoset.cards.ranges import Range, can_meet, range_of
from infoset.errors import BadInputError

Cards = tuple[int, ...]
Floats = NDArray[np.float64]

MOST_SHOWDOWNS = 250_000_000
"""Boards times hands that are dealt before boards are sampled instead: a few seconds."""

USUAL_SAMPLES = 20_000
"""How many boards are sampled unless it is said."""

MOST_SAMPLES = 5_000_000

RELABELLINGS = np.array(list(itertools.permutations(range(4))), np.int64)
"""[24, 4] All ways to give the four suits other names."""


@dataclass(frozen=True, eq=False)
class Equity:
    """How two ranges fare against each other."""

    board: Cards
    equity: float
    """The share that player 0 wins; player 1 wins the rest."""
    hand_equity: tuple[Floats, Floats]
    """[1326] for each player: the share that each hand wins against the opponent's range; nan for
    hands that are not in the range, are blocked, or meet no hand at all."""
    num_boards: int
    """How many complete boards were counted."""
    standard_error: float
    """Of `equity`, if boards were sampled; 0 if all were dealt."""
    is_exact: bool
    """Whether all boards were dealt."""


class _Deal(NamedTuple):
    """Complete boards [n, 5], and how many boards each stands for [n]."""

    boards: NDArray[np.uint8]
    weight: Floats
    relabellings: NDArray[np.int64]
    """[g, 4] The names of suits under which boards were taken as alike."""
    is_exact: bool


def range_equity(
    range0: Range | str,
    range1: Range | str,
    board: str | Iterable[int] = (),
    *,
    samples: int | None = None,
    seed: int = 0,
) -> Equity:
    """What two ranges are worth against each other on a board of none, three, four or five cards.

    Every board is dealt if that takes a few seconds at most, as it does with any ranges from the
    flop on, and before the flop if the ranges do not tell suits apart or hold few hands. Otherwise,
    or if `samples` is given, that many boards are drawn with the `seed`, and the standard error of
    the equity is stated.

    >>> result = range_equity("AA", "KK", "Ks9h7d")
    >>> round(result.equity, 4), result.num_boards, result.is_exact
    (0.0859, 1176, True)
    >>> range_equity("AsAh", "AsKd")
    Traceback (most recent call last):
    infoset.errors.BadInputError: no hand of one range can meet a hand of the other: all share cards
    """
    cards = board_of(board)
    weights = _weights_on(cards, range_of(range0), range_of(range1))
    has_met = can_meet(weights > 0.0)
    if not has_met.any():
        raise BadInputError("no hand of one range can meet a hand of the other: all share cards")
    if samples is None:
        deal = _all_boards(cards, weights) or _some_boards(cards, USUAL_SAMPLES, seed)
    else:
        deal = _some_boards(cards, samples, seed)
    hands = np.flatnonzero(weights.any(axis=0))
    won, met = np.empty((2, 2, len(hands)))
    board_won, board_met = np.empty((2, len(deal.boards)))
    meet_into(
        won,
        met,
        board_won,
        board_met,
        deal.boards,
        deal.weight,
        hands_for_kernels(hands),
        np.ascontiguousarray(weights[:, hands]),
        evaluator_tables(),
    )
    # A sum that ought to be zero is rounding error of the sums it is the difference of.
    least = 1e-13 * deal.weight.sum() * weights.sum(axis=1)
    total_won, total_met = _dot(board_won, deal.weight), _dot(board_met, deal.weight)
    if total_met <= least[0] * weights[1].sum():
        raise BadInputError(
            "the hands that can meet have too little weight beside those that cannot"
            if deal.is_exact
            else "no board that was sampled leaves both players a hand; take more samples"
        )
    equity = total_won / total_met
    # The error of a ratio of two means, to first order.
    error = board_won - equity * board_met
    deviation = 0.0 if deal.is_exact else math.sqrt(_dot(error, error))
    return Equity(
        board=cards,
        equity=equity,
        hand_equity=(
            _hand_equity(won[0], met[0], least[1], hands, has_met[0], deal.relabellings),
            _hand_equity(won[1], met[1], least[0], hands, has_met[1], deal.relabellings),
        ),
        num_boards=round(deal.weight.sum()),
        standard_error=deviation / total_met,
        is_exact=deal.is_exact,
    )


def _dot(first: Floats, second: Floats) -> float:
    """The sum of products, on this thread.

    `@` wakes the threads of BLAS for more than 10,000 numbers; these then spin for 30 ms.
    """
    return float(np.einsum("i,i->", first, second))


def _weights_on(board: Cards, *ranges: Range) -> Floats:
    """[2, 1326] The weights of both ranges on a board."""
    for which, given in zip(("first", "second"), ranges, strict=True):
        if not given:
            raise BadInputError(f"the {which} range is empty")
        if not given.without(board):
            raise BadInputError(
                f"every hand of the {which} range shares a card with the board "
                f"{format_cards(board)}"
            )
    return np.array([given.without(board).weights for given in ranges])


def _all_boards(board: Cards, weights: Floats) -> _Deal | None:
    """Every complete board that can matter, one for all that are alike; `None` if too many."""
    relabellings = _alike(board, weights)
    dead = mask_of(board)
    for player in (0, 1):
        dead |= int(np.bitwise_and.reduce(HAND_MASK[weights[player] > 0.0]))
    num_left = NUM_CARDS - dead.bit_count()
    num_hands = np.count_nonzero(weights.any(axis=0))
    most = math.comb(num_left, 5 - len(board))
    if most // len(relabellings) * num_hands > MOST_SHOWDOWNS:
        return None
    given, shut = np.array(board, np.uint8), np.uint64(dead)
    boards, weight = np.empty((0, 5), np.uint8), np.empty(0)
    number = complete_board_into(boards, weight, given, shut, relabellings)
    if number * num_hands > MOST_SHOWDOWNS:
        return None
    boards, weight = np.empty((number, 5), np.uint8), np.empty(number)
    complete_board_into(boards, weight, given, shut, relabellings)
    return _Deal(boards, weight, relabellings, is_exact=True)


def every_board() -> tuple[NDArray[np.uint8], Floats]:
    """[n, 5] One of all boards that differ only by suits, and [n] how many each stands for."""
    given, none_dead = np.empty(0, np.uint8), np.uint64(0)
    boards, weight = np.empty((0, 5), np.uint8), np.empty(0)
    number = complete_board_into(boards, weight, given, none_dead, RELABELLINGS)
    boards, weight = np.empty((number, 5), np.uint8), np.empty(number)
    complete_board_into(boards, weight, given, none_dead, RELABELLINGS)
    return boards, weight


def _some_boards(board: Cards, samples: int, seed: int) -> _Deal:
    """Complete boards drawn at random, all equally likely."""
    if not isinstance(samples, numbers.Integral) or not 2 <= samples <= MOST_SAMPLES:
        raise BadInputError(
            f"samples must be a whole number from 2 to {MOST_SAMPLES:,}, not {samples}"
        )
    if not isinstance(seed, numbers.Integral) or seed < 0:
        raise BadInputError(f"the seed must be a whole number of at least 0, not {seed}")
    left = np.setdiff1d(np.arange(NUM_CARDS), board)
    random = np.random.default_rng(seed)
    boards = np.empty((samples, 5), np.uint8)
    boards[:, : len(board)] = board
    for begin in range(0, samples, 10_000):
        end = min(begin + 10_000, samples)
        shuffled = random.permuted(np.tile(left, (end - begin, 1)), axis=1)
        boards[begin:end, len(board) :] = shuffled[:, : 5 - len(board)]
    return _Deal(boards, np.ones(samples), RELABELLINGS[:1], is_exact=False)


def hands_relabelled(suits: NDArray[np.int64]) -> NDArray[np.int16]:
    """[1326] What each hand is called when suits have other names."""
    card = 4 * (np.arange(NUM_CARDS) // 4) + suits[np.arange(NUM_CARDS) % 4]
    hands: NDArray[np.int16] = HAND_INDEX[card[HAND_FIRST], card[HAND_SECOND]]
    return hands


def _alike(board: Cards, weights: Floats) -> NDArray[np.int64]:
    """[g, 4] The names of suits that change neither the board nor the ranges."""
    keeps = [
        {4 * (card // 4) + suits[card % 4] for card in board} == set(board)
        and np.array_equal(weights[:, hands_relabelled(suits)], weights)
        for suits in RELABELLINGS
    ]
    return RELABELLINGS[keeps]


def _hand_equity(
    won: Floats,
    met: Floats,
    least: float,
    hands: NDArray[np.intp],
    has_met: NDArray[np.bool_],
    relabellings: NDArray[np.int64],
) -> Floats:
    """[1326] What each hand wins of what it meets."""
    every_won, every_met = np.zeros((2, NUM_HANDS))
    every_won[hands], every_met[hands] = won, met
    # Only one of several boards that are alike was dealt, so only hands that are alike together
    # have seen them all.
    as_if = [hands_relabelled(suits) for suits in relabellings]
    every_won, every_met = every_won[as_if].mean(axis=0), every_met[as_if].mean(axis=0)
    is_known = has_met & (every_met > least)
    equity = np.full(NUM_HANDS, np.nan)
    equity[is_known] = np.clip(every_won[is_known] / every_met[is_known], 0.0, 1.0)
    return equity
