"""How exploitable a strategy is at least, where a best response cannot be computed.

A response to each player is learnt by sampling, then played against him many times with fresh
random numbers. What it wins on average is no more than a best response wins, so half of what both
win is, up to the noise of the plays, a lower bound on the exploitability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from infoset.evaluation.evaluation import Bound
from infoset.games.rules import CHANCE, TERMINAL, Game
from infoset.solvers.sampled.kernels.sampling_data import EACH, OPPONENT, SOME, Method
from infoset.solvers.sampled.rules_walk import Stream, Walk, deal, pick
from infoset.solvers.sampled.visited import VisitedInfosets, match

__all__ = ["sampled_bound"]

_DEVIATIONS = 1.6449
"""Standard errors below the mean within which the truth lies with `CONFIDENCE`."""

LEAST_PLAYS = 200


Tables = Sequence[VisitedInfosets]


def sampled_bound(game: Game, tables: Tables, method: Method, seed: int, nodes: int) -> Bound:
    """Bound the exploitability of the averages in ``tables`` from below.

    About ``nodes`` nodes are visited. The same arguments give the same bound.
    """
    follow = method._replace(wide=False, averaging=OPPONENT, counted=True, rate=0.0)
    if method.follow == EACH:
        follow = follow._replace(follow=SOME, k=3)
    fixed = [table.frozen() for table in tables]
    won = []
    for player in (0, 1):
        response = _learn(game, fixed, follow, player, seed, nodes // 6)
        both = [response, fixed[1]] if player == 0 else [fixed[0], response]
        won.append(_play(game, both, _number(seed, player + 2), nodes // 6))
    value = _play(game, fixed, _number(seed, 4), nodes // 6)
    estimate = (won[0].mean - won[1].mean) / 2
    error = math.hypot(won[0].error, won[1].error) / 2
    lower = max(0.0, estimate - _DEVIATIONS * error)
    return Bound(lower, estimate, error, value.mean, value.error, won[0].plays)


def _number(seed: int, purpose: int) -> Callable[[], float]:
    """Random numbers that no walk of a run has seen: walks count up from 0."""
    return Stream(seed, 2**64 - 1 - purpose, 0).number


def _learn(
    game: Game, fixed: Tables, method: Method, player: int, seed: int, nodes: int
) -> VisitedInfosets:
    """A strategy that answers the other player's, found by sampled regret matching."""
    mine = VisitedInfosets(player, has_base=False, discounts=False)
    walk = Walk(game.root, method, [mine, fixed[1]] if player == 0 else [fixed[0], mine])
    seen = count = 0
    while seen < nodes:
        block = walk.block(player, Stream(seed, 2**64 - 1 - player, count))
        for at, gains, _ in block.visits:
            for s, gain in enumerate(gains, at):
                mine.regrets[s] += gain
            match(mine, at, len(gains), -math.inf)
        seen += block.nodes
        count += 1
    # Among actions so far, the best; where it has never been, it plays as the player does.
    for at, labels in mine.labels.items():
        regrets = mine.regrets[at : at + len(labels)]
        best = regrets.index(max(regrets))
        for a in range(len(labels)):
            mine.strategy[at + a] = float(a == best)
    theirs = fixed[player]
    for key, at in theirs.begin_of.items():
        if key not in mine.begin_of:
            labels = theirs.labels[at]
            begin = mine.visit(key, labels, 0)
            mine.strategy[begin:] = theirs.strategy[at : at + len(labels)]
    return mine


class _Won(NamedTuple):
    mean: float
    error: float
    plays: int


def _play(game: Game, tables: Tables, number: Callable[[], float], nodes: int) -> _Won:
    """Play again and again; what player 0 wins."""
    total = squares = 0.0
    plays = seen = 0
    while seen < nodes or plays < LEAST_PLAYS:
        state = game.root()
        while (mover := state.player) != TERMINAL:
            seen += 1
            if mover == CHANCE:
                state = state.child(deal(state, number))
                continue
            actions = list(state.actions)
            at = tables[mover].begin_of.get(state.infoset)
            if at is None:
                slot = int(number() * len(actions))
            else:
                slot = pick(tables[mover].strategy, at, len(actions), number())
            state = state.child(actions[slot])
        payoff = float(state.payoff)
        plays += 1
        total += payoff
        squares += payoff * payoff
    mean = total / plays
    return _Won(mean, math.sqrt(max(squares / plays - mean * mean, 0.0) / (plays - 1)), plays)
