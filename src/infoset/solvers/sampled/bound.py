"""A sampled lower bound on exploitability, for games too large to compute a best response.

A response to each player's strategy is learnt by sampling, then played against it many times with
fresh random numbers. On average it wins no more than a best response, so half of what both
responses win is, up to sampling noise, a lower bound on the exploitability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from infoset.evaluation import Bound
from infoset.games import CHANCE, TERMINAL, Game
from infoset.solvers.sampled.kernels.structures import FOLLOW_EACH, FOLLOW_K, OPPONENT, Method
from infoset.solvers.sampled.reference_walker import Stream, Walker, sample_action, sample_outcome
from infoset.solvers.sampled.visited import VisitedInfosets, match_regrets

_DEVIATIONS = 1.6449
"""The bound is this many standard errors below the mean; it then holds with `CONFIDENCE`."""

MIN_PLAYS = 200

Tables = Sequence[VisitedInfosets]


def sampled_bound(game: Game, tables: Tables, method: Method, seed: int, nodes: int) -> Bound:
    """Bound the exploitability of the averages in ``tables`` from below.

    About ``nodes`` nodes are visited. The same arguments give the same bound.
    """
    learning = method._replace(
        samples_opponent=True, averaging=OPPONENT, counts_unsampled=True, baseline_rate=0.0
    )
    if method.follow == FOLLOW_EACH:
        learning = learning._replace(follow=FOLLOW_K, k=3)
    fixed = [table.frozen() for table in tables]
    winnings = []
    for player in (0, 1):
        response = _learn_response(game, fixed, learning, player, seed, nodes // 6)
        both = [response, fixed[1]] if player == 0 else [fixed[0], response]
        winnings.append(_play(game, both, _random_numbers(seed, player + 2), nodes // 6))
    first, second = winnings
    value = _play(game, fixed, _random_numbers(seed, 4), nodes // 6)
    estimate = (first.mean - second.mean) / 2
    error = math.hypot(first.error, second.error) / 2
    lower = max(0.0, estimate - _DEVIATIONS * error)
    return Bound(lower, estimate, error, value.mean, value.error, first.plays)


def _random_numbers(seed: int, purpose: int) -> Callable[[], float]:
    """Random numbers that no walk of a run draws: its mini-batches count up from 0."""
    return Stream(seed, 2**64 - 1 - purpose, 0).number


def _learn_response(
    game: Game, fixed: Tables, method: Method, player: int, seed: int, nodes: int
) -> VisitedInfosets:
    """A player's response to the other's fixed strategy, found by sampled regret matching."""
    mine = VisitedInfosets(player, has_baselines=False, discounts=False)
    walker = Walker(game.root, method, [mine, fixed[1]] if player == 0 else [fixed[0], mine])
    touched = count = 0
    while touched < nodes:
        walk = walker.walk(player, Stream(seed, 2**64 - 1 - player, count))
        for begin, regrets, _ in walk.visits:
            for s, regret in enumerate(regrets, begin):
                mine.regrets[s] += regret
            match_regrets(mine, begin, len(regrets), -math.inf)
        touched += walk.nodes
        count += 1
    # The response takes the action of the largest regret; at infosets it never visited, it plays
    # as the player's own strategy does.
    for begin, labels in mine.labels.items():
        total = mine.regrets[begin : begin + len(labels)]
        best = total.index(max(total))
        for a in range(len(labels)):
            mine.strategy[begin + a] = float(a == best)
    theirs = fixed[player]
    for key, begin in theirs.begin_of.items():
        if key not in mine.begin_of:
            labels = theirs.labels[begin]
            mine.strategy[mine.visit(key, labels, 0) :] = theirs.strategy[
                begin : begin + len(labels)
            ]
    return mine


class _Winnings(NamedTuple):
    """What player 0 won: mean, its standard error, and the number of plays."""

    mean: float
    error: float
    plays: int


def _play(game: Game, tables: Tables, number: Callable[[], float], nodes: int) -> _Winnings:
    """Play the game with the strategies in ``tables`` until enough nodes were visited."""
    total = squares = 0.0
    plays = touched = 0
    while touched < nodes or plays < MIN_PLAYS:
        state = game.root()
        while (mover := state.player) != TERMINAL:
            touched += 1
            if mover == CHANCE:
                state = state.child(sample_outcome(state, number))
                continue
            actions = list(state.actions)
            begin = tables[mover].begin_of.get(state.infoset)
            if begin is None:
                slot = int(number() * len(actions))
            else:
                strategy = tables[mover].strategy[begin : begin + len(actions)]
                slot = sample_action(strategy, number())
            state = state.child(actions[slot])
        payoff = float(state.payoff)
        plays += 1
        total += payoff
        squares += payoff * payoff
    mean = total / plays
    return _Winnings(mean, math.sqrt(max(squares / plays - mean * mean, 0.0) / (plays - 1)), plays)
