"""Post-processing: strategies without the actions that they hardly take.

A solver's average keeps a little of what was tried early and found bad, and what an abstraction got
wrong is often mixed in small shares. Programs of the ACPC such as Tartanian played purified
strategies for that reason. Nothing promises that it helps: `infoset evaluate` measures the result.

Ganzfried, Sandholm and Waugh (2012), "Strategy Purification and Thresholding: Effective
Non-Equilibrium Approaches for Playing Large Games".
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, shorten
from infoset.forms import Layout, Numbers, board_numbers, numbers_for, write_board
from infoset.strategy.public_strategy import PublicStrategy, Tables, shares_of_actions
from infoset.strategy.sequence_strategy import SequenceStrategy
from infoset.strategy.strategy import Strategy

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]

OfEither = TypeVar("OfEither", bound=Strategy)


def threshold(strategy: OfEither, least: float) -> OfEither:
    """The strategy without actions less likely than `least`; the others in proportion.

    The most likely action of an infoset always stays, also where it is less likely than that. Of a
    spot, what is locked stays as it is.

    >>> import infoset
    >>> tables = {"J:": {"check": 0.7, "bet": 0.3}}, {"Q:bet": {"fold": 0.95, "call": 0.05}}
    >>> strategy = SequenceStrategy.from_tables(infoset.compile("kuhn"), tables)
    >>> cut = threshold(strategy, 0.1)
    >>> cut["J:"], cut["Q:bet"]
    ({'check': 0.7, 'bet': 0.3}, {'fold': 1.0, 'call': 0.0})
    """
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1:
        given = f"{least}" if isinstance(least, int | float) else shorten(repr(least))
        raise BadInputError(
            f"the threshold must be a probability from 0 to 1, such as 0.1, not {given}"
        )
    if isinstance(strategy, SequenceStrategy):
        return SequenceStrategy(  # type: ignore[return-value]
            strategy.form, (_cut_player(strategy, 0, least), _cut_player(strategy, 1, least))
        )
    if isinstance(strategy, PublicStrategy):
        averages = _cut_tables(strategy, least)
        return PublicStrategy(strategy.form, averages)  # type: ignore[return-value]
    raise BadInputError(f"a {type(strategy).__name__} has no probabilities to change")


def purify(strategy: OfEither) -> OfEither:
    """The strategy that always takes the most likely action; of several, all alike.

    >>> import infoset
    >>> tables = {"J:": {"check": 0.7, "bet": 0.3}}, {}
    >>> pure = purify(SequenceStrategy.from_tables(infoset.compile("kuhn"), tables))
    >>> pure["J:"], pure["Q:bet"]
    ({'check': 1.0, 'bet': 0.0}, {'fold': 0.5, 'call': 0.5})
    """
    return threshold(strategy, 1.0)


def _cut_player(strategy: SequenceStrategy, player: int, least: float) -> NDArray[np.float64]:
    """[num_sequences] One player's probabilities after the cut."""
    treeplex = strategy.form.treeplexes[player]
    out = strategy.probabilities[player].copy()
    if treeplex.num_infosets:
        out[1:] = _cut(
            out[1:], treeplex.infoset_begin[:-1] - 1, treeplex.infoset_num_actions, least
        )
    return out


def _cut_tables(strategy: PublicStrategy, least: float) -> Tables:
    """The tables of both players after the cut, with as many bits as they had."""
    layout = strategy.layout
    return tuple(
        (
            _cut_table(layout, street, 0, pair[0], least),
            _cut_table(layout, street, 1, pair[1], least),
        )
        for street, pair in enumerate(strategy.averages)
    )


def _cut_table(layout: Layout, street: int, player: int, table: Numbers, least: float) -> Numbers:
    betting, rows = layout.bettings[street][player], layout.rows[street][player]
    out = numbers_for(layout, street, player, bits=16 if table.scale.size else 32)
    if not betting.num_sequences:
        return out
    begin, num_actions = betting.node_slot - betting.num_lines, betting.node_actions
    for board in range(len(rows.num_live)):
        numbers = board_numbers(layout, street, player, board, table)
        after = _cut(shares_of_actions(numbers, begin, num_actions), begin, num_actions, least)
        is_hand = rows.hand[slice(*rows.begin[board : board + 2])] >= 0
        write_board(layout, street, player, board, out, np.where(is_hand, after, 0.0))
    return out


def _cut(probabilities: Floats, begin: Ints, num_actions: Ints, least: float) -> Floats:
    """[sequences, ...] Probabilities without the small ones, summing to 1 at every infoset.

    ``begin`` and ``num_actions`` say which sequences are the actions of one infoset.
    """

    def at_all(of_infosets: Floats) -> Floats:
        return np.repeat(of_infosets, num_actions, axis=0)

    most = at_all(np.maximum.reduceat(probabilities, begin, axis=0))
    kept = np.where((probabilities >= least) | (probabilities == most), probabilities, 0.0)
    out: Floats = kept / at_all(np.add.reduceat(kept, begin, axis=0))
    return out
